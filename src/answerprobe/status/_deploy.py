"""Did a deploy make it worse? The runs after it against those before, once."""

from dataclasses import dataclass, replace

from answerprobe.case import fingerprint
from answerprobe.monitor import Monitor
from answerprobe.passrate import Change, Counted, Difference, newcombe
from answerprobe.run import Run, Trigger
from answerprobe.verdict import Outcome


_NONE = Counted(0, 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecentRuns:
    """
    The samples of the last counted runs, oldest first.

    *cases* stands for the definitions that they are of: like is compared with like.
    """

    cases: str = ""
    counts: tuple[Counted, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class DeployComparison:
    """
    The runs since a deploy of *version*, and those before it.

    *first_run_id* is the deploy's own run. It is compared once, after *of_runs* runs:
    looking after each would find a difference by chance, sooner or later.
    """

    version: str
    first_run_id: int
    of_runs: int
    before: Counted = _NONE
    before_runs: int = 0
    after: Counted = _NONE
    after_runs: int = 0

    @property
    def complete(self) -> bool:
        """Whether all of its runs are there."""
        return self.after_runs >= self.of_runs

    @property
    def difference(self) -> Difference | None:
        """By how much the pass rate rose; None before it is compared, or for good."""
        if not self.complete or not self.before.judged or not self.after.judged:
            return None
        return newcombe(self.before, self.after)

    @property
    def change(self) -> Change | None:
        """The same in one word."""
        found = self.difference
        return Change.of(found) if found else None


def after(
    recent: RecentRuns,
    deploy: DeployComparison | None,
    monitor: Monitor,
    run: Run,
) -> tuple[RecentRuns, DeployComparison | None]:
    """
    Return what is known after *run*, a counted one of *monitor*.

    A comparison that is under way ends without a result where the cases change. A run
    in which nothing was answered says nothing of answers, and one with samples that
    were not judged has lost some of those that would have passed: they are left out.
    """
    cases = fingerprint({case.id: case.fingerprint for case in monitor.cases})
    if recent.cases != cases:
        recent = RecentRuns(cases=cases)
        deploy = deploy if deploy and deploy.complete else None
    request = run.request
    if request.trigger is Trigger.DEPLOY and request.version is not None:
        deploy = DeployComparison(
            version=request.version,
            first_run_id=run.id,
            of_runs=monitor.compare_after_runs,
            before=_sum(recent.counts),
            before_runs=len(recent.counts),
        )
    found = _counted(run)
    if found is None:
        return recent, deploy
    if deploy and not deploy.complete:
        deploy = replace(
            deploy,
            after=_sum((deploy.after, found)),
            after_runs=deploy.after_runs + 1,
        )
    counts = (*recent.counts, found)[-monitor.compare_after_runs :]
    return replace(recent, counts=counts), deploy


def _counted(run: Run) -> Counted | None:
    """Return how many samples of *run* passed, of all; None where it is left out."""
    outcomes, total = run.outcomes, len(run.samples)
    if outcomes[Outcome.NOT_JUDGED] or outcomes[Outcome.ERROR] == total:
        return None
    return Counted(outcomes[Outcome.PASS], total)


def _sum(counts: tuple[Counted, ...]) -> Counted:
    """Return all of *counts* together."""
    return Counted(sum(c.passed for c in counts), sum(c.judged for c in counts))
