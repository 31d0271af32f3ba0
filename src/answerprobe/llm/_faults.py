"""What a server means by an HTTP error."""

import re

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from email.utils import parsedate_to_datetime

from answerprobe.errors import LlmFault
from answerprobe.text import one_line


RESPONSE_FORMAT = "response_format"
TEMPERATURE = "temperature"
MAX_TOKENS = "max_tokens"

_BAD_REQUESTS = (400, 422)
_MAY_PASS = (408, 429)
_LONGEST_MESSAGE = 200
# A server may quote the whole request in its error: what it is about stands in front.
_TELLING_CHARACTERS = 500
# Parameter -> what an error says that is about it.
_ABOUT = {
    RESPONSE_FORMAT: re.compile(
        r"response_?format|json_?schema|structured.outputs?", re.IGNORECASE
    ),
    MAX_TOKENS: re.compile(r"max_completion_tokens"),
    TEMPERATURE: re.compile(r"temperature", re.IGNORECASE),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """A reply with an HTTP status that is no success; *error* is what JSON it held."""

    status: int
    error: object

    @property
    def fault(self) -> LlmFault:
        """Whether the provider's content filter stepped in, or it was not to be had."""
        codes = {self._field("code"), self._field("type")}
        if self.status in _BAD_REQUESTS and "content_filter" in codes:
            return LlmFault.REFUSED
        return LlmFault.UNREACHABLE

    @property
    def permanent(self) -> bool:
        """Whether the same request would meet the same error again."""
        return self.status < 500 and self.status not in _MAY_PASS

    def message(self, scrub: Callable[[str], str]) -> str:
        """Return one line for the person on call; *scrub* takes secrets out of it."""
        said = scrub(self._said[: 100 * _LONGEST_MESSAGE])
        said = one_line(said, _LONGEST_MESSAGE)
        return f"HTTP {self.status}: {said}" if said else f"HTTP {self.status}"

    @property
    def unsupported(self) -> str | None:
        """The parameter of ours that the server does not take, if that is why."""
        if self.status not in _BAD_REQUESTS:
            return None
        named = self._field("param") or self._location
        telling = self._said[:_TELLING_CHARACTERS]
        if named.startswith(MAX_TOKENS):
            return MAX_TOKENS if _ABOUT[MAX_TOKENS].search(telling) else None
        for text in (named, telling):
            for parameter, about in _ABOUT.items():
                if about.search(text):
                    return parameter
        return None

    @property
    def _said(self) -> str:
        """The error's own words; nothing of a body that is no JSON (a proxy's page)."""
        if isinstance(self.error, Mapping):
            first = self._first_detail
            return (
                self._field("message") or self._field("detail") or _text(first, "msg")
            )
        return ""

    @property
    def _location(self) -> str:
        """The parameter that a validation error points at: `body.response_format`."""
        detail = self._first_detail
        where = detail.get("loc") if isinstance(detail, Mapping) else None
        return str(where[-1]) if isinstance(where, list) and where else ""

    @property
    def _first_detail(self) -> object:
        """The first of the errors a validating server lists, as FastAPI's do."""
        if not isinstance(self.error, Mapping):
            return None
        details = self.error.get("detail")
        return details[0] if isinstance(details, list) and details else None

    def _field(self, name: str) -> str:
        """Return the error's text under *name*; empty where there is none."""
        return _text(self.error, name)


def _text(value: object, name: str) -> str:
    """Return the text under *name* of a JSON object; empty where there is none."""
    found = value.get(name) if isinstance(value, Mapping) else None
    return found if isinstance(found, str) else ""


def retry_after_seconds(
    value: str | None, date: str | None, now: datetime
) -> float | None:
    """
    Return how long the header Retry-After asks to wait; None if it doesn't.

    It holds seconds or an instant; an instant is measured against the server's own
    *date* where it gave one, so that clocks need not agree.
    """
    if value is None:
        return None
    if re.fullmatch(r"\s*\d{1,9}(?:\.\d{1,9})?\s*", value, re.ASCII):
        return float(value)
    until, since = _instant(value), _instant(date) or now
    if until is None:
        return None
    return max((until - since) / timedelta(seconds=1), 0.0)


def _instant(value: str | None) -> datetime | None:
    """Return the instant an HTTP date names, if it is one."""
    if value is None:
        return None
    try:
        found = parsedate_to_datetime(value)
    except ValueError:
        return None
    return found if found.tzinfo else None
