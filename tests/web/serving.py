"""The real application on a real socket, over services that do as the test says."""

from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime

from aiohttp import ClientResponse
from aiohttp.test_utils import TestClient, TestServer
from aiohttp.web import Application, Request

import builders

from answerprobe.comparison import Experiment
from answerprobe.config import ApiToken
from answerprobe.errors import ConfigError, RequestError, StoreUnavailable
from answerprobe.estimate import Bounded, Estimate
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
from answerprobe.shapes import (
    BudgetView,
    GoingView,
    JudgeView,
    MonitorView,
    SecondLookView,
)
from answerprobe.status import Health, MonitorStatus, Pause
from answerprobe.verdict import Outcome
from answerprobe.web import Door, Services, make_app
from answerprobe.web._base import History


Client = TestClient[Request, Application]
ON_LOOPBACK = Door(on_loopback=True, open_evidence=False)


def view(  # noqa: PLR0913  each test names only what it is about
    name: str = "shop",
    *,
    monitor: Monitor | None = None,
    status: MonitorStatus | None = None,
    health: Health = Health.UNKNOWN,
    pause: Pause | None = None,
    next_run_at: datetime | None = None,
    last_run: RunSummary | None = None,
    budget: BudgetView | None = None,
    going: GoingView | None = None,
    waiting: tuple[int, ...] = (),
) -> MonitorView:
    """Return how a monitor stands: one that never ran, where nothing is said."""
    return MonitorView(
        monitor=monitor or builders.monitor(name),
        status=status or MonitorStatus(),
        health=health,
        pause=pause,
        next_run_at=next_run_at,
        last_run=last_run,
        budget=budget,
        going=going,
        waiting=waiting,
    )


@dataclass
class FakeFleet:
    """Monitors that do nothing but remember what was asked of them."""

    views: dict[str, MonitorView] = field(default_factory=lambda: {"shop": view()})
    progress: dict[int, int] = field(default_factory=dict)
    looks: dict[int, SecondLookView] = field(default_factory=dict)
    ordered: list[RunRequest] = field(default_factory=list)
    deploys: list[DeployRequest] = field(default_factory=list)
    paused: list[tuple[str, bool]] = field(default_factory=list)
    refusal: RequestError | None = None

    def monitors(self) -> Sequence[MonitorView]:
        """Return all of them."""
        return list(self.views.values())

    def monitor(self, name: str) -> MonitorView:
        """Return one, or say 404."""
        if name not in self.views:
            raise RequestError(404, f"there is no monitor {name!r}")
        return self.views[name]

    def done(self, run_id: int) -> int | None:
        """Return what the test says."""
        return self.progress.get(run_id)

    def confirming(self, run_id: int) -> SecondLookView | None:
        """Return what the test says."""
        return self.looks.get(run_id)

    async def start_run(self, request: RunRequest) -> int:
        """Remember the order; ids count from 1."""
        self._refuse()
        self.ordered.append(request)
        return len(self.ordered)

    async def deploy(self, deploy: DeployRequest) -> Mapping[str, int]:
        """Remember the deploy, which matches all."""
        self._refuse()
        self.deploys.append(deploy)
        return dict.fromkeys(self.views, 7)

    async def pause(self, name: str) -> None:
        """Remember the pause."""
        self.monitor(name)
        self.paused.append((name, True))

    async def resume(self, name: str) -> None:
        """Remember its end."""
        self.monitor(name)
        self._refuse()
        self.paused.append((name, False))

    def _refuse(self) -> None:
        if self.refusal:
            raise self.refusal

    @property
    def untouched(self) -> bool:
        """Whether nothing was asked of it."""
        return not (self.ordered or self.deploys or self.paused)


@dataclass
class FakeEvidence:
    """Runs and answers that the test put there."""

    kept: dict[int, Run] = field(default_factory=dict)
    page: RunPage = field(default_factory=lambda: RunPage(runs=(), next=None))
    said: dict[str, CaseAnswers] = field(default_factory=dict)
    asked: list[Mapping[str, Mapping[str, str]]] = field(default_factory=list)
    queries: list[RunQuery] = field(default_factory=list)
    down: bool = False
    bug: Exception | None = None

    async def run(self, run_id: int) -> Run | None:
        """Return a run."""
        self._fail()
        return self.kept.get(run_id)

    async def runs(self, query: RunQuery) -> RunPage:
        """Return the one page there is."""
        self._fail()
        self.queries.append(query)
        return self.page

    async def answers(
        self, cases: Mapping[str, Mapping[str, str]]
    ) -> Mapping[str, Mapping[str, CaseAnswers]]:
        """Return the answers of all cases asked for, whichever monitor's they are."""
        self._fail()
        self.asked.append(cases)
        return {
            monitor: {case: self.said[case] for case in ids if case in self.said}
            for monitor, ids in cases.items()
        }

    def _fail(self) -> None:
        if self.down:
            raise StoreUnavailable("the database is locked")
        if self.bug:
            raise self.bug


@dataclass
class FakeExperiments:
    """Experiments that the test put there."""

    kept: dict[int, Experiment] = field(default_factory=dict)
    asked: list[tuple[int | None, int]] = field(default_factory=list)

    async def get(self, experiment_id: int) -> Experiment | None:
        """Return one."""
        return self.kept.get(experiment_id)

    async def of_run(self, run_id: int) -> int | None:
        """Return the one that the run belongs to."""
        ours = (k for k, e in self.kept.items() if run_id in e.run_ids.values())
        return next(ours, None)

    async def page(self, *, before: int | None, limit: int) -> ExperimentPage:
        """Return all of them, and remember what was asked for."""
        self.asked.append((before, limit))
        return ExperimentPage(tuple(self.kept.values()), None)


