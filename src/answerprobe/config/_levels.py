"""Settings that may stand at several levels: defaults, a monitor, some in a case."""

from collections.abc import Mapping
from dataclasses import dataclass

from answerprobe import durations
from answerprobe.case import Quorum
from answerprobe.config._findings import Path
from answerprobe.config._reading import Reading, flag, mapping, text, whole
from answerprobe.monitor import AnswerStorage, Retention


_DAY = 86400.0
BUILT_IN_EVERY_SECONDS = 3600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """Seconds, and where they are written; None where they are built in."""

    seconds: float
    path: Path | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """
    What a monitor goes by. *every* is None for `manual`.

    *samples_written*: the number of samples is somebody's choice, not built in.
    """

    every: Placed | None
    quorum: Quorum
    samples_written: bool
    target_pass_ratio: float
    within: Placed
    answers: AnswerStorage
    alert_answers: bool
    confirm_seconds: float
    retention: Retention
    token_budget: int | None


BUILT_IN = Settings(
    every=Placed(seconds=BUILT_IN_EVERY_SECONDS),
    quorum=Quorum(samples=3, pass_at_least=2),
    samples_written=False,
    target_pass_ratio=0.9,
    within=Placed(seconds=20.0),
    answers=AnswerStorage.REDACTED,
    alert_answers=True,
    confirm_seconds=30.0,
    retention=Retention(passes_seconds=7 * _DAY, failures_seconds=90 * _DAY),
    token_budget=None,
)


def overlay(
    base: Settings, raw: Mapping[str, object], path: Path, reading: Reading
) -> Settings:
    """Return *base* with what *raw*, `defaults` or a monitor, writes itself."""
    return Settings(
        every=_every(base.every, raw, path, reading),
        quorum=read_quorum(base.quorum, raw, path, reading),
        samples_written=base.samples_written or "samples" in raw,
        target_pass_ratio=reading.share(raw, "target", path, base.target_pass_ratio),
        within=read_within(base.within, raw, path, reading),
        answers=AnswerStorage(text(raw, "answers") or base.answers),
        alert_answers=flag(raw, "alert_answers", default=base.alert_answers),
        confirm_seconds=reading.seconds_or_off(
            raw, "confirm", path, base.confirm_seconds
        ),
        retention=_retention(base.retention, mapping(raw, "retention"), path, reading),
        token_budget=reading.tokens(raw, "token_budget", path, base.token_budget),
    )


def _every(
    base: Placed | None, raw: Mapping[str, object], path: Path, reading: Reading
) -> Placed | None:
    """Return the interval that *raw* writes, else *base*; None is manual."""
    written = text(raw, "every")
    if written is None:
        return base
    if written == "manual":
        return None
    seconds = reading.seconds(raw, "every", path, BUILT_IN_EVERY_SECONDS)
    return Placed(seconds=seconds, path=(*path, "every"))


def read_within(
    base: Placed, raw: Mapping[str, object], path: Path, reading: Reading
) -> Placed:
    """Return the deadline that *raw* writes, else *base*."""
    if text(raw, "within") is None:
        return base
    seconds = reading.seconds(raw, "within", path, base.seconds)
    return Placed(seconds=seconds, path=(*path, "within"))


def read_quorum(
    base: Quorum, raw: Mapping[str, object], path: Path, reading: Reading
) -> Quorum:
    """
    Return how many samples *raw* wants and how many of them must pass.

    `samples` alone means two thirds of them, rounded up.
    """
    if "samples" not in raw and "pass_at_least" not in raw:
        return base
    samples = whole(raw, "samples", base.samples)
    usual = -(-2 * samples // 3) if "samples" in raw else base.pass_at_least
    pass_at_least = whole(raw, "pass_at_least", usual)
    if pass_at_least > samples:
        message = f"is {pass_at_least}, more than samples ({samples}) can pass"
        reading.findings.add((*path, "pass_at_least"), message)
    return Quorum(samples=samples, pass_at_least=pass_at_least)


@dataclass(frozen=True, slots=True, kw_only=True)
class Turns:
    """The most turns of a case, and where they are written; None where nowhere."""

    number: int = 1
    path: Path | None = None


def check_fits(
    within: Placed, turns: Turns, every: Placed | None, reading: Reading
) -> None:
    """Refuse turns that may take longer than the interval between runs."""
    longest = within.seconds * turns.number
    if every is None or longest <= every.seconds:
        return
    if any(p and reading.findings.touch(p) for p in (within.path, every.path)):
        return
    interval = f"every ({durations.show(every.seconds)})"
    if within.seconds > every.seconds:
        numbers = f"within ({durations.show(within.seconds)}) is longer than {interval}"
        where = within.path or every.path
        advice = "shorten within or lengthen every"
    else:
        numbers = (
            f"{turns.number} turns, each within {durations.show(within.seconds)}, may "
            f"take {durations.show(longest)}, longer than {interval}"
        )
        where = turns.path or within.path or every.path
        advice = "lower max_turns, shorten within or lengthen every"
    if where:
        reading.findings.add(where, f"{numbers}; {advice}")


def _retention(
    base: Retention, raw: Mapping[str, object], path: Path, reading: Reading
) -> Retention:
    """Return *base* with what *raw* writes itself."""
    here = (*path, "retention")
    return Retention(
        passes_seconds=reading.seconds(raw, "passes", here, base.passes_seconds),
        failures_seconds=reading.seconds(raw, "failures", here, base.failures_seconds),
    )
