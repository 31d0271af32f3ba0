"""
Everything answerprobe raises on purpose.

AnswerprobeError
├── ConfigError         the configuration is wrong; carries every problem found
├── AppendError         a case cannot be put into a file without changing more of it
├── ImportRefused       another tool's configuration cannot be read at all
├── NoDraft             a model's reply holds no case that could be used
├── LockError           accept, amend or retire is refused, or cannot be written down
├── CriterionError      one criterion of a case is wrong; the loader adds the position
├── SecretError         a secret that is referred to cannot be had
├── ReplyError          the target's reply is unusable; `reason` says how
├── NoVerdict           a judge's reply holds no verdict, or more than one
├── NoUtterance         a simulated user's reply that cannot be used
├── LlmError            a call to an OpenAI-compatible API failed; `fault` says how
├── StoreError          the evidence store failed
│   ├── StoreDamaged    the file is no usable database; never deleted by us
│   ├── StoreInUse      another daemon has the file
│   └── StoreUnavailable  locked, full, unreachable: may pass
├── ClaimLost           another replica may do this run now
├── RecordedError       recorded answers cannot be read; names the line
├── ShippedError        rules and dashboards are not where they are shipped
├── ListenError         the daemon cannot listen where it was told to
└── RequestError        a caller asked for something that is not there or not possible
"""

from dataclasses import dataclass
from enum import StrEnum


class AnswerprobeError(Exception):
    """The root: a failure we expected and can explain in one line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One thing wrong in a configuration file, with where it stands."""

    file: str
    line: int
    column: int
    path: str
    message: str

    def __str__(self) -> str:
        where = f"{self.file}:{self.line}:{self.column}"
        return (
            f"{where}: {self.path}: {self.message}"
            if self.path
            else f"{where}: {self.message}"
        )


class ConfigError(AnswerprobeError):
    """A configuration that is refused, with all its problems in file order."""

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        super().__init__("\n".join(map(str, problems)))
        self.problems = problems


class AppendError(AnswerprobeError):
    """A case cannot be put into a file without touching anything else of it."""


class ImportRefused(AnswerprobeError):
    """Another tool's configuration cannot be read, or nothing of it can be kept."""


class NoDraft(AnswerprobeError):
    """A model's reply holds no case that could be used; the words say why."""


class LockError(AnswerprobeError):
    """What was accepted cannot be changed like this, or not be written down."""


class CriterionError(AnswerprobeError):
    """A criterion's value is wrong; *path* leads from the value to the culprit."""

    def __init__(self, message: str, path: tuple[str | int, ...] = ()) -> None:
        super().__init__(message)
        self.message = message
        self.path = path


class SecretError(AnswerprobeError):
    """A secret is missing or empty; *name* says which."""

    def __init__(self, name: str, message: str) -> None:
        super().__init__(message)
        self.name = name


class ReplyError(AnswerprobeError):
    """The target gave no usable answer; *reason* is one of sample.ErrorReason."""

    def __init__(self, reason: StrEnum, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason
        self.detail = detail


class NoVerdict(AnswerprobeError):
    """A judge's reply holds no verdict, or not exactly one."""


class LlmFault(StrEnum):
    """How a call to an OpenAI-compatible API failed."""

    UNREACHABLE = "unreachable"
    INVALID = "invalid"
    REFUSED = "refused"
    TRUNCATED = "truncated"


class LlmError(AnswerprobeError):
    """
    A call to an OpenAI-compatible API gave nothing usable.

    *permanent*: asking again cannot help. *retry_after_seconds*: what the server asked
    us to wait, if it said so. *unsupported*: the parameter that the server does not
    take. *input_tokens*, *output_tokens*: what the call cost even so, *estimated* where
    the API did not tell.
    """

    def __init__(  # noqa: PLR0913  each is a fact that some caller acts on
        self,
        fault: LlmFault,
        message: str,
        *,
        permanent: bool = False,
        retry_after_seconds: float | None = None,
        unsupported: str | None = None,
        input_tokens: int = 0,
        output_tokens: int = 0,
        estimated: bool = False,
    ) -> None:
        super().__init__(message)
        self.fault = fault
        self.permanent = permanent
        self.retry_after_seconds = retry_after_seconds
        self.unsupported = unsupported
        self.input_tokens = input_tokens
        self.output_tokens = output_tokens
        self.estimated = estimated


class NoUtterance(AnswerprobeError):
    """A simulated user's reply that cannot be used; the words say why."""


class StoreError(AnswerprobeError):
    """The evidence store could not do what was asked."""


class StoreDamaged(StoreError):
    """The file at the storage URL is no usable database."""


class StoreInUse(StoreError):
    """Another daemon holds the same SQLite file."""


class StoreUnavailable(StoreError):
    """The store is locked, full or unreachable; it may come back."""


class ClaimLost(AnswerprobeError):
    """What was done under a claim came too late and does not count."""


class RecordedError(AnswerprobeError):
    """Recorded answers cannot be read; the message has the number of the line."""


class RequestError(AnswerprobeError):
    """
    What a caller asked for is refused; *status* is the HTTP status that says so.

    *retry_after_seconds*: when it is worth trying again, if that is known.
    """

    def __init__(
        self, status: int, message: str, *, retry_after_seconds: float | None = None
    ) -> None:
        super().__init__(message)
        self.status = status
        self.retry_after_seconds = retry_after_seconds


class ShippedError(AnswerprobeError):
    """What is shipped beside the code is not there."""


class ListenError(AnswerprobeError):
    """The address to listen on is no address, or cannot be had."""
