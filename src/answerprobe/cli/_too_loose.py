"""Whether a case lets answers pass that are plainly wrong."""

import asyncio

from collections.abc import AsyncIterator, Callable, Collection
from dataclasses import dataclass, field, replace

import click

from answerprobe.case import Case
from answerprobe.cli._common import ExitStatus
from answerprobe.cli._wrong_answers import WrongKind, wrong_answers
from answerprobe.daemon.grade import GradeOptions, Recorded, grade_recorded
from answerprobe.rules import ExpectedActions, InvokesTool, ToolParametersContain
from answerprobe.runner import Graded
from answerprobe.verdict import Outcome


# Criteria that want a call: an answer that makes none fails them, whatever it says.
_WANT_A_CALL = (ExpectedActions, InvokesTool, ToolParametersContain)

Told = Callable[[Recorded, Graded], None]


@dataclass(slots=True, kw_only=True)
class _Count:
    """Which answers ended how, by their ids."""

    told: Told | None = None
    ids: dict[Outcome, list[str]] = field(
        default_factory=lambda: {outcome: [] for outcome in Outcome}
    )

    def __call__(self, recorded: Recorded, graded: Graded) -> None:
        """Count an answer, and tell of it."""
        self.ids[graded.outcome].append(str(recorded.id))
        if self.told:
            self.told(recorded, graded)


def find_out(options: GradeOptions, but: Collection[WrongKind], told: Told) -> None:
    """
    Grade wrong answers of all kinds *but* some, tell of each, and end the program.

    One that passes is exit status 1, one that could not be judged 3.
    """
    kinds = frozenset(but)
    count = asyncio.run(_graded(options, kinds, told))
    for line in _summary(count):
        click.echo(line, err=True)
    silent = _without_wanted_calls(options.case)
    if silent:
        asked = replace(options, case=silent)
        click.echo(_after_calls(asyncio.run(_graded(asked, kinds, None))), err=True)
    if count.ids[Outcome.PASS]:
        raise click.exceptions.Exit(int(ExitStatus.FAILED))
    if count.ids[Outcome.NOT_JUDGED]:
        raise click.exceptions.Exit(int(ExitStatus.NOT_JUDGED))


async def _graded(
    options: GradeOptions, but: frozenset[WrongKind], told: Told | None
) -> _Count:
    """Return how the wrong answers ended."""

    async def answers() -> AsyncIterator[Recorded]:
        """Yield the wrong answers."""
        for recorded in wrong_answers(options.case, but=but):
            yield recorded

    count = _Count(told=told)
    await grade_recorded(options, answers(), count)
    return count


def _without_wanted_calls(case: Case) -> Case | None:
    """Return *case* without the criteria that want a call; None where it has none."""
    left = tuple(c for c in case.criteria if not isinstance(c.check, _WANT_A_CALL))
    return None if len(left) == len(case.criteria) else replace(case, criteria=left)


def _summary(count: _Count) -> list[str]:
    """Return which answers pass, in words."""
    total = sum(map(len, count.ids.values()))
    passed, unjudged = count.ids[Outcome.PASS], count.ids[Outcome.NOT_JUDGED]
    lines = []
    if passed:
        verb = "passes" if len(passed) == 1 else "pass"
        names = ", ".join(passed)
        lines.append(
            f"too loose: {len(passed)} of {total} wrong answers {verb}: {names}"
        )
    elif not unjudged:
        lines.append(f"none of {total} wrong answers passes")
    if unjudged:
        names = ", ".join(unjudged)
        lines.append(f"not judged: {len(unjudged)} of {total} wrong answers: {names}")
    return lines


def _after_calls(count: _Count) -> str:
    """Return what would be if the agent had called what the case wants."""
    total = sum(map(len, count.ids.values()))
    passed, unjudged = count.ids[Outcome.PASS], count.ids[Outcome.NOT_JUDGED]
    told = "note: these answers call no tool. After the calls that the case wants, "
    if passed:
        return f"{told}{len(passed)} of {total} would pass: {', '.join(passed)}"
    if unjudged:
        return f"{told}{len(unjudged)} of {total} would have to be judged"
    return f"{told}none would pass either"
