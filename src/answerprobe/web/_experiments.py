"""Experiments in the API: listed, and one by one."""

import json

from collections.abc import Sequence
from functools import partial

from aiohttp import web

from answerprobe import shapes
from answerprobe.comparison import Experiment
from answerprobe.errors import RequestError
from answerprobe.web import _query
from answerprobe.web._base import Services
from answerprobe.web._guard import Door
from answerprobe.web._json import written_meanwhile


class Experiments:
    """Handlers below /v1/experiments."""

    def __init__(self, services: Services, door: Door) -> None:
        self._services = services
        self._door = door

    @property
    def routes(self) -> Sequence[web.RouteDef]:
        """What is served where."""
        return [
            web.get("/v1/experiments", self.experiments),
            web.get("/v1/experiments/{id}", self.experiment),
        ]

    def _may_read(self, request: web.Request) -> None:
        """Raise where *request* may not read evidence."""
        self._door.check_read(request, self._services.lifecycle.api_tokens)

    async def experiments(self, request: web.Request) -> web.Response:
        """Experiments, newest first."""
        self._may_read(request)
        query = _query.page_query(request.query)
        page = await self._services.experiments.page(
            before=query.before, limit=query.limit
        )
        # One by one: each may be large.
        found = [await _written(experiment) for experiment in page.experiments]
        head = json.dumps({"next": page.next})[:-1]
        return web.json_response(text=f'{head}, "experiments": [{", ".join(found)}]}}')

    async def experiment(self, request: web.Request) -> web.Response:
        """One experiment."""
        self._may_read(request)
        number = _query.experiment_id(request.match_info["id"])
        found = await self._services.experiments.get(number)
        if found is None:
            raise RequestError(404, f"there is no experiment {number}")
        return web.json_response(text=await _written(found))


async def _written(experiment: Experiment) -> str:
    """Return *experiment* as JSON."""
    return await written_meanwhile(partial(shapes.experiment_shape, experiment))
