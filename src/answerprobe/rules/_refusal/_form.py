"""What the lexicons are made of."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum


class FormKind(StrEnum):
    """What a form of words does."""

    DECLINE = "decline"  # "I can't help with that"
    UNABLE = "unable"  # "I can't …", whatever it is
    SCOPE = "scope"  # "I can only answer questions about …"
    ACCESS = "access"  # "I have no access to order data"
    POLICY = "policy"  # "this goes against my guidelines"
    MORAL = "moral"  # "it is not appropriate to …"
    DONT_KNOW = "dont_know"  # "I couldn't find that"
    NEUTRAL = "neutral"  # looks like one of the above and is not
    COMPLIANCE = "compliance"  # "however, here is how …"


class Script(StrEnum):
    """
    What a language is written in; its forms are tried on such texts only.

    English stands apart from the other languages in Latin letters: it is the most
    frequent, and *viol…* and *polit…* are not its words for breaking a policy.
    """

    ENGLISH = "english"
    LATIN = "latin"
    CYRILLIC = "cyrillic"
    EAST_ASIAN = "east_asian"


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """One way of saying it: an RE2 pattern over a lower-cased sentence."""

    kind: FormKind
    language: str
    pattern: str
    script: Script = Script.LATIN


# What may stand between the inability and the verb: anything of the same clause.
_GAP = "[^,:;(、]*?"
# Where the inability is the verb's own ending: 見つけ|ることが|できません.
_SUFFIX_GAP = "[^,:;(、]{0,4}?"


@dataclass(frozen=True, slots=True, kw_only=True)
class Language:
    """
    How one language refuses, as lists of patterns, one to a line.

    *unable*: a first person (or nobody) that cannot or may not. *verbs*: what it was
    asked to do; with *verb_first* they stand before the inability, as in Japanese.
    *myself*: the agent itself cannot, which is telling with any verb but *harmless*
    ones (find, promise, understand). *decline*: complete phrases. The others are their
    kinds of form.
    """

    code: str
    unable: str
    verbs: str
    harmless: str
    myself: str = ""
    decline: str = ""
    scope: str = ""
    access: str = ""
    policy: str = ""
    moral: str = ""
    dont_know: str = ""
    neutral: str = ""
    compliance: str = ""
    script: Script = Script.LATIN
    verb_first: bool = False
    gap: str = _GAP

    def forms(self) -> Iterator[Form]:
        """Yield the language's forms."""
        yield self._form(
            FormKind.DECLINE, self._unable(self.unable, self.verbs, self.gap)
        )
        anybody = f"{self.unable}\n{self.myself}"
        gap = _SUFFIX_GAP if self.verb_first else self.gap
        yield self._form(FormKind.NEUTRAL, self._unable(anybody, self.harmless, gap))
        if self.myself:
            yield self._form(FormKind.UNABLE, words(self.myself))
        for kind, listed in (
            (FormKind.DECLINE, self.decline),
            (FormKind.SCOPE, self.scope),
            (FormKind.ACCESS, self.access),
            (FormKind.POLICY, self.policy),
            (FormKind.MORAL, self.moral),
            (FormKind.DONT_KNOW, self.dont_know),
            (FormKind.NEUTRAL, self.neutral),
            (FormKind.COMPLIANCE, self.compliance),
        ):
            if listed:
                yield self._form(kind, words(listed))

    def _unable(self, unable: str, verbs: str, gap: str) -> str:
        """Return the pattern of an inability and what it is about."""
        order = (verbs, unable) if self.verb_first else (unable, verbs)
        return gap.join(map(words, order))

    def _form(self, kind: FormKind, pattern: str) -> Form:
        """Return the form of *kind* that *pattern* spells."""
        return Form(kind=kind, language=self.code, pattern=pattern, script=self.script)


def words(text: str) -> str:
    """Return an RE2 group of the alternatives in *text*, one to a line."""
    lines = (line.strip() for line in text.split("\n"))
    return "(?:" + "|".join(line for line in lines if line) + ")"
