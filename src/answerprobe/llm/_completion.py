"""What a model's server sent, read without trusting any of it."""

import json

from collections.abc import Mapping
from dataclasses import dataclass

from answerprobe.errors import LlmError, LlmFault
from answerprobe.sample import TokenUsage, estimate_tokens
from answerprobe.text import one_line, scrub


# No model takes or gives this much at once; a server that says so counts wrongly.
_MOST_TOKENS = 10_000_000
_LONGEST_MODEL_NAME = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """
    What a model said.

    *text* is empty where it said nothing. *model* is its name as the server reported
    it, None where it did not. *tool_calls* are the JSON values as they came.
    """

    text: str
    usage: TokenUsage
    model: str | None = None
    finish_reason: str | None = None
    refusal: str | None = None
    tool_calls: tuple[object, ...] = ()


def read_completion(body: bytes, *, prompt_tokens: int) -> Completion:
    """
    Return the completion in *body*; *prompt_tokens* is our estimate of what was sent.

    Raises:
        LlmError: it is no chat completion; `INVALID`, with what it seems to have cost.
    """
    document = _parsed(body)
    usage = _usage(document)
    choice = _first(document.get("choices"))
    message = choice.get("message") if choice else None
    if choice is None or not isinstance(message, Mapping):
        spent = usage or TokenUsage(input_tokens=prompt_tokens, estimated=True)
        raise LlmError(
            LlmFault.INVALID,
            _without_choices(document),
            input_tokens=spent.input_tokens,
            output_tokens=spent.output_tokens,
            estimated=spent.estimated,
        )
    text = _text(message.get("content"))
    calls = message.get("tool_calls")
    return Completion(
        text=text,
        usage=usage
        or TokenUsage(
            input_tokens=prompt_tokens,
            output_tokens=estimate_tokens(text),
            estimated=True,
        ),
        model=_model(document.get("model")),
        finish_reason=_said(choice.get("finish_reason")),
        refusal=_said(message.get("refusal")),
        tool_calls=tuple(calls) if isinstance(calls, list) else (),
    )


def _parsed(body: bytes) -> Mapping[str, object]:
    """Return the JSON object in *body*; an empty one where there is none."""
    try:
        document = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return document if isinstance(document, dict) else {}


def _first(choices: object) -> Mapping[str, object] | None:
    """Return the first choice if it is one."""
    if isinstance(choices, list) and choices and isinstance(choices[0], dict):
        return choices[0]
    return None


def _without_choices(document: Mapping[str, object]) -> str:
    """Say what came instead of a completion."""
    if not document:
        return "the server's reply is no JSON object"
    if document.get("error"):
        return "the server replied with HTTP 200 and an error"
    return "the server's reply holds no message"


def _text(content: object) -> str:
    """Return the text of a message, which may come in parts."""
    if isinstance(content, str):
        return scrub(content)
    if isinstance(content, list):
        texts = (part.get("text") for part in content if isinstance(part, dict))
        return scrub("".join(text for text in texts if isinstance(text, str)))
    return ""


def _said(value: object) -> str | None:
    """Return *value* if it is a text that says something."""
    return value if isinstance(value, str) and value.strip() else None


def _model(value: object) -> str | None:
    """Return the model's name, fit to be shown."""
    name = _said(value)
    return one_line(name, _LONGEST_MODEL_NAME) if name else None


def _usage(document: Mapping[str, object]) -> TokenUsage | None:
    """Return what the server counted; None where it did not, or not credibly."""
    counted = document.get("usage")
    if not isinstance(counted, dict):
        return None
    tokens = counted.get("prompt_tokens"), counted.get("completion_tokens")
    match tokens:
        case int(sent), int(received) if all(map(_is_count, tokens)):
            return TokenUsage(input_tokens=sent, output_tokens=received)
        case _:
            return None


def _is_count(value: object) -> bool:
    """Whether *value* can be a number of tokens; True is not 1."""
    return type(value) is int and 0 <= value <= _MOST_TOKENS
