"""What the web application needs of the rest of the daemon."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from answerprobe.comparison import Experiment
from answerprobe.config import ApiToken
from answerprobe.estimate import Estimate
from answerprobe.evidence import (
    CaseAnswers,
    ExperimentPage,
    FailingCase,
    Fault,
    HistoryPoint,
    KeptSample,
    RunPage,
    RunQuery,
    RunSummary,
    SamplePage,
    SampleQuery,
    StoredDeploy,
)
from answerprobe.metrics import Rendered
from answerprobe.monitor import Monitor
from answerprobe.run import DeployRequest, Run, RunRequest
from answerprobe.shapes import JudgeView, MonitorView, SecondLookView
from answerprobe.verdict import Outcome


class Fleet(Protocol):
    """The monitors that are watched, and what can be asked of them."""

    def monitors(self) -> Sequence[MonitorView]:
        """Return every monitor."""
        ...

    def monitor(self, name: str) -> MonitorView:
        """Return one monitor; RequestError (404) where there is none."""
        ...

    def done(self, run_id: int) -> int | None:
        """Return how many samples a run that goes on has done; else None."""
        ...

    def confirming(self, run_id: int) -> SecondLookView | None:
        """Return the second look that a run which goes on waits for, or takes."""
        ...

    async def start_run(self, request: RunRequest) -> int:
        """Queue a run; return its id."""
        ...

    async def deploy(self, deploy: DeployRequest) -> Mapping[str, int]:
        """Run what *deploy* matches; return monitor -> run id."""
        ...

    async def pause(self, name: str) -> None:
        """Start no more scheduled runs of *name*."""
        ...

    async def resume(self, name: str) -> None:
        """Start scheduled runs of *name* again."""
        ...


class Evidence(Protocol):
    """What is kept of past runs."""

    async def run(self, run_id: int) -> Run | None:
        """Return a run with its samples; None where there is none."""
        ...

    async def runs(self, query: RunQuery) -> RunPage:
        """Return runs without their samples, newest first."""
        ...

    async def answers(
        self, cases: Mapping[str, Mapping[str, str]]
    ) -> Mapping[str, Mapping[str, CaseAnswers]]:
        """
        Return what cases said last and when they last passed, of many monitors at once.

        *cases* are, by monitor, ids with fingerprints.
        """
        ...


class PastExperiments(Protocol):
    """What is kept of experiments."""

    async def get(self, experiment_id: int) -> Experiment | None:
        """Return one experiment as it stands; None where there is none."""
        ...

    async def of_run(self, run_id: int) -> int | None:
        """Return the id of the experiment that a run belongs to."""
        ...

    async def page(self, *, before: int | None, limit: int) -> ExperimentPage:
        """Return at most *limit* experiments, newest first, from *before* on."""
        ...


class Lifecycle(Protocol):
    """The daemon itself."""

    @property
    def ready(self) -> bool:
        """Whether it has started and is not about to end."""
        ...

    @property
    def healthy(self) -> bool:
        """Whether everything that must run in it runs."""
        ...

    @property
    def api_tokens(self) -> Sequence[ApiToken]:
        """The tokens of the present configuration."""
        ...

    @property
    def api_admins(self) -> frozenset[str] | None:
        """The web users who may change something; None: all of them."""
        ...

    async def written_config(self, monitor: str | None = None) -> str:
        """
        Return the present configuration, or one *monitor* of it, as YAML.

        No secret stands in it.
        """
        ...

    async def reload(self) -> None:
        """Load the configuration again; ConfigError where it is refused."""
        ...


class Exposition(Protocol):
    """The metrics as text."""

    async def render(self, accept: str, accept_encoding: str) -> Rendered:
        """Return all metrics in the form that the headers ask for."""
        ...


class Estimator(Protocol):
    """Who knows what a run would take."""

    async def estimate(self, monitor: Monitor, request: RunRequest) -> Estimate:
        """Return what *request*, of *monitor*, would take; nobody is asked for it."""
        ...


class History(Protocol):
    """Bounded pieces of the past, for pages; every method may raise StoreError."""

    async def recent_runs(
        self, monitors: Collection[str], each: int
    ) -> Mapping[str, tuple[RunSummary, ...]]:
        """Return the last *each* completed, counted runs of *monitors*."""
        ...

    async def run_summary(self, run_id: int) -> RunSummary | None:
        """Return run *run_id* without its samples; None where there is none."""
        ...

    async def run_samples(self, query: SampleQuery) -> SamplePage:
        """Return the page of a run's samples that *query* asks for, worst first."""
        ...

    async def failing_cases(self, run_id: int, limit: int) -> tuple[FailingCase, ...]:
        """Return the cases of a run with failed samples, the worst *limit* of them."""
        ...

    async def newest_kept(
        self, monitor: str, case_ids: Collection[str], outcomes: Collection[Outcome]
    ) -> tuple[KeptSample, ...]:
        """Return the newest counted sample of each case and outcome, oldest first."""
        ...

    async def case_history(
        self, monitor: str, case_id: str, limit: int
    ) -> tuple[HistoryPoint, ...]:
        """Return the last *limit* counted samples of a case, oldest first."""
        ...

    async def faults(self, run_ids: Sequence[int]) -> tuple[Fault, ...]:
        """Return why samples of *run_ids* failed, the most frequent reason first."""
        ...

    async def deploys(self, monitor: str, limit: int) -> tuple[StoredDeploy, ...]:
        """Return the last *limit* deploys of *monitor*'s agent, newest first."""
        ...


class Judges(Protocol):
    """The judges that monitors ask."""

    async def judges(self) -> Sequence[JudgeView]:
        """Return every one of them."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    """All of them together."""

    fleet: Fleet
    evidence: Evidence
    experiments: PastExperiments
    lifecycle: Lifecycle
    exposition: Exposition
    estimator: Estimator
    history: History
    judges: Judges
