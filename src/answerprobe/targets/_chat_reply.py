"""What a reply of a simple chat endpoint says."""

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

import jmespath

from jmespath.exceptions import JMESPathError
from jmespath.parser import ParsedResult

from answerprobe import text
from answerprobe.monitor import ResponseShape
from answerprobe.sample import ErrorReason, ToolCall
from answerprobe.targets import _calls, _citations, _detail, _status
from answerprobe.targets._content import NO_CLAIM, Claim, Content, failed
from answerprobe.targets._reading import fields


ANSWER_FIELDS = (
    "answer", "message", "reply", "response", "output", "text", "content",
)  # fmt: skip


class Paths(NamedTuple):
    """Where answer, usage and tool calls are, if the monitor says so."""

    answer: ParsedResult | None = None
    usage: ParsedResult | None = None
    tool_calls: ParsedResult | None = None

    @classmethod
    def of(cls, shape: ResponseShape) -> "Paths":
        """Return the expressions of *shape*, compiled."""
        paths = (shape.answer, shape.usage, shape.tool_calls)
        return cls(*(_compiled(path) for path in paths))


NO_PATHS = Paths()


def read(document: object, message: str, paths: Paths = NO_PATHS) -> Content:
    """Return what *document*, the reply to *message*, says."""
    claim = claim_of(document, paths)
    calls = calls_of(document, paths)
    if paths.answer is not None:
        found = find(paths.answer, document)
        content = _mapped(found, document)
    elif isinstance(document, Mapping):
        content = _answer(document, message)
    else:
        what = _detail.name_type(document)
        content = failed(ErrorReason.NO_ANSWER, f"the reply is {what}, no object")
    if content.failure is not None:
        is_answer = calls and content.failure.reason is ErrorReason.EMPTY_ANSWER
        failure = None if is_answer else content.failure
        return replace(content, failure=failure, tool_calls=calls, claim=claim)
    citations = (
        _citations.in_document(document) if isinstance(document, Mapping) else ()
    )
    return Content(
        text=content.text,
        blank=content.blank,
        tool_calls=calls,
        citations=citations,
        claim=claim,
        document=document,
        source=content.source,
    )


def _answer(document: Mapping[str, object], message: str) -> Content:
    """Return the first field of *document* that can be the answer."""
    for name in ANSWER_FIELDS:
        value = document.get(name)
        if _is_answer(value, message):
            if is_error_before(document, name):
                break
            return Content(text=str(value), source=_source(document, name))
    if error := document.get("error"):
        return failed(ErrorReason.UPSTREAM_ERROR, _status.upstream_error(error))
    return _without_answer(document)


def _is_answer(value: object, message: str) -> bool:
    """Whether *value* says something, and more than *message* itself."""
    return (
        isinstance(value, str)
        and not text.is_blank(value)
        and value.strip() != message.strip()
    )


def _source(document: Mapping[str, object], found: str) -> str:
    """Return that the field *found* was read, and why those before it were not."""
    passed = [
        f"field {name} {_unfit(document[name])}"
        for name in ANSWER_FIELDS[: ANSWER_FIELDS.index(found)]
        if name in document
    ]
    return "; ".join([f"field {found}", *passed])


def _is_blank(value: object) -> bool:
    """Whether *value* is an answer that says nothing."""
    return value is None or (isinstance(value, str) and text.is_blank(value))


def _unfit(value: object) -> str:
    """Return why *value*, which is no answer, is none."""
    if isinstance(value, str):
        return "is blank" if text.is_blank(value) else "only echoes the question"
    what = _detail.name_type(value)
    return f"is {what}" if value is None else f"is {what}, no text"


def is_error_before(document: Mapping[str, object], name: str) -> bool:
    """Whether *document* is an error first: `{"error": true, "message": …}`."""
    if not document.get("error"):
        return False
    names = list(document)
    return names.index("error") < names.index(name)


def _without_answer(document: Mapping[str, object]) -> Content:
    """Return the failure of a *document* that has no usable answer."""
    found = [name for name in ANSWER_FIELDS if name in document]
    blank = [name for name in found if _is_blank(document[name])]
    if blank or found:
        name = (blank or found)[0]
        reason = ErrorReason.EMPTY_ANSWER if blank else ErrorReason.NO_ANSWER
        return failed(reason, f"field {name} {_unfit(document[name])}")
    wanted = ", ".join(ANSWER_FIELDS)
    detail = f"none of {wanted} in the reply; its fields: {fields(document)}"
    return failed(ErrorReason.NO_ANSWER, detail)


def _mapped(found: object, document: object) -> Content:
    """Return the content where `response.answer` found *found* in *document*."""
    if isinstance(found, str):
        blank = "what response.answer finds is blank"
        return Content(text=found, blank=blank, source="response.answer")
    error = document.get("error") if isinstance(document, Mapping) else None
    if error:
        return failed(ErrorReason.UPSTREAM_ERROR, _status.upstream_error(error))
    what = "nothing" if found is None else f"{_detail.name_type(found)}, no text"
    return failed(ErrorReason.NO_ANSWER, f"response.answer finds {what}")


def claim_of(document: object, paths: Paths) -> Claim:
    """Return the usage that `response.usage` finds in *document*."""
    usage = None if paths.usage is None else find(paths.usage, document)
    if not isinstance(usage, Mapping):
        return NO_CLAIM
    return Claim(usage.get("prompt_tokens"), usage.get("completion_tokens"))


def calls_of(document: object, paths: Paths) -> tuple[ToolCall, ...]:
    """Return the tool calls that `response.tool_calls` finds in *document*."""
    if paths.tool_calls is None:
        return ()
    return _calls.reported(find(paths.tool_calls, document))


def _compiled(path: str | None) -> ParsedResult | None:
    """Return *path* compiled, if there is one."""
    return None if path is None else jmespath.compile(path)


def find(path: ParsedResult, document: object) -> object:
    """Return what *path* finds in *document*: nothing where it does not apply."""
    try:
        found: object = path.search(document)
    except JMESPathError:
        return None
    return found
