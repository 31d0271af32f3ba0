"""The web configuration file: read at start, and again whenever it changes."""

import asyncio
import ssl

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple, Protocol

import structlog

from answerprobe.config import WebConfig, load_web
from answerprobe.errors import ConfigError, Problem
from answerprobe.web import WebSettings


_log = structlog.get_logger()
_LOOK_SECONDS = 1.0


class CurrentTls(ssl.SSLContext):
    """Speaks TLS to new connections as *current* does; old ones go on as they did."""

    current: ssl.SSLContext

    @classmethod
    def of(cls, context: ssl.SSLContext) -> "CurrentTls":
        """Return one that begins with *context*."""
        made = cls(ssl.PROTOCOL_TLS_SERVER)
        made.current = context
        return made

    def wrap_bio(
        self,
        incoming: ssl.MemoryBIO,
        outgoing: ssl.MemoryBIO,
        server_side: bool = False,  # noqa: FBT001, FBT002  as it is there
        server_hostname: str | bytes | None = None,
        session: ssl.SSLSession | None = None,
    ) -> ssl.SSLObject:
        """Return one connection's side of TLS; asyncio asks for it."""
        return self.current.wrap_bio(
            incoming, outgoing, server_side, server_hostname, session
        )


_Stamp = tuple[int, int, int] | None


class _Read(NamedTuple):
    """A web configuration, and its files as they were before it was read."""

    config: WebConfig
    stamps: tuple[_Stamp, ...]


class Reloads(Protocol):
    """Where it is told how reading again went."""

    def web_config_read(self, *, good: bool) -> None:
        """Note whether the web configuration is one that can be obeyed."""
        ...


class Front:
    """The web configuration that is obeyed; without a *path*, none ever."""

    def __init__(self, path: Path | None) -> None:
        """Read the file at *path*; ConfigError where it is refused."""
        self._path = path
        self.settings = WebSettings()
        self.tls: CurrentTls | None = None
        self._read = _Read(config=WebConfig(), stamps=())
        self._refusal = ""
        if path is not None:
            self._read = _read(path, (path,))
            tls = self._read.config.tls
            self.tls = CurrentTls.of(tls) if tls else None
            self._obey()

    async def reload(self) -> None:
        """
        Read the file again and obey it; connections that are open stay so.

        Raises:
            ConfigError: it is refused; the old one goes on.
        """
        if self._path is None:
            return
        try:
            found = await asyncio.to_thread(_read, self._path, self._read.config.files)
            if bool(found.config.tls) != bool(self.tls):
                raise _needs_restart(self._path)
        except ConfigError as exc:
            self._tell(exc)
            raise
        self._read, self._refusal = found, ""
        if found.config.tls and self.tls:
            self.tls.current = found.config.tls
        self._obey()
        _log.info("web_config.reloaded", users=len(found.config.users))

    async def watch(
        self, reloads: Reloads, *, look_seconds: float = _LOOK_SECONDS
    ) -> None:
        """Read again, for ever, when one of the files changed, or was no good."""
        while True:
            await asyncio.sleep(look_seconds)
            seen = self._read
            stamps = await asyncio.to_thread(_stamps, seen.config.files)
            if stamps == seen.stamps and not self._refusal:
                continue
            try:
                await self.reload()
            except ConfigError:
                reloads.web_config_read(good=False)
            else:
                reloads.web_config_read(good=True)

    def _tell(self, exc: ConfigError) -> None:
        """Log why the file is refused, once for each reason."""
        if self._refusal != str(exc):
            self._refusal = str(exc)
            for problem in exc.problems:
                _log.error("web_config.refused", problem=str(problem))

    def _obey(self) -> None:
        """Do as what was read says from now on."""
        self.settings.apply(self._read.config)
        for note in self._read.config.notes:
            _log.warning("web_config.noted", note=note)


def _read(path: Path, files: tuple[Path, ...]) -> _Read:
    """Return what is at *path*, and stamps older than it of the *files* it reads."""
    while True:
        stamps = _stamps(files)
        config = load_web(path)
        if config.files == files:
            return _Read(config=config, stamps=stamps)
        files = config.files


def _needs_restart(path: Path) -> ConfigError:
    """Return that TLS can be neither begun nor ended while the daemon runs."""
    message = "TLS was added or taken away: restart the daemon for that"
    problem = Problem(
        file=str(path), line=1, column=1, path="tls_server_config", message=message
    )
    return ConfigError((problem,))


def _stamps(files: Iterable[Path]) -> tuple[_Stamp, ...]:
    """Return what changes when one of *files* does."""
    return tuple(map(_stamp, files))


def _stamp(path: Path) -> _Stamp:
    """Return what changes when the file at *path* does; None while there is none."""
    try:
        # Kubernetes swaps a symbolic link: this looks at what it points to.
        stat = path.stat()
    except OSError:
        return None
    return stat.st_mtime_ns, stat.st_size, stat.st_ino
