"""What came back from a target, and one exchange with it as criteria see it."""

from dataclasses import dataclass, field
from enum import StrEnum


class ErrorReason(StrEnum):
    """Why no usable answer came. A closed set: it is a metric's label."""

    TIMEOUT = "timeout"
    CONNECT = "connect"
    DNS = "dns"
    TLS = "tls"
    DISCONNECTED = "disconnected"
    INCOMPLETE_BODY = "incomplete_body"
    BAD_HTTP = "bad_http"
    BODY_TOO_LARGE = "body_too_large"
    DECODE = "decode"
    NOT_JSON = "not_json"
    NO_ANSWER = "no_answer"
    EMPTY_ANSWER = "empty_answer"
    HTTP_STATUS = "http_status"
    RATE_LIMITED = "rate_limited"
    REDIRECT = "redirect"
    UPSTREAM_ERROR = "upstream_error"
    TRUNCATED = "truncated"


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """Why a sample is an error, for the program and in words for a person."""

    reason: ErrorReason
    detail: str


class TokenRole(StrEnum):
    """Who spent tokens."""

    AGENT = "agent"
    JUDGE = "judge"
    SIMULATED_USER = "simulated_user"


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenUsage:
    """Tokens spent; *estimated* where the API told nothing credible."""

    input_tokens: int = 0
    output_tokens: int = 0
    estimated: bool = False

    @property
    def total(self) -> int:
        """Input and output together."""
        return self.input_tokens + self.output_tokens

    def __add__(self, other: "TokenUsage") -> "TokenUsage":
        """Return both together; estimated where a part is."""
        return TokenUsage(
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            estimated=self.estimated or other.estimated,
        )


# English text runs at about four characters a token in the common tokenizers
# (OpenAI's own rule of thumb, help.openai.com "What are tokens and how to count them").
_CHARACTERS_PER_TOKEN = 4
# What nobody can know beforehand: the answer of a support agent is some hundred words,
# what its users write a sentence or two, and a verdict one.
ANSWER_TOKENS = 150
MESSAGE_TOKENS = 40
VERDICT_TOKENS = 60
# An agent with tools calls one of them for most questions, and is asked anew.
REQUESTS_WITH_TOOLS = 2


def estimate_tokens(*texts: str) -> int:
    """Return about how many tokens *texts* are, at least one for any text."""
    return sum(-(-len(text) // _CHARACTERS_PER_TOKEN) for text in texts)


class ToolSource(StrEnum):
    """Who answered a tool call."""

    MOCKED = "mocked"
    LIVE = "live"
    AGENT = "agent"


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """
    A tool the agent called: what was sent and what came back (JSON values).

    *arguments* are a text where they were no JSON. *call_id* is the API's, which the
    result must name.
    """

    name: str
    arguments: object
    result: object = None
    error: str | None = None
    source: ToolSource = ToolSource.AGENT
    call_id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """
    Everything the target sent for one message.

    *answer* is the text without reasoning, empty where none came; *failure* says why.
    *citations* are the structured ones of the API (URLs or titles). *refusal* is the
    text of the API's refusal field; *filtered*: the provider's content filter stepped
    in. *document* is the parsed JSON body, for rules that look at a field of it.
    """

    answer: str
    duration_seconds: float
    failure: Failure | None = None
    first_token_seconds: float | None = None
    usage: TokenUsage = TokenUsage()
    model: str | None = None
    reasoning: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    citations: tuple[str, ...] = ()
    refusal: str | None = None
    filtered: bool = False
    document: object = field(default=None, repr=False)


class Speaker(StrEnum):
    """Whose turn it was."""

    USER = "user"
    AGENT = "agent"


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One message of an exchange."""

    speaker: Speaker
    text: str
    tool_calls: tuple[ToolCall, ...] = ()
    duration_seconds: float | None = None


class Termination(StrEnum):
    """Why a conversation ended. A closed set: a metric's label."""

    USER_DONE = "user_done"
    MAX_TURNS = "max_turns"
    AGENT_ERROR = "agent_error"
    USER_ERROR = "user_error"
    TIMEOUT = "timeout"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """
    One exchange with a target, as criteria see it; *reply* is the last one.

    *termination* is None for a single question. *replies* are those that ended the
    agent's turns, one for each; empty where only the last is known.
    """

    turns: tuple[Turn, ...]
    reply: Reply
    termination: Termination | None = None
    replies: tuple[Reply, ...] = ()

    @property
    def tool_calls(self) -> tuple[ToolCall, ...]:
        """Every call of the whole exchange, in order."""
        return tuple(call for turn in self.turns for call in turn.tool_calls)

    @property
    def question(self) -> str:
        """What the user said first."""
        return next((t.text for t in self.turns if t.speaker is Speaker.USER), "")

    @property
    def answer(self) -> str:
        """The text of the last reply."""
        return self.reply.answer

    @property
    def duration_seconds(self) -> float:
        """How long the last reply took, from the start of connecting."""
        return self.reply.duration_seconds


def asked_once(question: str, reply: Reply) -> Sample:
    """Return the sample of a single *question* and its *reply*."""
    return Sample(
        turns=(
            Turn(speaker=Speaker.USER, text=question),
            Turn(
                speaker=Speaker.AGENT,
                text=reply.answer,
                tool_calls=reply.tool_calls,
                duration_seconds=reply.duration_seconds,
            ),
        ),
        reply=reply,
    )
