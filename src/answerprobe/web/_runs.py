"""Past runs and those that go on, below /v1/runs: as JSON and as CSV."""

import asyncio

from collections.abc import Sequence
from dataclasses import replace

from aiohttp import hdrs, web

from answerprobe import shapes
from answerprobe.errors import RequestError
from answerprobe.evidence import RunSummary, redacted
from answerprobe.monitor import AnswerStorage
from answerprobe.run import Run
from answerprobe.shapes import Shape
from answerprobe.web import _query
from answerprobe.web._base import Fleet, Services
from answerprobe.web._guard import Door
from answerprobe.web._json import each, object_response


# Written in a few milliseconds; more is written in a thread.
_INLINE_SAMPLES = 100


class Runs:
    """Handlers of what is kept of runs."""

    def __init__(self, services: Services, door: Door) -> None:
        self._services = services
        self._door = door

    @property
    def routes(self) -> Sequence[web.RouteDef]:
        """What is served where."""
        return [
            web.get("/v1/runs", self.runs),
            # Before the other one, which would take the suffix for a part of the id.
            web.get("/v1/runs/{id}.csv", self.csv),
            web.get("/v1/runs/{id}", self.run),
        ]

    def _may_read(self, request: web.Request) -> None:
        """Raise where *request* may not read evidence."""
        self._door.check_read(request, self._services.lifecycle.api_tokens)

    async def runs(self, request: web.Request) -> web.Response:
        """Runs, newest first."""
        self._may_read(request)
        page = await self._services.evidence.runs(_query.run_query(request.query))
        summaries = map(self._summary, page.runs)
        return await object_response({"next": page.next}, "runs", each(summaries))

    async def run(self, request: web.Request) -> web.Response:
        """One run with its samples."""
        self._may_read(request)
        run = await find_run(self._services, request.match_info["id"])
        samples, again = (
            (shapes.sample_shape(number, s) for number, s in enumerate(look, first))
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

    async def csv(self, request: web.Request) -> web.Response:
        """One run as CSV, a row for each sample."""
        self._may_read(request)
        run = await find_run(self._services, request.match_info["id"])
        text = (
            shapes.to_csv([run])
            if len(run.samples) <= _INLINE_SAMPLES
            else await asyncio.to_thread(shapes.to_csv, [run])
        )
        # A name of our own: browsers save it and never show it as a page.
        disposition = f'attachment; filename="run-{run.id}.csv"'
        return web.Response(
            text=text,
            content_type="text/csv",
            charset="utf-8",
            headers={hdrs.CONTENT_DISPOSITION: disposition},
        )

    def _summary(self, run: Run | RunSummary) -> Shape:
        """Return *run* without samples, as far as it has come."""
        fleet = self._services.fleet
        return shapes.run_summary(
            run, done=fleet.done(run.id), confirming=fleet.confirming(run.id)
        )


async def find_run(services: Services, written: str) -> Run:
    """
    Return the run whose id is *written*, as it may be shown.

    Raises:
        RequestError: there is none (404).
        StoreError: nobody can tell now.
    """
    run_id = _query.run_id(written)
    run = await services.evidence.run(run_id)
    if run is None:
        raise RequestError(404, f"there is no run {run_id}")
    if not _wordless(run, services.fleet):
        return run
    if len(run.samples) <= _INLINE_SAMPLES:
        return _without_words(run)
    return await asyncio.to_thread(_without_words, run)


def _wordless(run: Run, fleet: Fleet) -> bool:
    """Whether no word of *run* may be shown now, though it may have been kept."""
    try:
        view = fleet.monitor(run.request.monitor)
    except RequestError:
        return False
    return view.monitor.answers is AnswerStorage.NONE


def _without_words(run: Run) -> Run:
    """Return *run* as `answers: none` would have kept it."""
    samples, again = (
        tuple(redacted(s, scrub=str, answers=AnswerStorage.NONE) for s in look)
        for look in (run.samples, run.second_look)
    )
    return replace(run, samples=samples, second_look=again)
