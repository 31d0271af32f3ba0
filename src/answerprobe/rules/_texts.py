"""What the text rules share: their values, and finding one text in another."""

from collections.abc import Mapping
from typing import NamedTuple

from answerprobe.errors import CriterionError
from answerprobe.rules._folding import fold
from answerprobe.rules._options import flag, options_of
from answerprobe.rules._reason import around


class TextOption(NamedTuple):
    """A text as a rule's value."""

    text: str
    case_sensitive: bool


class TextsOption(NamedTuple):
    """Several texts as a rule's value."""

    texts: tuple[str, ...]
    case_sensitive: bool


def text_option(value: object) -> TextOption:
    """
    Return what *value* says, a text or `{text: …, case_sensitive: true}`.

    Raises:
        CriterionError: it is neither, or the text is empty.
    """
    if isinstance(value, Mapping):
        options = options_of(value, ("case_sensitive", "text"))
        text = _text(options.get("text"), ("text",))
        return TextOption(text, flag(options, "case_sensitive"))
    return TextOption(_text(value, ()), case_sensitive=False)


def texts_option(value: object) -> TextsOption:
    """
    Return what *value* says, a list or `{text: [ … ], case_sensitive: true}`.

    Raises:
        CriterionError: it is neither, or one of the texts is empty.
    """
    if isinstance(value, Mapping):
        options = options_of(value, ("case_sensitive", "text"))
        texts = _texts(options.get("text"), ("text",))
        return TextsOption(texts, flag(options, "case_sensitive"))
    return TextsOption(_texts(value, ()), case_sensitive=False)


def _text(value: object, path: tuple[str | int, ...]) -> str:
    """Return *value*, a text that is not empty, or raise with its *path*."""
    if not isinstance(value, str) or not value:
        raise CriterionError("expected a text that is not empty", path)
    return value


def _texts(value: object, path: tuple[str | int, ...]) -> tuple[str, ...]:
    """Return *value*, a list of texts, or raise with the *path* of the culprit."""
    if not isinstance(value, list) or not value:
        raise CriterionError("expected a list of texts", path)
    return tuple(_text(item, (*path, index)) for index, item in enumerate(value))


def excerpt(answer: str, text: str, *, case_sensitive: bool) -> str | None:
    """Return what stands around *text* in *answer*; None where it is not there."""
    wanted = fold(text, case_sensitive=case_sensitive)
    folded = fold(answer, case_sensitive=case_sensitive)
    start = folded.find(wanted)
    if start < 0:
        return None
    end = start + len(wanted)
    # Folding keeps most texts' length: then the answer shows as it was written.
    written = answer[start:end]
    same = fold(written, case_sensitive=case_sensitive) == wanted
    return around(answer if same else folded, start, end)
