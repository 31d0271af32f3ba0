"""`answerprobe grade`: grade recorded answers against a case."""

import asyncio
import json

from collections import Counter
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import BinaryIO

import click

from answerprobe import config as configuration
from answerprobe.case import Case
from answerprobe.cli import _logging
from answerprobe.cli._common import (
    ExitStatus,
    config_argument,
    secrets_option,
    stop,
    unknown,
)
from answerprobe.cli._lines import lines_of
from answerprobe.cli._recorded import MOST_BYTES, read_line
from answerprobe.cli._too_loose import find_out
from answerprobe.cli._wrong_answers import WrongKind
from answerprobe.config import Config
from answerprobe.daemon.grade import GradeOptions, Recorded, grade_recorded
from answerprobe.errors import RecordedError
from answerprobe.monitor import Monitor
from answerprobe.runner import Graded
from answerprobe.secret import Scrubber, SecretSource
from answerprobe.verdict import Outcome


_DASH = "-"
_STDIN = 0
# Some programs take these for the end of a line.
_ENDS = {code: f"\\u{code:04x}" for code in (0x85, 0x2028, 0x2029)}


@click.command()
@config_argument
@click.argument(
    "file",
    required=False,
    type=click.Path(
        path_type=Path, exists=True, dir_okay=False, readable=True, allow_dash=True
    ),
    metavar="FILE.jsonl",
)
@click.option(
    "--case", "case_id", metavar="ID", required=True, help="The case to grade by."
)
@click.option(
    "--monitor",
    "monitor_name",
    metavar="NAME",
    help="The monitor that has it, where several have such a case.",
)
@click.option(
    "--no-judge", is_flag=True, help="Check rules only; no judge is asked or paid."
)
@click.option(
    "--too-loose",
    is_flag=True,
    help="Instead of FILE.jsonl: grade answers that are plainly wrong.",
)
@click.option(
    "--except",
    "but",
    multiple=True,
    type=click.Choice([kind.value for kind in WrongKind]),
    help="With --too-loose: a kind of answer that is right for this case.",
)
@secrets_option
def command(  # noqa: PLR0913  each is a flag
    config: Path,
    *,
    file: Path | None,
    case_id: str,
    monitor_name: str | None,
    no_judge: bool,
    too_loose: bool,
    but: tuple[str, ...],
    secrets_dir: Path | None,
) -> None:
    """
    Grade recorded answers against a case of CONFIG; the agent is not asked.

    A line of FILE.jsonl (- is standard input) is {"id": …, "answer": …} or a whole
    sample of a run. For each of them, in their order, a line of JSON is printed:
    {"id", "outcome", "criteria"}.

    With --too-loose there is no file: platitudes, answers to something else and
    refusals are graded, and one that passes is exit status 1.

    Exit status: 0 every answer passes, 1 one fails, 2 wrong usage, configuration or
    input, 3 one could not be judged.
    """
    _check_usage(file, too_loose=too_loose, but=but)
    secrets = SecretSource(secrets_dir)
    scrub = Scrubber(secrets).scrub
    _logging.configure("warn", "logfmt", scrub)
    loaded = configuration.load(config, secrets=secrets, allow_missing_secrets=no_judge)
    monitor, case = _choose(loaded, monitor_name, case_id)
    options = GradeOptions(
        case=case,
        judge=None if no_judge else loaded.judges.get(monitor.judge),
        judge_requests=loaded.limits.judge,
        scrub=scrub,
    )
    printer = _Printer(scrub, with_answer=too_loose)
    if file is None:
        find_out(options, [WrongKind(kind) for kind in but], printer)
        return
    try:
        _grade(file, options, printer)
    except RecordedError as exc:
        stop(f"{'standard input' if str(file) == _DASH else file}: {exc}")
    printer.end()


