"""The JSON API below /v1."""

from collections.abc import Iterable, Mapping, Sequence

from aiohttp import web

from answerprobe import shapes
from answerprobe.config import Scope
from answerprobe.errors import RequestError, StoreError
from answerprobe.evidence import CaseAnswers
from answerprobe.monitor import AnswerStorage
from answerprobe.shapes import MonitorView, Shape
from answerprobe.web import _body, _query
from answerprobe.web._base import Services
from answerprobe.web._guard import Door
from answerprobe.web._json import each, object_response


_RUN_KEYS = frozenset({"cases", "samples", "dry_run"})
_DEPLOY_KEYS = frozenset({"version", "monitors", "labels", "delay"})

Answers = Mapping[str, Mapping[str, CaseAnswers]]


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
            web.get("/v1/monitors/{name}/estimate", self.estimate),
            web.post("/v1/monitors/{name}/runs", self.start_run),
            web.post("/v1/monitors/{name}/pause", self.pause),
            web.post("/v1/monitors/{name}/resume", self.resume),
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
        answers = await self._answers(views)
        shapes_of = (self._shape(view, answers) for view in views)
        return await object_response({}, "monitors", each(shapes_of))

    async def monitor(self, request: web.Request) -> web.Response:
        """One monitor."""
        self._may_read(request)
        view = self._services.fleet.monitor(_query.monitor_name(request))
        return web.json_response(self._shape(view, await self._answers([view])))

    async def _answers(self, views: Iterable[MonitorView]) -> Answers:
        """Return the answers of all *views*, where they are kept."""
        wanted = {
            view.monitor.name: {
                case.id: case.fingerprint
                for case in view.monitor.cases
                if case.id in view.status.cases
            }
            for view in views
            if view.monitor.answers is not AnswerStorage.NONE
        }
        try:
            return await self._services.evidence.answers(wanted)
        except StoreError:
            # How a monitor is matters more than what it said.
            return {}

    def _shape(self, view: MonitorView, answers: Answers) -> Shape:
        """Return *view* with what its cases said."""
        return shapes.monitor_shape(view, answers.get(view.monitor.name, {}))

    async def estimate(self, request: web.Request) -> web.Response:
        """What a run would take; nothing runs."""
        self._may_read(request)
        name = _query.monitor_name(request)
        monitor = self._services.fleet.monitor(name).monitor
        wanted = _query.estimate_query(name, request.query)
        for case_id in wanted.case_ids or ():
            _query.check_case(monitor, case_id)
        if wanted.case_ids and (fault := wanted.fault_for(monitor)):
            raise RequestError(409, fault)
        found = await self._services.estimator.estimate(monitor, wanted)
        return web.json_response(shapes.estimate_shape(found))

    async def start_run(self, request: web.Request) -> web.Response:
        """Start a run, or queue it."""
        self._may_write(request, Scope.RUNS)
        fleet, name = self._services.fleet, _query.monitor_name(request)
        fleet.monitor(name)
        body = await _body.read_object(request, _RUN_KEYS)
        run_id = await fleet.start_run(_body.run_request(name, body))
        return web.json_response({"run": run_id}, status=202)

    async def pause(self, request: web.Request) -> web.Response:
        """Pause a monitor."""
        self._may_write(request, Scope.PAUSE)
        name = _query.monitor_name(request)
        await self._services.fleet.pause(name)
        return self._paused(name)

    async def resume(self, request: web.Request) -> web.Response:
        """Resume a monitor."""
        self._may_write(request, Scope.PAUSE)
        name = _query.monitor_name(request)
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
