"""Did the latest deploy make it worse? In three words, with the interval."""

from dataclasses import dataclass

from answerprobe.passrate import Counted, Difference
from answerprobe.status import DeployComparison
from answerprobe.web.pages._links import Links
from answerprobe.web.pages._when import percent, plural


@dataclass(frozen=True, slots=True, kw_only=True)
class DeployView:
    """The latest deploy; *result* is None before it is compared, or for good."""

    version: str
    run_id: int
    url: str
    result: str | None
    told: str


def deploy_view(deploy: DeployComparison | None, links: Links) -> DeployView | None:
    """Return what is shown of *deploy*; None where none is known."""
    if deploy is None:
        return None
    change = deploy.change
    return DeployView(
        version=deploy.version,
        run_id=deploy.first_run_id,
        url=links.run(deploy.first_run_id),
        result=change.value.replace("_", " ") if change else None,
        told=_told(deploy),
    )


def signed(ratio: float) -> str:
    """Return a difference of ratios in percentage points, with its sign."""
    return f"{ratio * 100:+.0f}".replace("-", "\u2212")


def interval(found: Difference) -> str:
    """Return a difference with the interval around it."""
    points = f"{signed(found.low)} to {signed(found.high)}"
    return f"{signed(found.difference)} points (95% interval {points})"


def _told(deploy: DeployComparison) -> str:
    """Return how far the comparison is, or what it came to."""
    found = deploy.difference
    if not deploy.complete:
        so_far = f"{deploy.after_runs} of {plural(deploy.of_runs, 'run')}"
        return f"{so_far} done, then it is compared with before, once."
    if found is None:
        return "there were no runs before it to compare with."
    before, after = _rate(deploy.before), _rate(deploy.after)
    runs = f"{plural(deploy.before_runs, 'run')} before, {deploy.after_runs} after"
    return f"{before} before, {after} after, {interval(found)}; {runs}."


def _rate(counted: Counted) -> str:
    """Return a pass rate with what it is of."""
    return f"{percent(counted.passed / counted.judged)} of {counted.judged:,} samples"
