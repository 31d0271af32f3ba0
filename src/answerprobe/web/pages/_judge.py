"""Judges: whether they answer, and what they make of answers whose verdict is known."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from answerprobe import durations
from answerprobe.calibration import Agreement, CanaryVerdict
from answerprobe.shapes import JudgeView
from answerprobe.verdict import Outcome
from answerprobe.web.pages._links import Links
from answerprobe.web.pages._when import NOTHING, count, percent


_USABLE = frozenset({Outcome.PASS.value, Outcome.FAIL.value})
_MONITORS_LISTED = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """On how many canaries of one known verdict the judge agreed, in words."""

    what: str
    ratio: str
    counted: str
    interval: str


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgePage:
    """What the page of a judge shows. *state* is one word, *told* a sentence."""

    name: str
    url: str
    state: str
    told: str
    model: str
    reported_model: str | None
    prompt_version: str | None
    votes: int
    requests: tuple[tuple[str, str], ...]
    usable: str
    disagreements: str
    last_request_at: datetime | None
    monitors: tuple[tuple[str, str], ...]
    more_monitors: int
    calibrated_at: datetime | None
    calibrate_every: str
    rates: tuple[Rate, ...]
    wrong: tuple[CanaryVerdict, ...]
    canaries: int


def judge_page(judge: JudgeView, links: Links) -> JudgePage:
    """Return what is shown of *judge*."""
    calibration, graded = judge.calibration, judge.graded_by
    total = sum(judge.requests.values())
    usable = sum(judge.requests.get(outcome, 0) for outcome in _USABLE)
    names = judge.monitors[:_MONITORS_LISTED]
    return JudgePage(
        name=judge.name,
        url=links.judge(judge.name),
        state=_state(judge),
        told=_told(judge),
        model=judge.model,
        reported_model=graded.model if graded else None,
        prompt_version=graded.prompt_version if graded else None,
        votes=judge.votes,
        requests=tuple((name, count(n)) for name, n in judge.requests.items()),
        usable=percent(usable / total if total else None),
        disagreements=count(judge.disagreements),
        last_request_at=judge.last_request_at,
        monitors=tuple((name, links.monitor(name)) for name in names),
        more_monitors=len(judge.monitors) - len(names),
        calibrated_at=calibration.at if calibration else None,
        calibrate_every="not graded by themselves (calibrate: 0)"
        if not judge.calibrate_seconds
        else f"graded every {durations.show(judge.calibrate_seconds)}",
        rates=_rates(calibration.passes, calibration.fails) if calibration else (),
        wrong=calibration.wrong if calibration else (),
        canaries=judge.canaries,
    )


def judge_pages(judges: Sequence[JudgeView], links: Links) -> tuple[JudgePage, ...]:
    """Return what is shown of all judges."""
    return tuple(judge_page(judge, links) for judge in judges)


def _state(judge: JudgeView) -> str:
    """Return how a judge is, in one word."""
    if judge.up is None:
        return "unknown"
    return "up" if judge.up else "down"


def _told(judge: JudgeView) -> str:
    """Return how a judge is, in a sentence."""
    if judge.up is None:
        return "It was not asked since answerprobe started."
    if judge.up:
        return "Its last reply was a usable verdict."
    return "Its last request brought no usable verdict: samples are left not judged."


def _rates(passes: Agreement, fails: Agreement) -> tuple[Rate, ...]:
    """Return how often the judge agreed, by known verdict."""
    return (
        _rate("Good answers it passed", passes),
        _rate("Bad answers it failed", fails),
    )


def _rate(what: str, agreement: Agreement) -> Rate:
    """Return one of them."""
    interval = agreement.interval
    return Rate(
        what=what,
        ratio=percent(agreement.ratio),
        counted=f"{agreement.agreed} of {agreement.judged}",
        interval=f"{percent(interval.low)} to {percent(interval.high)}"
        if interval
        else NOTHING,
    )
