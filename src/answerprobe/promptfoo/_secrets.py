"""Keys that stand in a configuration: named in the result, never copied."""

import re

from collections.abc import Mapping

from answerprobe.promptfoo._source import Item, Notes
from answerprobe.promptfoo._template import fill, without_environment


_SENSITIVE = re.compile(
    r"(?:^|[-_.])(?:auth|authorization|cookie|token|secret|password|passwd|credential"
    r"|signature|(?:api|access|private|auth)key)s?$|[-_.]keys?$",
    re.IGNORECASE,
)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_NOT_NAME = re.compile(r"[^A-Z0-9]+")
_BEARER = re.compile(r"(bearer|basic|token)\s+(\S.*)", re.IGNORECASE)
_SCHEME = re.compile(r"^\s*(?:bearer|basic|token)\s", re.IGNORECASE)
_WORD = re.compile(r"\w")
# What a key looks like wherever it stands.
_KEY = re.compile(
    r"\b(?:sk|pk|rk|ghp|gho|xox[abp]|AKIA|AIza|eyJ)[-_A-Za-z0-9.]{16,}|\bglpat-[\w-]{16,}"
)


def is_sensitive(name: str) -> bool:
    """Whether what is called *name* is likely a key."""
    return bool(_SENSITIVE.search(_CAMEL.sub("_", name)))


def has_key(text: str) -> bool:
    """Whether something in *text* looks like a key."""
    return bool(_KEY.search(text))


def without_keys(text: str, instead: str) -> str:
    """Return *text* with *instead* in place of what looks like a key."""
    return _KEY.sub(instead, text)


def _has_key(name: str, literal: str, *, whole: bool) -> bool:
    """Whether a key is in what is *literal* of a text called *name*, or *whole* is."""
    if has_key(literal):
        return True
    return is_sensitive(name) and (
        whole or bool(_WORD.search(_SCHEME.sub("", literal)))
    )


def named_after(*words: str) -> str:
    """Return the name of a secret made of *words*."""
    joined = "_".join(_CAMEL.sub("_", word) for word in words)
    name = _NOT_NAME.sub("_", joined.upper()).strip("_")
    return name if name[:1].isalpha() else f"SECRET_{name}"


def safe_text(
    name: str, at: Item, variables: Mapping[str, object], notes: Notes, *, owner: str
) -> str:
    """
    Return the text *at*, called *name*, with references to secrets for keys.

    Raises:
        Unfollowable: it has more in it than variables.
    """
    text = at.text or ""
    # A key may stand beside what comes from the environment.
    filled = fill(without_environment(text), variables)
    if not _has_key(name, filled, whole=without_environment(text) == text):
        return fill(text, variables, with_secrets=True)
    secret = named_after(owner, name)
    notes.add(at, name, f"its value is not copied; put it into the secret {secret}")
    scheme = _BEARER.fullmatch(filled)
    return f"{scheme[1]} secret.{secret}" if scheme else f"secret.{secret}"