@dataclass
class FakeLifecycle:
    """A daemon that is as the test says."""

    ready: bool = True
    healthy: bool = True
    api_tokens: Sequence[ApiToken] = ()
    api_admins: frozenset[str] | None = None
    refusal: ConfigError | None = None
    reloads: int = 0
    written: str = "monitors: []\n"

    async def written_config(self, monitor: str | None = None) -> str:
        """Return what the test says."""
        return self.written if monitor is None else f"name: {monitor}\n"

    async def reload(self) -> None:
        """Count, or refuse."""
        if self.refusal:
            raise self.refusal
        self.reloads += 1


@dataclass
class FakeExposition:
    """Metrics that tell what was asked for."""

    asked: list[tuple[str, str]] = field(default_factory=list)
    encoding: str | None = None

    async def render(self, accept: str, accept_encoding: str) -> Rendered:
        """Return one line."""
        self.asked.append((accept, accept_encoding))
        return Rendered(b"up 1\n", "text/plain; version=0.0.4", self.encoding)


@dataclass
class FakeEstimator:
    """Says what the test says, of everything that is asked for."""

    found: Estimate = field(
        default_factory=lambda: Estimate(
            samples=3,
            tokens=Bounded(expected=300.0, at_most=None),
            dollars=None,
            seconds_expected=None,
            budget_left=None,
        )
    )
    asked: list[RunRequest] = field(default_factory=list)

    async def estimate(self, monitor: Monitor, request: RunRequest) -> Estimate:
        """Return what the test says."""
        del monitor
        self.asked.append(request)
        return self.found


class FakeHistory:
    """A past in which nothing happened."""

    down: bool = False

    async def recent_runs(
        self, monitors: Collection[str], each: int
    ) -> Mapping[str, tuple[RunSummary, ...]]:
        """Return no runs."""
        del monitors, each
        self._fail()
        return {}

    async def run_summary(self, run_id: int) -> RunSummary | None:
        """Return no run."""
        del run_id
        self._fail()
        return None

    async def run_samples(self, query: SampleQuery) -> SamplePage:
        """Return no samples."""
        del query
        self._fail()
        return SamplePage(samples=(), total=0)

    async def failing_cases(self, run_id: int, limit: int) -> tuple[FailingCase, ...]:
        """Return no cases."""
        del run_id, limit
        self._fail()
        return ()

    async def newest_kept(
        self, monitor: str, case_ids: Collection[str], outcomes: Collection[Outcome]
    ) -> tuple[KeptSample, ...]:
        """Return no samples."""
        del monitor, case_ids, outcomes
        self._fail()
        return ()

    async def case_history(
        self, monitor: str, case_id: str, limit: int
    ) -> tuple[HistoryPoint, ...]:
        """Return no samples."""
        del monitor, case_id, limit
        self._fail()
        return ()

    async def faults(self, run_ids: Sequence[int]) -> tuple[Fault, ...]:
        """Return no reasons."""
        del run_ids
        self._fail()
        return ()

    async def deploys(self, monitor: str, limit: int) -> tuple[StoredDeploy, ...]:
        """Return no deploys."""
        del monitor, limit
        self._fail()
        return ()

    def _fail(self) -> None:
        if self.down:
            raise StoreUnavailable("the database is locked")


@dataclass
class FakeJudges:
    """Judges that are as the test says."""

    views: Sequence[JudgeView] = ()

    async def judges(self) -> Sequence[JudgeView]:
        """Return them."""
        return self.views


@dataclass
class World:
    """Everything behind the application, and who is let in."""

    fleet: FakeFleet = field(default_factory=FakeFleet)
    evidence: FakeEvidence = field(default_factory=FakeEvidence)
    experiments: FakeExperiments = field(default_factory=FakeExperiments)
    lifecycle: FakeLifecycle = field(default_factory=FakeLifecycle)
    exposition: FakeExposition = field(default_factory=FakeExposition)
    estimator: FakeEstimator = field(default_factory=FakeEstimator)
    history: History = field(default_factory=FakeHistory)
    judges: FakeJudges = field(default_factory=FakeJudges)
    door: Door = ON_LOOPBACK
    internal_errors: int = 0

    def app(self) -> Application:
        """Return the application."""
        return make_app(
            Services(
                fleet=self.fleet,
                evidence=self.evidence,
                experiments=self.experiments,
                lifecycle=self.lifecycle,
                exposition=self.exposition,
                estimator=self.estimator,
                history=self.history,
                judges=self.judges,
            ),
            self.door,
            count_internal_error=self._count,
        )

    def _count(self) -> None:
        self.internal_errors += 1


@asynccontextmanager
async def serving(world: World) -> AsyncIterator[Client]:
    """Serve *world* on 127.0.0.1 while the block runs."""
    async with TestClient(TestServer(world.app(), host="127.0.0.1")) as client:
        yield client


async def said(response: ClientResponse) -> str:
    """Return the message of the error that *response* is."""
    body = await response.json()
    assert list(body) == ["error"]
    return str(body["error"])
