"""What the command line says of a daemon, and the configuration that it names."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from answerprobe import config as configuration
from answerprobe.config import Config
from answerprobe.daemon.listen import ListenAddress
from answerprobe.secret import SecretSource


@dataclass(frozen=True, slots=True, kw_only=True)
class ServeOptions:
    """What the command line says."""

    config_file: Path
    auto_reload: bool
    storage_url: str
    secrets: SecretSource
    scrub: Callable[[str], str]
    grace_seconds: float
    listen: ListenAddress
    external_url: str
    open_evidence: bool
    route_prefix: str = ""
    web_config_file: Path | None = None


def load_config(path: Path, secrets: SecretSource) -> Config:
    """
    Return the configuration at *path*.

    Raises:
        ConfigError: it is refused, or breaks the lock beside it.
    """
    return configuration.load(path, secrets=secrets)
