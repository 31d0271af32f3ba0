"""Handlers of the pages of experiments."""

from collections.abc import Sequence
from functools import partial

from aiohttp import web

from answerprobe.errors import RequestError
from answerprobe.web import _query as named
from answerprobe.web._base import Services
from answerprobe.web._guard import Door
from answerprobe.web.pages import _experiment, _query
from answerprobe.web.pages._links import Links
from answerprobe.web.pages._render import rendered


_LISTED = 50


class ExperimentPages:
    """Lists experiments, and shows each."""

    def __init__(self, services: Services, door: Door, links: Links) -> None:
        self._services = services
        self._door = door
        self._links = links

    @property
    def routes(self) -> Sequence[web.RouteDef]:
        """What is served where."""
        return [
            web.get("/experiments", self.experiments),
            web.get("/experiments/{id}", self.experiment),
        ]

    def _may_read(self, request: web.Request) -> None:
        """Raise where *request* may not read evidence."""
        self._door.check_read(request, self._services.lifecycle.api_tokens)

    async def experiments(self, request: web.Request) -> web.Response:
        """Experiments, newest first."""
        self._may_read(request)
        before = named.page_query(request.query).before
        found = await self._services.experiments.page(before=before, limit=_LISTED)
        make = partial(_experiment.rows, found.experiments, self._links)
        older = (
            self._links.url(f"/experiments?before={found.next}") if found.next else None
        )
        return await rendered(
            request,
            "experiments.html",
            lambda: {
                "experiments": make(),
                "older": older,
                "begun": before is not None,
                "section": "Experiments",
            },
        )

    async def experiment(self, request: web.Request) -> web.Response:
        """One experiment."""
        self._may_read(request)
        number = named.experiment_id(request.match_info["id"])
        page = _query.page(request.query)
        found = await self._services.experiments.get(number)
        if found is None:
            raise RequestError(404, f"there is no experiment {number}")
        make = partial(_experiment.experiment_page, found, page, self._links)
        return await rendered(
            request,
            "experiment.html",
            lambda: {"page": make(), "section": "Experiments"},
        )
