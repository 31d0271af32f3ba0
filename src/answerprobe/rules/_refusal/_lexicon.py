"""All languages' forms, compiled so that most texts are read once for each script."""

import re
import unicodedata

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple

from answerprobe.pii._compiled import Expression, compiled
from answerprobe.rules._refusal._east_asian import LANGUAGES as _EAST_ASIAN
from answerprobe.rules._refusal._english import LANGUAGES as _ENGLISH
from answerprobe.rules._refusal._form import Form, FormKind, Script
from answerprobe.rules._refusal._germanic import LANGUAGES as _GERMANIC
from answerprobe.rules._refusal._romance import LANGUAGES as _ROMANCE
from answerprobe.rules._refusal._slavic import LANGUAGES as _SLAVIC


_SIGNS = {
    Script.CYRILLIC: re.compile("[\u0400-\u04ff]"),
    Script.EAST_ASIAN: re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"),
}
# RE2's \b knows ASCII only, and people leave accents out: Latin letters lose theirs.
_MARKS = re.compile("[\u0300-\u036f]")
_LETTERS = str.maketrans(
    {"ł": "l", "ø": "o", "ß": "ss", "æ": "ae", "œ": "oe", "đ": "d", "\u0131": "i"}
)
_ANY_TEXT = (Script.ENGLISH, Script.LATIN)
# Words that no other of our languages has.
_ENGLISH_WORDS = re.compile(
    r"\b(?:the|and|you|your|with|this|that|are|cannot|can't|i'm|not|which|my|it's|from|they|"
    r"their|who|or|its|we|our|but)\b"
)


class CompiledForm(NamedTuple):
    """The forms of one kind in one language."""

    kind: FormKind
    language: str
    pattern: Expression


class _Lexicon(NamedTuple):
    """The forms of all languages in one script; *any_form* tells most texts apart."""

    forms: tuple[CompiledForm, ...]
    any_form: Expression
    neutral: Expression
    compliance: Expression
    dont_know: Expression


def _any_of(patterns: Iterable[str]) -> Expression:
    """Return one pattern for all of *patterns*."""
    listed = [f"(?:{pattern})" for pattern in patterns]
    return compiled("|".join(listed) or r"\z.")


def _lexicon(forms: list[Form], weights: dict[FormKind, float]) -> _Lexicon:
    """Return what *forms*, all in one script, compile to."""
    scored = [form for form in forms if form.kind in weights]
    grouped: dict[tuple[FormKind, str], list[str]] = {}
    for form in scored:
        grouped.setdefault((form.kind, form.language), []).append(form.pattern)
    by_language = [
        CompiledForm(kind, language, _any_of(patterns))
        for (kind, language), patterns in grouped.items()
    ]
    by_language.sort(key=lambda form: -weights[form.kind])

    def of(kind: FormKind) -> Expression:
        """Return the pattern of all forms of *kind*."""
        return _any_of(form.pattern for form in forms if form.kind is kind)

    return _Lexicon(
        forms=tuple(by_language),
        any_form=_any_of(form.pattern for form in scored),
        neutral=of(FormKind.NEUTRAL),
        compliance=of(FormKind.COMPLIANCE),
        dont_know=of(FormKind.DONT_KNOW),
    )


def _plain(form: Form) -> Form:
    """Return *form* for folded text."""
    if form.script is not Script.LATIN:
        return form
    return replace(form, pattern=folded(form.pattern))


class Lexicon:
    """Finds the forms of refusal in sentences; *weights* say which kinds count."""

    def __init__(self, weights: dict[FormKind, float]) -> None:
        languages = (*_ENGLISH, *_GERMANIC, *_ROMANCE, *_SLAVIC, *_EAST_ASIAN)
        forms = [_plain(form) for lang in languages for form in lang.forms()]
        self._by_script = {
            script: _lexicon([f for f in forms if f.script is script], weights)
            for script in Script
        }

    def scripts(self, text: str) -> tuple[Script, ...]:
        """Return the scripts whose forms *text* might have."""
        if text.isascii():
            return _ANY_TEXT
        return (*_ANY_TEXT, *(s for s, sign in _SIGNS.items() if sign.search(text)))

    def find(self, sentence: str, scripts: tuple[Script, ...]) -> CompiledForm | None:
        """Return the weightiest form in the lower-cased *sentence*."""
        for lexicon, text in self._readings(sentence, scripts):
            if not lexicon.any_form.search(text):
                continue
            plain = lexicon.neutral.sub(" … ", text)
            for form in lexicon.forms:
                if form.pattern.search(plain):
                    return form
        return None

    def complies(self, sentence: str, scripts: tuple[Script, ...]) -> bool:
        """Whether the lower-cased *sentence* does what was asked after all."""
        return any(
            lexicon.compliance.search(text)
            for lexicon, text in self._readings(sentence, scripts)
        )

    def does_not_know(self, sentence: str, scripts: tuple[Script, ...]) -> bool:
        """Whether the lower-cased *sentence* says that the answer is not known."""
        return any(
            lexicon.dont_know.search(text)
            for lexicon, text in self._readings(sentence, scripts)
        )

    def _readings(
        self, sentence: str, scripts: tuple[Script, ...]
    ) -> Iterator[tuple[_Lexicon, str]]:
        """Yield each lexicon to be tried, with the sentence as its forms want it."""
        for script in scripts:
            if script is not Script.LATIN:
                yield self._by_script[script], sentence
            elif not _is_english(sentence):
                yield self._by_script[script], folded(sentence)


def folded(text: str) -> str:
    """Return *text* with plain Latin letters in place of accented ones."""
    if text.isascii():
        return text
    return _MARKS.sub("", unicodedata.normalize("NFKD", text)).translate(_LETTERS)


def _is_english(sentence: str) -> bool:
    """Whether *sentence* has two words that only English has."""
    return len(set(_ENGLISH_WORDS.findall(sentence))) > 1
