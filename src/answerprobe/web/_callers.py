"""Who may call, by the present configuration."""

from collections.abc import Sequence
from typing import Protocol

from answerprobe.config import ApiToken


class Callers(Protocol):
    """Who may call, by the present configuration."""

    @property
    def ready(self) -> bool:
        """Whether the daemon takes work."""
        ...

    @property
    def api_tokens(self) -> Sequence[ApiToken]:
        """The tokens."""
        ...

    @property
    def api_admins(self) -> frozenset[str] | None:
        """The web users who may change something; None: all of them."""
        ...


class Nobody:
    """What a door that serves no application yet knows of callers."""

    ready = False
    api_tokens: Sequence[ApiToken] = ()
    api_admins: frozenset[str] | None = None
