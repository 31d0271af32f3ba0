"""A monitor: a target, its cases, and when and how strictly it is watched."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from answerprobe.case import Case, CaseState
from answerprobe.connection import Connection
from answerprobe.tool import Tool


class TargetProtocol(StrEnum):
    """How to talk to a target."""

    CHAT = "chat"
    OPENAI = "openai"


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestShape:
    """
    chat: how a body is made.

    *message*, *session* and *history* name its fields (None: there is none), *extra*
    has further ones. *body* is a whole body instead, in which the texts "{{message}}",
    "{{session}}" and "{{history}}" stand for values. Both may hold Secrets.
    """

    message: str = "message"
    extra: Mapping[str, object] = field(default_factory=dict)
    session: str | None = None
    history: str | None = None
    body: object = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ResponseShape:
    """chat: JMESPath expressions to the answer, usage and tool calls in the reply."""

    answer: str | None = None
    usage: str | None = None
    tool_calls: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetSettings:
    """
    An agent and how to ask it. The keys of openai are None or False with chat.

    *tools* are those that answerprobe offers it, and answers.
    """

    protocol: TargetProtocol
    connection: Connection
    stream: bool = False
    model: str | None = None
    system_prompt: str | None = None
    temperature: float | None = None
    max_tokens: int | None = None
    request: RequestShape = field(default_factory=RequestShape)
    response: ResponseShape = ResponseShape()
    tools: tuple[Tool, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """Dollars per million tokens."""

    input_dollars: float
    output_dollars: float

    def cost_dollars(self, input_tokens: int, output_tokens: int) -> float:
        """Return what so many tokens cost."""
        spent = input_tokens * self.input_dollars + output_tokens * self.output_dollars
        return spent / 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Canary:
    """A question, an answer and a rubric whose verdict is known: *passes*."""

    question: str
    answer: str
    rubric: str
    passes: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeSettings:
    """A grading model. *timeout_seconds*: wall clock, per attempt. *votes*: odd."""

    name: str
    connection: Connection
    model: str
    timeout_seconds: float = 30.0
    attempts: int = 3
    max_tokens: int = 1024
    votes: int = 1
    price: Price | None = None
    canaries: tuple[Canary, ...] | None = None
    calibrate_seconds: float = 86400.0


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedUserSettings:
    """The model that plays users. *timeout_seconds*: wall clock, for each message."""

    connection: Connection
    model: str
    timeout_seconds: float = 30.0
    price: Price | None = None


class AnswerStorage(StrEnum):
    """What is kept of answers."""

    REDACTED = "redacted"
    NONE = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class Retention:
    """How long texts of passing and of failing samples are kept."""

    passes_seconds: float
    failures_seconds: float


COMPARE_AFTER_RUNS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Monitor:
    """
    One configured watch.

    *cases* are those that count: all but dry runs ask only these. *uncounted* are the
    drafts and, where they are still in the file, the retired ones. *every_seconds* is
    None for `every: manual`, and where no case counts. *token_budget* is a month's
    (UTC), all roles; None is unlimited. *compare_after_runs*: so many runs after a
    deploy, the version is compared with what was before. *definition* is a fingerprint
    of everything written of it: two monitors with the same one are the same monitor
    unchanged.
    """

    name: str
    target: TargetSettings
    cases: tuple[Case, ...]
    labels: Mapping[str, str]
    every_seconds: float | None
    target_pass_ratio: float
    judge: str
    retention: Retention
    definition: str
    answers: AnswerStorage = AnswerStorage.REDACTED
    alert_answers: bool = True
    confirm_seconds: float = 30.0
    price: Price | None = None
    token_budget: int | None = None
    compare_after_runs: int = COMPARE_AFTER_RUNS
    uncounted: tuple[Case, ...] = ()

    @property
    def drafts(self) -> tuple[Case, ...]:
        """Its cases that nobody accepted yet: only dry runs ask them."""
        return tuple(case for case in self.uncounted if case.state is CaseState.DRAFT)

    @property
    def known(self) -> tuple[Case, ...]:
        """All of its cases, in whatever state."""
        return (*self.cases, *self.uncounted)

    @property
    def askable(self) -> tuple[Case, ...]:
        """Its cases that any run may ask."""
        return (*self.cases, *self.drafts)

    @property
    def second_look_after_seconds(self) -> float:
        """
        How long bad news wait for a second look; 0 where they count at once.

        At most half of the interval, whatever *confirm_seconds* says: the next
        scheduled run is not to be skipped for it.
        """
        if self.every_seconds is None:
            return self.confirm_seconds
        return min(self.confirm_seconds, self.every_seconds / 2)

    @property
    def samples(self) -> int:
        """How many samples one full run has."""
        return sum(case.samples for case in self.cases)

    @property
    def within_seconds(self) -> float:
        """The longest deadline of its cases; 0 where none counts."""
        return max((case.within_seconds for case in self.cases), default=0.0)
