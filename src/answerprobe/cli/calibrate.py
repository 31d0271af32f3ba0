"""`answerprobe calibrate`: how good are the judges?"""

import asyncio
import json

from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from answerprobe import config as configuration
from answerprobe.calibration import Agreement, CanaryVerdict
from answerprobe.cli import _logging
from answerprobe.cli._common import (
    ExitStatus,
    config_argument,
    secrets_option,
    stop,
    unknown,
)
from answerprobe.config import Config
from answerprobe.daemon.calibrate_once import (
    Calibrated,
    CalibrateOptions,
    calibrate_once,
)
from answerprobe.monitor import JudgeSettings
from answerprobe.secret import Scrubber, SecretSource
from answerprobe.verdict import Outcome


_HEAD = ("JUDGE", "VERDICT", "AGREED", "RATE", "95% INTERVAL", "NOT JUDGED")


@click.command()
@config_argument
@click.option("--judge", "names", multiple=True, metavar="NAME", help="Only this one.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "json"]),
    default="table",
    show_default=True,
    help="How to print the result.",
)
@secrets_option
def command(
    config: Path, *, names: tuple[str, ...], form: str, secrets_dir: Path | None
) -> None:
    """
    Let the judges of CONFIG grade answers whose verdict is known.

    Prints how often each agrees with a known pass and with a known fail, and which
    answers it misjudged. Nothing is kept.

    Exit status: 0 the judges agree with everything they judged, 1 one does not, 2 wrong
    usage or configuration, 3 one could not be used.
    """
    secrets = SecretSource(secrets_dir)
    scrubber = Scrubber(secrets)
    _logging.configure("warn", "logfmt", scrubber.scrub)
    loaded = configuration.load(config, secrets=secrets)
    options = CalibrateOptions(
        judges=_select(loaded, names),
        at_once=loaded.limits.judge,
        scrub=scrubber.scrub,
    )
    results = asyncio.run(calibrate_once(options))
    text = as_json(results) if form == "json" else as_table(results)
    click.echo(scrubber.scrub(text))
    status = exit_status(results)
    if status is not ExitStatus.OK:
        raise click.exceptions.Exit(int(status))


def _select(config: Config, names: Sequence[str]) -> tuple[JudgeSettings, ...]:
    """Return the judges that *names* choose, all without any; stop where none is."""
    if not config.judges:
        stop("there is no judge: the config has no `judges`, and no case asks for one")
    for name in names:
        if name not in config.judges:
            stop(unknown("judge", name, config.judges))
    return tuple(
        settings
        for name, settings in config.judges.items()
        if not names or name in names
    )


def exit_status(results: Sequence[Calibrated]) -> ExitStatus:
    """Return how the program ends: a wrong verdict outweighs what was not judged."""
    if any(result.calibration.misjudged for result in results):
        return ExitStatus.FAILED
    if not all(result.calibration.complete for result in results):
        return ExitStatus.NOT_JUDGED
    return ExitStatus.OK


def as_json(results: Sequence[Calibrated]) -> str:
    """Return `{"judges": [...]}`."""
    return json.dumps({"judges": list(map(_shape, results))}, ensure_ascii=False)


def _shape(result: Calibrated) -> dict[str, object]:
    """Return *result* as JSON has it."""
    calibration, usage = result.calibration, result.usage
    return {
        "judge": calibration.judge,
        "models": list(calibration.models),
        "prompt_version": calibration.prompt_version,
        "at": calibration.at.isoformat(),
        "verdicts": {
            Outcome.PASS.value: _rate_shape(calibration.passes),
            Outcome.FAIL.value: _rate_shape(calibration.fails),
        },
        "misjudged": list(map(_verdict_shape, calibration.misjudged)),
        "not_judged": list(map(_verdict_shape, calibration.not_judged)),
        "tokens": {
            "input": usage.input_tokens,
            "output": usage.output_tokens,
            "estimated": usage.estimated,
        },
    }


def _rate_shape(agreement: Agreement) -> dict[str, object]:
    """Return the agreement on one known verdict as JSON has it."""
    interval = agreement.interval
    return {
        "agreed": agreement.agreed,
        "judged": agreement.judged,
        "ratio": agreement.ratio,
        "interval": None if interval is None else list(interval),
    }


def _verdict_shape(verdict: CanaryVerdict) -> dict[str, object]:
    """Return a canary that did not get its verdict as JSON has it."""
    return {
        "number": verdict.number,
        "question": verdict.question,
        "answer": verdict.answer,
        "expected": verdict.expected.value,
        "got": verdict.outcome.value,
        "reason": verdict.reason,
    }


def as_table(results: Sequence[Calibrated]) -> str:
    """Return two rows for each judge, and below them what it did not get right."""
    rows: list[tuple[str, ...]] = [_HEAD]
    for result in results:
        calibration = result.calibration
        for known, agreement in (
            (Outcome.PASS, calibration.passes),
            (Outcome.FAIL, calibration.fails),
        ):
            lost = sum(v.expected is known for v in calibration.not_judged)
            rows.append(_row(calibration.judge, known, agreement, lost))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
    for result in results:
        lines += _details(result)
    return "\n".join(lines)


def _row(
    judge: str, known: Outcome, agreement: Agreement, not_judged: int
) -> tuple[str, ...]:
    """Return the row of one judge and one known verdict."""
    agreed = f"{agreement.agreed}/{agreement.judged}"
    if agreement.ratio is None or agreement.interval is None:
        return (judge, known.value, agreed, "-", "-", str(not_judged))
    low, high = agreement.interval
    interval = f"{low:.3f} to {high:.3f}"
    rate = f"{agreement.ratio:.3f}"
    return (judge, known.value, agreed, rate, interval, str(not_judged))


def _details(result: Calibrated) -> Iterator[str]:
    """Yield who *result*'s judge is, and the canaries that it did not get right."""
    calibration = result.calibration
    models = ", ".join(calibration.models) or "no model answered"
    yield ""
    yield _plain(
        f"{calibration.judge}: {models}, prompt {calibration.prompt_version}, "
        f"{result.usage.total:,} tokens"
    )
    for verdict in calibration.misjudged:
        known, got = verdict.expected.value, verdict.outcome.value
        yield f"  canary {verdict.number}: known to {known}, got {got}"
        yield _plain(f"    question: {verdict.question}")
        yield _plain(f"    answer:   {verdict.answer}")
        yield _plain(f"    reason:   {verdict.reason}")
    for verdict in calibration.not_judged:
        yield _plain(f"  canary {verdict.number}: not judged: {verdict.reason}")


def _plain(text: str) -> str:
    """Return *text* without what a terminal would not print but act on."""
    return "".join(char if char.isprintable() else "\ufffd" for char in text)
