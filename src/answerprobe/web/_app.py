"""The aiohttp application, put together."""

import logging

from collections.abc import Callable
from dataclasses import replace

from aiohttp import web

from answerprobe.web._api import Api
from answerprobe.web._base import Services
from answerprobe.web._errors import ClientFaults, make_error_middleware
from answerprobe.web._experiments import Experiments
from answerprobe.web._guard import Door
from answerprobe.web._operations import Operations


# No body that we take is longer than a list of all cases' ids.
_LARGEST_BODY_BYTES = 1_000_000
_CLIENT_FAULTS = ClientFaults()


def make_app(
    services: Services, door: Door, *, count_internal_error: Callable[[], None]
) -> web.Application:
    """Return the application that serves *services* to whom *door* lets in."""
    door = replace(door, callers=services.lifecycle)
    # The same filter again is no second one.
    logging.getLogger("aiohttp.server").addFilter(_CLIENT_FAULTS)
    app = web.Application(
        middlewares=[make_error_middleware(count_internal_error)],
        client_max_size=_LARGEST_BODY_BYTES,
    )
    app.add_routes(Operations(services, door).routes)
    app.add_routes(Api(services, door).routes)
    app.add_routes(Experiments(services, door).routes)
    return app
