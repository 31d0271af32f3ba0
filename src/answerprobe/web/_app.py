"""The aiohttp application, put together."""

import logging

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime

from aiohttp import web

from answerprobe.web._api import Api
from answerprobe.web._base import Services
from answerprobe.web._errors import ClientFaults, make_error_middleware
from answerprobe.web._experiments import Experiments
from answerprobe.web._front import (
    add_headers,
    below,
    leading_below,
    make_door_middleware,
)
from answerprobe.web._guard import Door
from answerprobe.web._openapi import OpenApi
from answerprobe.web._operations import Operations
from answerprobe.web._probe import Probe
from answerprobe.web._runs import Runs
from answerprobe.web.pages import (
    ExperimentPages,
    Links,
    Pages,
    make_page_middleware,
    setup,
)


# No body that we take is longer than a list of all cases' ids.
_LARGEST_BODY_BYTES = 1_000_000
_CLIENT_FAULTS = ClientFaults()


def make_app(
    services: Services,
    door: Door,
    *,
    count_internal_error: Callable[[], None],
) -> web.Application:
    """Return the application that serves *services* to whom *door* lets in."""
    door = replace(door, callers=services.lifecycle)
    # The same filter again is no second one.
    logging.getLogger("aiohttp.server").addFilter(_CLIENT_FAULTS)
    app = web.Application(
        middlewares=[
            make_page_middleware(),
            make_error_middleware(count_internal_error),
            make_door_middleware(door),
        ],
        client_max_size=_LARGEST_BODY_BYTES,
    )
    links = Links(prefix=door.base)
    setup(app, links, lambda: datetime.now(UTC))
    for part in (
        Operations(services, door),
        Api(services, door),
        Experiments(services, door),
        Runs(services, door),
        Probe(services, door),
        OpenApi(services, door),
        Pages(services, door, links),
        ExperimentPages(services, door, links),
    ):
        app.add_routes(below(door.prefix, part.routes))
    app.add_routes(leading_below(door.prefix))
    add_headers(app, door)
    return app
