"""The last run of a monitor at /probe, as blackbox_exporter would show it."""

import asyncio

from collections.abc import Sequence

from aiohttp import web

from answerprobe.config import Scope
from answerprobe.errors import RequestError
from answerprobe.evidence import RunQuery
from answerprobe.metrics import Probed, probe_text
from answerprobe.run import Run, RunRequest, RunState, Trigger
from answerprobe.shapes import run_log
from answerprobe.web._base import Services
from answerprobe.web._guard import Door
from answerprobe.web._query import ProbeQuery, check_case, probe_query
from answerprobe.web._runs import find_run
from answerprobe.web._text import plain_text


_ENDED = frozenset({RunState.COMPLETED, RunState.INTERRUPTED})
# A run is looked for among so many of its monitor, a page at a time.
_RUNS_A_PAGE = 100
_MOST_PAGES = 10
# How soon the end of a run is noticed, at first and at last.
_FIRST_LOOK_SECONDS = 0.02
_LAST_LOOK_SECONDS = 0.5


class Probe:
    """Handlers of /probe."""

    def __init__(self, services: Services, door: Door) -> None:
        self._services = services
        self._door = door

    @property
    def routes(self) -> Sequence[web.RouteDef]:
        """What is served where."""
        return [web.get("/probe", self.show), web.post("/probe", self.run)]

    async def show(self, request: web.Request) -> web.Response:
        """The last run: its metrics, or its log. Nobody is asked anything."""
        self._door.check_read(request, self._services.lifecycle.api_tokens)
        query = self._query(request)
        run_id = await self._last(query)
        found = None if run_id is None else await find_run(self._services, str(run_id))
        return await self._shown(query, found)

    async def run(self, request: web.Request) -> web.Response:
        """The same of a dry run that is carried out first."""
        lifecycle = self._services.lifecycle
        self._door.check_write(
            request, lifecycle.api_tokens, Scope.RUNS, ready=lifecycle.ready
        )
        query = self._query(request)
        run_id = await self._services.fleet.start_run(
            RunRequest(
                monitor=query.monitor,
                trigger=Trigger.DRY_RUN,
                case_ids=None if query.case_id is None else (query.case_id,),
            )
        )
        run = await self._ended(request, run_id)
        if run.state is RunState.INTERRUPTED:
            done = f"{run.done} of {run.total} samples"
            message = (
                f"run {run_id} was interrupted after {done}: the budget is used up, "
                "the monitor left, or the daemon ended"
            )
            raise RequestError(409, message)
        return await self._shown(query, run)

    def _query(self, request: web.Request) -> ProbeQuery:
        """Return what *request* asks for; RequestError where there is no such thing."""
        query = probe_query(request.query)
        view = self._services.fleet.monitor(query.monitor)
        if query.case_id is not None:
            check_case(view.monitor, query.case_id)
        return query

    async def _last(self, query: ProbeQuery) -> int | None:
        """Return the id of the last run that says something of *query*."""
        before = None
        for _ in range(_MOST_PAGES):
            asked = RunQuery(monitor=query.monitor, before=before, limit=_RUNS_A_PAGE)
            page = await self._services.evidence.runs(asked)
            for run in page.runs:
                if _says_something(run.request, run.state, query.case_id):
                    return run.id
            before = page.next
            if before is None:
                break
        return None

    async def _ended(self, request: web.Request, run_id: int) -> Run:
        """Return the run *run_id* once it has ended, if *request*'s sender waits."""
        pause_seconds = _FIRST_LOOK_SECONDS
        # Handlers go on when a caller leaves: nobody is to be looked for forever.
        while request.transport is not None and not request.transport.is_closing():
            if self._services.fleet.done(run_id) is None:
                run = await find_run(self._services, str(run_id))
                if run.state in _ENDED:
                    return run
            await asyncio.sleep(pause_seconds)
            pause_seconds = min(2 * pause_seconds, _LAST_LOOK_SECONDS)
        raise RequestError(503, "the caller left before the run ended")

    async def _shown(self, query: ProbeQuery, run: Run | None) -> web.Response:
        """Return *run* as *query* wants to see it."""
        monitor = self._services.fleet.monitor(query.monitor).monitor
        probed = Probed(monitor, run, query.case_id)
        # A run may have ten thousand samples: not in the event loop's time.
        metrics = await asyncio.to_thread(probe_text, probed)
        if not query.debug:
            return plain_text(metrics, version="0.0.4")
        log = f"Monitor {query.monitor!r} has not run yet.\n"
        if run is not None:
            log = await asyncio.to_thread(run_log, run, query.case_id)
        config = await self._services.lifecycle.written_config(query.monitor)
        text = (
            f"Log of the run:\n{log}\n\n"
            f"Metrics of it:\n{metrics}\n\n"
            f"The monitor as it is configured:\n{config}"
        )
        return plain_text(text)


def _says_something(request: RunRequest, state: RunState, case_id: str | None) -> bool:
    """Whether a run of *request* tells how the monitor, or its case *case_id*, is."""
    if state is not RunState.COMPLETED or request.trigger is Trigger.EXPERIMENT:
        return False
    return None in (case_id, request.case_ids) or case_id in (request.case_ids or ())
