"""
The values of `format`, all of them really checked.

By jsonschema-rs, in microseconds whatever the text. The other library takes any text
with an `@` for a mail address, compiles patterns with `re`, parses IRIs in cubic time,
and for the rest wants ten more libraries, one of which takes a second to load.
"""

from collections.abc import Callable, Mapping

from jsonschema_rs import Draft202012Validator

from answerprobe.errors import CriterionError
from answerprobe.rules._pattern import Pattern


# No date or address is as long as this.
_LONGEST = 2048
_CHECKED = (
    "date",
    "date-time",
    "duration",
    "email",
    "hostname",
    "idn-email",
    "idn-hostname",
    "ipv4",
    "ipv6",
    "iri",
    "iri-reference",
    "json-pointer",
    "relative-json-pointer",
    "time",
    "uri",
    "uri-reference",
    "uri-template",
    "uuid",
)


def _check(name: str) -> Callable[[str], bool]:
    """Return the check of the format *name*."""
    return Draft202012Validator({"format": name}, validate_formats=True).is_valid


def _is_bare_email(text: str) -> bool:
    """Whether *text* is an address and nothing else."""
    # `Maria <maria@shop.io>` is a mailbox with a name, not an address.
    return "<" not in text and _is_email(text)


def _is_pattern(text: str) -> bool:
    """Whether RE2 can read *text*."""
    try:
        Pattern.compile(text)
    except CriterionError:
        return False
    return True


_is_email = _check("email")
FORMATS: Mapping[str, Callable[[str], bool]] = {
    **{name: _check(name) for name in _CHECKED},
    "email": _is_bare_email,
    "regex": _is_pattern,
}


def conforms(value: object, name: str) -> bool:
    """Whether *value* has the format *name*; what is no text has every format."""
    if not isinstance(value, str):
        return True
    if len(value) > _LONGEST:
        return False
    try:
        return FORMATS[name](value)
    except UnicodeEncodeError:  # half of a surrogate pair, which JSON can spell
        return False
