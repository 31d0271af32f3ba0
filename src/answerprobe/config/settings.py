"""What a configuration file says, checked and with its defaults filled in."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from answerprobe.config.written import Written
from answerprobe.monitor import JudgeSettings, Monitor, SimulatedUserSettings
from answerprobe.secret import Secret


class Scope(StrEnum):
    """What the bearer of an API token may do."""

    READ = "read"
    DEPLOYS = "deploys"
    RUNS = "runs"
    PAUSE = "pause"
    RELOAD = "reload"


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiToken:
    """A named caller of the API."""

    name: str
    token: Secret
    scopes: frozenset[Scope] = frozenset(Scope)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How many samples (*judge*: requests to judges) may be under way at once."""

    in_flight: int = 64
    per_monitor: int = 5
    per_host: int = 16
    judge: int = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """
    A configuration file as it is meant.

    *sha256* is that of the file's bytes. *judges* has those that are configured, and
    the implied `default` where a criterion needs it; a monitor without judged criteria
    may name a judge that is not there. *simulated_user* is there where a case is a
    conversation. *token_budget* is a month's, for everything together; None is
    unlimited. *api_admins* are the web users who may POST; None is all of them.
    *written* is what the file says, to be shown.
    """

    path: Path
    sha256: str
    monitors: tuple[Monitor, ...]
    judges: Mapping[str, JudgeSettings]
    limits: Limits = Limits()
    token_budget: int | None = None
    api_tokens: tuple[ApiToken, ...] = ()
    api_admins: frozenset[str] | None = None
    simulated_user: SimulatedUserSettings | None = None
    written: Written = field(default_factory=Written, compare=False)
