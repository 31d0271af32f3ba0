"""A chat completion of an OpenAI-compatible API, and what it says."""

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

from answerprobe.sample import ErrorReason, Failure
from answerprobe.targets import _calls, _citations, _detail, _status
from answerprobe.targets._content import NO_CLAIM, Claim, Content, failed
from answerprobe.targets._reading import fields


# What other providers' gateways call OpenAI's "length".
_CUT = frozenset({"length", "max_tokens", "model_length"})
_FILTERED = "content_filter"
# What gateways and some APIs say where a model broke down on the way.
_BROKEN = "error"
_TEXT_PARTS = frozenset({"text", "output_text"})
_REASONING_FIELDS = ("reasoning_content", "reasoning")


def read(document: object) -> Content:
    """Return what *document*, a chat completion, says."""
    if not isinstance(document, Mapping):
        what = _detail.name_type(document)
        return failed(ErrorReason.NO_ANSWER, f"the reply is {what}, no object")
    claim = claim_of(document.get("usage"))
    choice = first_choice(document)
    error = document.get("error")
    if error and (choice is None or _is_first(document, "error", "choices")):
        detail = _status.upstream_error(error)
        return failed(ErrorReason.UPSTREAM_ERROR, detail, claim=claim)
    if choice is None:
        return failed(ErrorReason.NO_ANSWER, _no_choice(document), claim=claim)
    message = choice.get("message")
    if not isinstance(message, Mapping):
        return failed(ErrorReason.NO_ANSWER, "choices[0] has no message", claim=claim)
    content = _of_message(message, choice.get("finish_reason"))
    citations = _citations.merged(content.citations, _citations.in_document(document))
    return replace(
        content,
        citations=citations,
        claim=claim,
        model=model_of(document),
        document=document,
    )


def claim_of(usage: object) -> Claim:
    """Return what *usage* claims."""
    if not isinstance(usage, Mapping):
        return NO_CLAIM
    return Claim(usage.get("prompt_tokens"), usage.get("completion_tokens"))


def model_of(document: Mapping[str, object]) -> str | None:
    """Return the model that says to have answered."""
    model = document.get("model")
    return _detail.one_line(model) if isinstance(model, str) and model else None


def first_choice(document: Mapping[str, object]) -> Mapping[str, object] | None:
    """Return the choice with index 0, which is the answer."""
    choices = document.get("choices")
    for choice in choices if isinstance(choices, list) else ():
        if isinstance(choice, Mapping) and choice.get("index", 0) in (0, None):
            return choice
    return None


def finish(content: Content, finish_reason: object) -> Content:
    """Return *content* with what *finish_reason* says of it."""
    reason = finish_reason.lower() if isinstance(finish_reason, str) else ""
    if reason == _FILTERED:
        return replace(content, filtered=True)
    if reason == _BROKEN:
        detail = "the model failed on the way: finish_reason error"
        failure = Failure(reason=ErrorReason.UPSTREAM_ERROR, detail=detail)
        return replace(content, failure=failure)
    if reason in _CUT:
        return replace(content, cut=f"the answer is cut: finish_reason {reason}")
    return content


def _of_message(message: Mapping[str, object], finish_reason: object) -> Content:
    """Return what *message* says."""
    value = message.get("content")
    given = _calls.in_message(message)
    reasoning = reasoning_of(message)
    refusal = message.get("refusal")
    content = Content(
        text=text_of(value),
        reasoning=reasoning.text,
        reasoning_field=reasoning.field,
        tool_calls=_calls.read(given),
        given=given,
        citations=_citations.in_annotations(message),
        refusal=refusal if isinstance(refusal, str) and refusal.strip() else None,
        blank="content is null" if value is None else "content is blank",
    )
    content = finish(content, finish_reason)
    has_text = "content" in message and _is_text(value)
    is_over = content.filtered or content.cut or content.failure
    if has_text or given or content.refusal or is_over:
        return content
    if "content" in message:
        what = f"content is {_detail.name_type(value)}, no text"
    else:
        what = f"the message has no content; its fields: {fields(message)}"
    return failed(ErrorReason.NO_ANSWER, what)


def _is_text(value: object) -> bool:
    """Whether *value* is of a type that `content` may have; null is one."""
    return value is None or isinstance(value, str | list)


def text_of(value: object) -> str:
    """Return the text of a `content`, or of its text parts in order."""
    if isinstance(value, str):
        return value
    if not isinstance(value, list):
        return ""
    return "".join(_of_part(part) for part in value)


def _of_part(part: object) -> str:
    """Return the text of one *part* of a content, if it is text."""
    if isinstance(part, str):
        return part
    if not isinstance(part, Mapping) or part.get("type") not in _TEXT_PARTS:
        return ""
    words = part.get("text")
    return words if isinstance(words, str) else ""


class Reasoning(NamedTuple):
    """What a model thought, and the field of its own that it came in."""

    field: str = ""
    text: str = ""


_NO_REASONING = Reasoning()


def reasoning_of(message: Mapping[str, object]) -> Reasoning:
    """Return the reasoning that stands in a field of its own."""
    for name in _REASONING_FIELDS:
        value = message.get(name)
        if isinstance(value, str) and value:
            return Reasoning(name, value)
    return _NO_REASONING


def _is_first(document: Mapping[str, object], one: str, other: str) -> bool:
    """Whether field *one* stands before *other*."""
    names = list(document)
    return names.index(one) < names.index(other)


def _no_choice(document: Mapping[str, object]) -> str:
    """Return the words for a *document* without a choice."""
    if "choices" not in document:
        return f"the reply has no choices; its fields: {fields(document)}"
    choices = document["choices"]
    if choices == []:
        return "choices is empty"
    return f"choices is {_detail.name_type(choices)} without an answer"
