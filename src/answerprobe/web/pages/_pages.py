"""The pages: what is asked of whom for each of them."""

import asyncio

from collections.abc import Mapping, Sequence
from functools import partial

from aiohttp import hdrs, web

from answerprobe.case import Case
from answerprobe.config import Scope
from answerprobe.errors import RequestError, StoreError
from answerprobe.evidence import KeptSample, RunQuery, RunSummary, SampleQuery
from answerprobe.run import RunRequest, RunState, Trigger
from answerprobe.shapes import JudgeView, MonitorView
from answerprobe.verdict import Outcome
from answerprobe.web import _query as named
from answerprobe.web._base import Services
from answerprobe.web._guard import API_TOKEN, FORM_TOKEN, Door
from answerprobe.web.pages import (
    _case,
    _cases,
    _forms,
    _judge,
    _monitor,
    _overview,
    _query,
    _run,
)
from answerprobe.web.pages._estimate import EstimateView, estimate_view
from answerprobe.web.pages._forms import Buttons
from answerprobe.web.pages._links import Links
from answerprobe.web.pages._render import PAGE_HEADERS, rendered, static_files


_ALL_OUTCOMES = tuple(Outcome)
_LONGEST_NAME = 1000


class Pages:
    """Handlers of the pages, over the daemon's services."""

    def __init__(self, services: Services, door: Door, links: Links) -> None:
        self._services = services
        self._door = door
        self._links = links
        self._static = static_files()

    @property
    def routes(self) -> Sequence[web.RouteDef]:
        """What is served where."""
        return [
            web.get("/", self.overview),
            web.get("/monitors/{name}", self.monitor),
            web.post("/monitors/{name}/run", self.start_run),
            web.post("/monitors/{name}/pause", self.pause),
            web.post("/monitors/{name}/resume", self.resume),
            web.get("/monitors/{name}/cases/{id}", self.case),
            web.get("/runs/{id}", self.run),
            web.get("/judges", self.judges),
            web.get("/judges/{name}", self.judge),
            web.get("/static/{file}", self.static),
        ]

    def _may_read(self, request: web.Request) -> None:
        """Raise where *request* may not read evidence."""
        self._door.check_read(request, self._services.lifecycle.api_tokens)

    def _buttons(self, request: web.Request) -> Buttons:
        """Return what the sender of *request* may press."""
        shown = self._door.may_write(request)
        return Buttons(
            shown=shown,
            token=self._door.csrf_token(request) if shown else "",
            token_field=FORM_TOKEN,
            asks_token=self._door.asks_token(request),
            api_token_field=API_TOKEN,
        )

    async def static(self, request: web.Request) -> web.Response:
        """A style sheet, a script or an icon: the same for everybody."""
        file = self._static.get(request.match_info["file"])
        if file is None:
            raise RequestError(404, "there is nothing here")
        headers = {**PAGE_HEADERS, hdrs.CACHE_CONTROL: "public, max-age=300"}
        return web.Response(
            body=file.body, content_type=file.content_type, headers=headers
        )

    async def overview(self, request: web.Request) -> web.Response:
        """Every monitor, the worst first."""
        self._may_read(request)
        wanted = _overview.Wanted.of(request.query)
        views = self._services.fleet.monitors()
        chosen = _overview.choose(views, wanted)
        names = [view.monitor.name for view in chosen.views]
        runs: Mapping[str, Sequence[RunSummary]] | None
        try:
            runs = await self._services.history.recent_runs(
                names, _overview.SPARKLINE_RUNS
            )
        except StoreError:
            # How the monitors are is known without it.
            runs = None
        make = partial(_overview.overview, views, wanted, chosen, runs, self._links)
        return await rendered(request, "overview.html", lambda: {"page": make()})

    async def monitor(self, request: web.Request) -> web.Response:
        """One monitor."""
        self._may_read(request)
        view = self._services.fleet.monitor(named.monitor_name(request))
        wanted = _cases.Wanted.of(request.query)
        # Of 10,000 cases that takes longer than the event loop may be held.
        chosen = await asyncio.to_thread(_cases.choose, view, wanted)
        past = await self._past(view, chosen.cases)
        judge = await self._judge_of(view)
        make = partial(
            _monitor.monitor_page, view, wanted, chosen, past, judge, self._links
        )
        buttons = self._buttons(request)
        estimate = await self._estimate(buttons, view, _forms.next_run(view))
        return await rendered(
            request,
            "monitor.html",
            lambda: {
                "page": make(),
                "buttons": buttons,
                "estimate": estimate,
                "filters": [one.value for one in _cases.CaseFilter],
            },
        )

    async def _estimate(
        self, buttons: Buttons, view: MonitorView, order: RunRequest
    ) -> EstimateView | None:
        """Return what *order* would take; None for who can't start it."""
        if not buttons.shown or order.fault_for(view.monitor):
            return None
        found = await self._services.estimator.estimate(view.monitor, order)
        return estimate_view(found)

    async def _past(
        self, view: MonitorView, cases: Sequence[Case]
    ) -> _monitor.Past | None:
        """Return what the store says of a monitor; None while it says nothing."""
        history, name = self._services.history, view.monitor.name
        ran = [case.id for case in cases if case.id in view.status.cases]
        try:
            charted = await history.recent_runs([name], _monitor.RUNS_CHARTED)
            listed = await self._services.evidence.runs(
                RunQuery(monitor=name, limit=_monitor.RUNS_LISTED)
            )
            with_faults = _monitor.runs_with_faults(listed.runs)
            return _monitor.Past(
                charted=charted.get(name, ()),
                runs=listed.runs,
                faults=await history.faults(with_faults) if with_faults else (),
                newest=await history.newest_kept(name, ran, _ALL_OUTCOMES),
                deploys=await history.deploys(name, _monitor.DEPLOYS_LISTED),
            )
        except StoreError:
            return None

    async def _judge_of(self, view: MonitorView) -> JudgeView | None:
        """Return the judge of a monitor; None where it asks none."""
        if not any(case.rubrics for case in view.monitor.askable):
            return None
        judges = await self._services.judges.judges()
        return next((j for j in judges if j.name == view.monitor.judge), None)

    async def case(self, request: web.Request) -> web.Response:
        """One case."""
        self._may_read(request)
        view = self._services.fleet.monitor(named.monitor_name(request))
        case = _found(view, request.match_info["id"])
        history, name = self._services.history, view.monitor.name
        newest: Sequence[KeptSample] | None
        try:
            newest = await history.newest_kept(name, [case.id], _ALL_OUTCOMES)
            points = await history.case_history(name, case.id, _case.HISTORY_SAMPLES)
        except StoreError:
            newest, points = None, ()
        make = partial(
            _case.case_page,
            view,
            case,
            newest=newest,
            history=points,
            links=self._links,
        )
        buttons = self._buttons(request)
        order = _forms.next_run(view, case)
        estimate = await self._estimate(buttons, view, order)
        return await rendered(
            request,
            "case.html",
            lambda: {"page": make(), "buttons": buttons, "estimate": estimate},
        )

    async def run(self, request: web.Request) -> web.Response:
        """One run."""
        self._may_read(request)
        run_id = named.run_id(request.match_info["id"])
        outcome = _query.member(Outcome, request.query, "outcome")
        page = _query.page(request.query)
        summary = await self._services.history.run_summary(run_id)
        if summary is None:
            raise RequestError(404, f"there is no run {run_id}")
        found = await self._evidence_of(summary, outcome, page)
        experiment = await self._experiment_of(summary)
        make = partial(
            _run.run_page, found, outcome=outcome, page=page, links=self._links
        )
        return await rendered(
            request,
            "run.html",
            lambda: {"page": make(), "experiment": experiment},
        )

    async def _experiment_of(self, run: RunSummary) -> str | None:
        """Return the address of the experiment that *run* is one setup of."""
        if run.request.trigger is not Trigger.EXPERIMENT:
            return None
        found = await self._services.experiments.of_run(run.id)
        return None if found is None else self._links.experiment(found)

    async def _evidence_of(
        self, run: RunSummary, outcome: Outcome | None, page: int
    ) -> _run.RunEvidence:
        """Return what the page of *run* is made of."""
        history, fleet = self._services.history, self._services.fleet
        query = SampleQuery(
            run_id=run.id,
            outcome=outcome,
            offset=(page - 1) * _run.SAMPLES_A_PAGE,
            limit=_run.SAMPLES_A_PAGE,
        )
        over = run.state in (RunState.COMPLETED, RunState.INTERRUPTED)
        failing = (
            await history.failing_cases(run.id, _run.FAILING_SHOWN) if over else ()
        )
        name = run.request.monitor
        ids = [case.case_id for case in failing]
        return _run.RunEvidence(
            run=run,
            samples=await history.run_samples(query),
            failing=failing,
            good=await history.newest_kept(name, ids, (Outcome.PASS,)),
            view=self._view(name),
            done=fleet.done(run.id),
            look=fleet.confirming(run.id),
        )

    def _view(self, name: str) -> MonitorView | None:
        """Return the monitor *name*; None where it left the configuration."""
        try:
            return self._services.fleet.monitor(name)
        except RequestError:
            return None

    async def judges(self, request: web.Request) -> web.Response:
        """Every judge."""
        self._may_read(request)
        judges = await self._services.judges.judges()
        make = partial(_judge.judge_pages, judges, self._links)
        return await rendered(request, "judges.html", lambda: {"judges": make()})

    async def judge(self, request: web.Request) -> web.Response:
        """One judge."""
        self._may_read(request)
        name = request.match_info["name"]
        judges = await self._services.judges.judges()
        judge = next((j for j in judges if j.name == name), None)
        if judge is None:
            raise RequestError(404, f"there is no judge {name[:60]!a}")
        make = partial(_judge.judge_page, judge, self._links)
        return await rendered(request, "judge.html", lambda: {"page": make()})

    async def start_run(self, request: web.Request) -> web.Response:
        """Start a run, or queue it, and show it."""
        form = await _forms.read(request)
        self._door.check_form(request, form, Scope.RUNS)
        view = self._services.fleet.monitor(named.monitor_name(request))
        order = _forms.run_request(view, form)
        run_id = await self._services.fleet.start_run(order)
        raise web.HTTPSeeOther(self._links.run(run_id))

    async def pause(self, request: web.Request) -> web.Response:
        """Pause a monitor, and show it."""
        name = await self._pressed(request)
        await self._services.fleet.pause(name)
        raise web.HTTPSeeOther(self._links.monitor(name))

    async def resume(self, request: web.Request) -> web.Response:
        """Resume a monitor, and show it."""
        name = await self._pressed(request)
        await self._services.fleet.resume(name)
        raise web.HTTPSeeOther(self._links.monitor(name))

    async def _pressed(self, request: web.Request) -> str:
        """Return the monitor that a pause, or its end, was rightly asked for."""
        form = await _forms.read(request)
        self._door.check_form(request, form, Scope.PAUSE)
        return self._services.fleet.monitor(named.monitor_name(request)).monitor.name


def _found(view: MonitorView, case_id: str) -> Case:
    """Return a case of a monitor, or raise RequestError (404)."""
    for case in view.monitor.known:
        if case.id == case_id:
            return case
    raise RequestError(404, f"there is no case {case_id[:60]!a} in this monitor")
