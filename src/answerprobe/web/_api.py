"""The JSON API below /v1."""

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence

from aiohttp import web

from answerprobe import shapes
from answerprobe.config import Scope
from answerprobe.errors import RequestError, StoreError
from answerprobe.evidence import RunSummary, redacted
from answerprobe.monitor import AnswerStorage
from answerprobe.run import Run, SampleResult
from answerprobe.shapes import MonitorView, Shape
from answerprobe.verdict import Outcome
from answerprobe.web import _body
from answerprobe.web._base import Services
from answerprobe.web._guard import Door
from answerprobe.web._json import each, object_response


_RUN_KEYS = frozenset({"cases", "samples", "dry_run"})
_DEPLOY_KEYS = frozenset({"version", "monitors", "labels", "delay"})


class Api:
    """Handlers of the API, over the daemon's services."""

    def __init__(self, services: Services, door: Door) -> None:
        self._services = services
        self._door = door

    @property
    def routes(self) -> Sequence[web.RouteDef]:
        """What is served where."""
        return [
            web.get("/v1/monitors", self.monitors),
            web.get("/v1/monitors/{name}", self.monitor),
            web.post("/v1/monitors/{name}/runs", self.start_run),
            web.post("/v1/monitors/{name}/pause", self.pause),
            web.post("/v1/monitors/{name}/resume", self.resume),
            web.get("/v1/runs", self.runs),
            web.get("/v1/runs/{id}", self.run),
            web.post("/v1/deploys", self.deploy),
        ]

    def _may_read(self, request: web.Request) -> None:
        """Raise where *request* may not read evidence."""
        self._door.check_read(request, self._services.lifecycle.api_tokens)

    def _may_write(self, request: web.Request, scope: Scope) -> None:
        """Raise where *request* may not change what *scope* covers."""
        lifecycle = self._services.lifecycle
        self._door.check_write(
            request, lifecycle.api_tokens, scope, ready=lifecycle.ready
        )

    async def monitors(self, request: web.Request) -> web.Response:
        """Every monitor."""
        self._may_read(request)
        views = self._services.fleet.monitors()
        return await object_response({}, "monitors", self._shapes(views))

    async def _shapes(self, views: Iterable[MonitorView]) -> AsyncIterator[Shape]:
        """Yield *views* as they are told."""
        for view in views:
            yield await self._shape(view)

    async def monitor(self, request: web.Request) -> web.Response:
        """One monitor."""
        self._may_read(request)
        view = self._services.fleet.monitor(_body.monitor_name(request))
        return web.json_response(await self._shape(view))

    async def _shape(self, view: MonitorView) -> Shape:
        """Return *view* with the newest answers of its cases, where they are kept."""
        ran = {
            case.id: case.fingerprint
            for case in view.monitor.cases
            if case.id in view.status.cases
        }
        if not ran or view.monitor.answers is AnswerStorage.NONE:
            return shapes.monitor_shape(view, {}, {})
        try:
            newest, last_good = await self._answers(view.monitor.name, ran)
        except StoreError:
            # How the monitor is matters more than what it said.
            return shapes.monitor_shape(view, {}, {})
        return shapes.monitor_shape(view, newest, last_good)

    async def _answers(
        self, name: str, cases: Mapping[str, str]
    ) -> tuple[Mapping[str, SampleResult], Mapping[str, SampleResult]]:
        """Return the newest and the last good answers of *cases* of *name*."""
        evidence = self._services.evidence
        newest = await evidence.newest(name, cases)
        good = {k: v for k, v in newest.items() if v.outcome is Outcome.PASS}
        others = {k: v for k, v in cases.items() if k not in good}
        if others:
            good |= await evidence.last_good(name, others)
        return newest, good

    async def runs(self, request: web.Request) -> web.Response:
        """Runs, newest first."""
        self._may_read(request)
        page = await self._services.evidence.runs(_body.run_query(request.query))
        summaries = map(self._summary, page.runs)
        return await object_response({"next": page.next}, "runs", each(summaries))

    async def run(self, request: web.Request) -> web.Response:
        """One run with its samples."""
        self._may_read(request)
        run_id = _body.run_id(request.match_info["id"])
        run = await self._services.evidence.run(run_id)
        if run is None:
            raise RequestError(404, f"there is no run {run_id}")
        wordless = self._wordless(run.request.monitor)
        samples, again = (
            (
                shapes.sample_shape(number, _without_words(s) if wordless else s)
                for number, s in enumerate(look, first)
            )
            for look, first in (
                (run.samples, 1),
                (run.second_look, len(run.samples) + 1),
            )
        )
        return await object_response(
            self._summary(run),
            "samples",
            each(samples),
            also={"second_look": each(again)},
        )

    def _summary(self, run: Run | RunSummary) -> Shape:
        """Return *run* without samples, as far as it has come."""
        fleet = self._services.fleet
        return shapes.run_summary(
            run, done=fleet.done(run.id), confirming=fleet.confirming(run.id)
        )

    def _wordless(self, name: str) -> bool:
        """Whether no answer of *name* may be shown, those kept before neither."""
        try:
            view = self._services.fleet.monitor(name)
        except RequestError:
            return False
        return view.monitor.answers is AnswerStorage.NONE

    async def start_run(self, request: web.Request) -> web.Response:
        """Start a run, or queue it."""
        self._may_write(request, Scope.RUNS)
        fleet, name = self._services.fleet, _body.monitor_name(request)
        fleet.monitor(name)
        body = await _body.read_object(request, _RUN_KEYS)
        run_id = await fleet.start_run(_body.run_request(name, body))
        return web.json_response({"run": run_id}, status=202)

    async def pause(self, request: web.Request) -> web.Response:
        """Pause a monitor."""
        self._may_write(request, Scope.PAUSE)
        name = _body.monitor_name(request)
        await self._services.fleet.pause(name)
        return self._paused(name)

    async def resume(self, request: web.Request) -> web.Response:
        """Resume a monitor."""
        self._may_write(request, Scope.PAUSE)
        name = _body.monitor_name(request)
        await self._services.fleet.resume(name)
        return self._paused(name)

    def _paused(self, name: str) -> web.Response:
        """Return why *name* is paused now: by hand, by its budget, or not at all."""
        pause = self._services.fleet.monitor(name).pause
        return web.json_response({"paused": pause.value if pause else None}, status=202)

    async def deploy(self, request: web.Request) -> web.Response:
        """Tell of a deploy."""
        self._may_write(request, Scope.DEPLOYS)
        body = await _body.read_object(request, _DEPLOY_KEYS)
        runs = await self._services.fleet.deploy(_body.deploy_request(body))
        return web.json_response({"runs": dict(runs)}, status=202)


def _without_words(sample: SampleResult) -> SampleResult:
    """Return *sample* as `answers: none` would have kept it."""
    return redacted(sample, scrub=str, answers=AnswerStorage.NONE)
