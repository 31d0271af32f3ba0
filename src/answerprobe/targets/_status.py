"""What a status that is not 2xx says."""

from collections.abc import Mapping
from urllib.parse import urlsplit

from answerprobe.errors import ReplyError
from answerprobe.sample import ErrorReason
from answerprobe.targets import _decode, _detail, _json
from answerprobe.targets._content import Content, failed
from answerprobe.targets._exchange import Head
from answerprobe.targets._reading import html_title


_REDIRECTS = range(300, 400)
_BAD_REQUEST = 400
_TOO_MANY_REQUESTS = 429
_MESSAGE_CHARACTERS = 120
_MESSAGES = ("message", "detail", "error_description", "title", "error", "msg")
_FILTER = "content_filter"
_FILTER_POLICY = "ResponsibleAIPolicyViolation"


def refused(head: Head) -> Content:
    """Return what a reply with the status of *head* comes to: hardly ever an answer."""
    if head.status in _REDIRECTS:
        return failed(ErrorReason.REDIRECT, _redirect(head))
    error = _error_of(head)
    if head.status == _BAD_REQUEST and _is_filter(error):
        return Content(filtered=True)
    limited = head.status == _TOO_MANY_REQUESTS
    detail = f"HTTP {head.status}"
    if limited and head.retry_after:
        detail += f", Retry-After {_detail.one_line(head.retry_after, 40)}"
    if message := _message(error):
        detail += f": {message}"
    reason = ErrorReason.RATE_LIMITED if limited else ErrorReason.HTTP_STATUS
    return failed(reason, detail)


def upstream_error(error: object) -> str:
    """Return the words for a reply that is an *error*, whatever its status says."""
    return _message(error) or "the reply is an error without a message"


def _redirect(head: Head) -> str:
    """Return where *head* leads, without the query: tokens are often in it."""
    try:
        parts = urlsplit(head.location)
        where = f"{parts.scheme}://{parts.hostname}" if parts.hostname else ""
        where += parts.path
    except ValueError:
        where = ""
    shown = _detail.one_line(where, 120) or "no usable location"
    return f"HTTP {head.status} to {shown}; redirects are not followed"


def _error_of(head: Head) -> object:
    """Return what the body of *head* says went wrong, None if it is no text."""
    try:
        document = _decode.decode(head.body, _decode.charset_of(head.content_type))
    except ReplyError:
        return None
    return error_in(document)


def error_in(document: str) -> object:
    """Return the `error` of a JSON text, else its object; else the text itself."""
    try:
        value = _json.parse(document)
    except ReplyError:
        start = document.lstrip()[:1]
        if start == "<":
            return html_title(document)
        return None if start in "{[" else document
    if isinstance(value, list) and value:
        value = value[0]
    if isinstance(value, Mapping):
        return value.get("error") or value
    return value


def _message(error: object) -> str:
    """Return the words in *error*."""
    if isinstance(error, Mapping):
        texts = (error.get(name) for name in _MESSAGES)
        error = next((t for t in texts if isinstance(t, str) and t.strip()), None)
    if isinstance(error, str):
        return _detail.one_line(error, _MESSAGE_CHARACTERS)
    return ""


def _is_filter(error: object) -> bool:
    """Whether *error* is that of a provider's content filter."""
    if not isinstance(error, Mapping):
        return False
    inner = error.get("innererror")
    inner_code = inner.get("code") if isinstance(inner, Mapping) else None
    return error.get("code") == _FILTER or inner_code == _FILTER_POLICY