def _check_usage(file: Path | None, *, too_loose: bool, but: tuple[str, ...]) -> None:
    """Stop where the flags don't go together."""
    if too_loose and file is not None:
        stop("--too-loose grades answers of its own: leave FILE.jsonl out")
    if not too_loose and file is None:
        stop("there is nothing to grade: give FILE.jsonl, or --too-loose")
    if but and not too_loose:
        stop("--except is for --too-loose")
    if len(set(but)) == len(WrongKind):
        stop("--except leaves no wrong answer to grade")


def _choose(
    config: Config, monitor_name: str | None, case_id: str
) -> tuple[Monitor, Case]:
    """Return the case that the flags choose, and its monitor; stop where none is."""
    monitors = {monitor.name: monitor for monitor in config.monitors}
    if monitor_name is not None and monitor_name not in monitors:
        stop(unknown("monitor", monitor_name, monitors))
    chosen = [monitors[monitor_name]] if monitor_name else list(config.monitors)
    found = [
        (monitor, case)
        for monitor in chosen
        for case in (*monitor.cases, *monitor.uncounted)
        if case.id == case_id
    ]
    if not found:
        ids = {
            case.id
            for monitor in chosen
            for case in (*monitor.cases, *monitor.uncounted)
        }
        stop(unknown("case", case_id, ids))
    if len(found) > 1:
        names = ", ".join(repr(monitor.name) for monitor, _ in found)
        stop(f"several monitors have a case {case_id!r}: {names}; add --monitor")
    return found[0]


def _grade(file: Path, options: GradeOptions, printer: "_Printer") -> None:
    """Grade the answers in *file*."""
    if str(file) != _DASH and file.is_file():
        # Whole, before a judge is paid for half of it. A pipe comes only once.
        _check(file, options.case)
    with _open(file) as stream:
        answers = _answers(stream, options.case)
        asyncio.run(grade_recorded(options, answers, printer))
    if not printer.printed:
        raise RecordedError("there is no answer to grade")


def _open(file: Path) -> BinaryIO:
    """Return *file*, or standard input, open."""
    if str(file) != _DASH:
        return file.open("rb")
    # Not sys.stdin: that one is closed at the end, which a thread in it forbids.
    return open(_STDIN, "rb", closefd=False)


def _check(file: Path, case: Case) -> None:
    """Stop at the first line of *file* that records no answer."""
    with file.open("rb") as stream:
        number = 0
        while line := stream.readline(MOST_BYTES + 1):
            number += 1
            read_line(line, number, case)


async def _answers(stream: BinaryIO, case: Case) -> AsyncIterator[Recorded]:
    """Yield the answers that the lines of *stream* record."""
    number = 0
    async for line in lines_of(stream, MOST_BYTES):
        number += 1
        if recorded := read_line(line, number, case):
            yield recorded


class _Printer:
    """Prints a line for each answer and knows how the program ends."""

    def __init__(self, scrub: Callable[[str], str], *, with_answer: bool) -> None:
        self._scrub = scrub
        self._with_answer = with_answer
        self._count: Counter[Outcome] = Counter()

    @property
    def printed(self) -> int:
        """How many lines it printed."""
        return self._count.total()

    def __call__(self, recorded: Recorded, graded: Graded) -> None:
        """Print what the criteria say of *recorded*."""
        self._count[graded.outcome] += 1
        answer = recorded.sample.reply.answer
        line = {
            "id": recorded.id,
            **({"answer": answer} if self._with_answer else {}),
            "outcome": graded.outcome.value,
            "criteria": [
                {
                    "criterion": verdict.criterion,
                    "outcome": verdict.outcome.value,
                    "reason": self._scrub(verdict.reason),
                }
                for verdict in graded.verdicts
            ],
        }
        text = json.dumps(line, ensure_ascii=False).translate(_ENDS)
        click.echo(text.encode("utf-8", "replace"))

    def end(self) -> None:
        """End the program as the answers tell."""
        if self._count[Outcome.FAIL] or self._count[Outcome.ERROR]:
            raise click.exceptions.Exit(int(ExitStatus.FAILED))
        if self._count[Outcome.NOT_JUDGED]:
            raise click.exceptions.Exit(int(ExitStatus.NOT_JUDGED))
