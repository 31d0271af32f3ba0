"""The rule `answered`: a usable answer came within the time."""

from dataclasses import dataclass
from typing import Self

import re2

from answerprobe.errors import CriterionError
from answerprobe.rules._duration import duration_seconds
from answerprobe.rules._options import options_of
from answerprobe.rules._reason import failed, passed, quote, seconds
from answerprobe.rules._turns import replies_of, slowest_of
from answerprobe.sample import Sample
from answerprobe.verdict import Verdict


DEFAULT_WITHIN_SECONDS = 20.0
_LONGEST_OPENER = 120
# What a model writes before it thinks. Alone it is no answer, and yet judges pass it
# (Zhao et al., "One Token to Fool LLM-as-a-Judge", 2025). A single noun counts only
# with its colon: "Solution" may be the answer to a question about words.
_OPENER = re2.compile(
    r"(?i)[\s*_#>]*(?:"
    r"(?:(?:here(?: is|'s)|this is|my|the) )*(?:thought|thinking|reasoning)"
    r"(?: process| steps?)?[\s*_]*[:\x{FF1A}.…]+"
    r"|(?:my |the )?(?:thought|thinking|reasoning) process"
    r"|(?:okay|ok|alright|sure|well|first)?,? ?(?:let me|let's|let us|i will|i'll) "
    r"(?:think|reason|work|go|solve|break|analy[sz]e|see|start|begin)\b[^.:!?\n]*"
    r"(?:step by step|step-by-step|through(?: this| it)?|carefully|about (?:this|it)"
    r"|the (?:problem|question)|down|think)[^.:!?\n]{0,20}"
    r"|(?:the )?(?:final )?(?:solution|answer|response|explanation|analysis|step 1"
    r"|lösung|antwort|denkprozess|solución|respuesta|solution|réponse|soluzione"
    r"|risposta|解|解答|回答|答案|思考过程|思考過程|思考|かいせつ|解説|풀이|решение)"
    r"[\s*_]*[:\x{FF1A}]+"
    r")[\s*_:\x{FF1A}.…!-]*"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """
    A usable answer came within *within_seconds*, the deadline of one exchange.

    In a conversation that goes for each of the agent's turns.
    """

    within_seconds: float = DEFAULT_WITHIN_SECONDS

    @property
    def criterion(self) -> str:
        """The rule's name in the configuration."""
        return "answered"

    @classmethod
    def parse(cls, value: object) -> Self:
        """
        Make the rule from `true` or `{within: 20s}`.

        Raises:
            CriterionError: *value* is something else.
        """
        options = options_of(value, ("within",))
        if value is True:
            return cls()
        if "within" not in options:
            raise CriterionError("expected true or {within: 20s}")
        return cls(within_seconds=duration_seconds(options["within"], ("within",)))

    def check(self, sample: Sample) -> Verdict:
        """Grade *sample*: every answer of a conversation, the slowest for its time."""
        for reply in replies_of(sample):
            if reply.filtered:
                return failed(self.criterion, "blocked by the content filter")
            opener = _bare_opener(reply.answer)
            if opener and not reply.tool_calls:
                reason = "only the opening of a train of thought, no answer"
                return failed(self.criterion, f"{reason}: {quote(opener)}", reason)
        slowest_seconds = slowest_of(sample).duration_seconds
        took, limit = seconds(slowest_seconds), seconds(self.within_seconds)
        times = f"answered in {took}, limit {limit}"
        if round(slowest_seconds, 3) > self.within_seconds:
            return failed(self.criterion, times)
        return passed(self.criterion, times)


def _bare_opener(answer: str) -> str:
    """Return the reasoning opener that *answer* consists of, else nothing."""
    if len(answer) > _LONGEST_OPENER:
        return ""
    text = answer.strip().replace("\u2019", "'")
    return text if _OPENER.fullmatch(text) else ""
