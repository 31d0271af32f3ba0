"""promptfoo's tests as cases."""

import math

from dataclasses import dataclass

from answerprobe import durations
from answerprobe.config import slug
from answerprobe.promptfoo._assembly import Draft, unlike
from answerprobe.promptfoo._asserts import Asserts
from answerprobe.promptfoo._prompts import Prompt
from answerprobe.promptfoo._source import Notes
from answerprobe.promptfoo._target import Target
from answerprobe.promptfoo._template import Unfollowable
from answerprobe.promptfoo._tests import Trial, filled, question


@dataclass(frozen=True, slots=True, kw_only=True)
class Cases:
    """Turns tests into cases; what is lost is noted in *notes*."""

    asserts: Asserts
    notes: Notes

    def add(
        self,
        monitor: Draft,
        target: Target,
        prompt: Prompt,
        trial: Trial,
    ) -> None:
        """Add *trial* to *monitor* as a case, if it is one here."""
        try:
            ask = self._ask(target, prompt, trial)
        except Unfollowable as exc:
            self._tell_unasked(target, prompt, trial, str(exc))
            return
        if not ask.strip():
            self.notes.add(trial.at, "test", "left out: what it asks is blank")
            return
        expect = [
            criterion
            for entry in trial.asserts
            for criterion in self.asserts.criteria(entry, trial.variables)
        ]
        if trial.asserts and not expect:
            why = "left out: none of its assertions has a counterpart"
            self.notes.add(trial.at, "test", why)
            return
        if not trial.asserts:
            why = "has no assertion: only that an answer comes is checked"
            self.notes.add(trial.at, "test", why)
        case_id = unlike(monitor.ids, slug(trial.name or ask))
        monitor.ids.add(case_id)
        deadline = sorted((c for c in expect if "answered" in c), key=_within)
        rest = [c for c in expect if "answered" not in c]
        monitor.cases.append(
            {
                "id": case_id,
                "ask": ask,
                "expect": _unique([*deadline[:1], *rest]) or [{"answered": True}],
            }
        )
        monitor.places.append(trial.at)

    def _tell_unasked(
        self, target: Target, prompt: Prompt, trial: Trial, why: str
    ) -> None:
        """Note that *trial* is not asked, and whether prompt or test is to blame."""
        whole = target.variable is None and not prompt.can_be_filled
        at, what = (prompt.at, "prompt") if whole else (trial.at, "test")
        self.notes.add(at, what, f"left out: {why}")

    def _ask(self, target: Target, prompt: Prompt, trial: Trial) -> str:
        """Return what is sent for *trial*."""
        if target.variable is None:
            return question(prompt, trial)
        return filled(f"{{{{{target.variable}}}}}", trial.variables)


def _within(criterion: dict[str, object]) -> float:
    """Return the seconds of the deadline that *criterion* sets."""
    match criterion["answered"]:
        case {"within": str(spelled)}:
            return durations.parse(spelled)
        case _:
            return math.inf


def _unique(criteria: list[dict[str, object]]) -> list[dict[str, object]]:
    """Return *criteria*, each once."""
    found: list[dict[str, object]] = []
    for criterion in criteria:
        if criterion not in found:
            found.append(criterion)
    return found
