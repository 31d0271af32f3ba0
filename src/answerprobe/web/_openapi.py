"""The API described in OpenAPI: what is served, and nothing that is not."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from aiohttp import hdrs, web

from answerprobe import __version__
from answerprobe.case import MOST_SAMPLES
from answerprobe.run import Trigger
from answerprobe.verdict import Outcome
from answerprobe.web._base import Services
from answerprobe.web._guard import Door
from answerprobe.web._query import (
    EXPERIMENTS_A_PAGE,
    LARGEST_ID,
    MOST_EXPERIMENTS,
    MOST_RUNS,
    RUNS_A_PAGE,
)
from answerprobe.web._schemas import BOOLEAN, SCHEMAS, STRING, Schema, one_of, ref


_JSON = "application/json"
_BELOW = "/v1/"
_BODY_ERRORS = {
    400: "The body is wrong, or something is in the query; the message says what.",
    413: "The body is larger than 1 MB.",
}
_ERRORS = {
    401: "A token is needed, or this one is unknown.",
    403: "This token may not do this, or the request comes from where it must not.",
    503: "The store does not work now, or the daemon starts or ends.",
}
_NO_SUCH_RUN = "A case is retired or a draft; the message says which."
_NO_MONITOR = {404: "There is no such monitor or case."}


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """What one method of one path takes and gives."""

    summary: str
    returns: Schema
    status: int = 200
    media: str = _JSON
    parameters: Sequence[Schema] = ()
    takes: Schema | None = None
    must_have_body: bool = False
    errors: Mapping[int, str] = field(default_factory=dict)


def _in_path(name: str, schema: Schema, description: str) -> Schema:
    """Return a parameter of the path."""
    return {
        "name": name,
        "in": "path",
        "required": True,
        "schema": schema,
        "description": description,
    }


def _in_query(name: str, schema: Schema, description: str) -> Schema:
    """Return a parameter of the query."""
    return {"name": name, "in": "query", "schema": schema, "description": description}


_NAME = _in_path("name", {**STRING, "minLength": 1}, "The name of a monitor.")
_ID: Schema = {"type": "integer", "minimum": 1, "maximum": LARGEST_ID}
_RUN_ID = _in_path("id", _ID, "The number of a run.")
_BEFORE = _in_query("before", _ID, "Only what has a smaller id: `next` of a page.")


def _limit(default: int, most: int) -> Schema:
    """Return the parameter that says how long a page is."""
    schema: Schema = {"type": "integer", "minimum": 1, "maximum": most}
    return _in_query("limit", {**schema, "default": default}, "So many on a page.")


OPERATIONS: Mapping[tuple[str, str], Operation] = {
    (hdrs.METH_GET, "/v1/monitors"): Operation(
        summary="How all monitors stand", returns=ref("Monitors")
    ),
    (hdrs.METH_GET, "/v1/monitors/{name}"): Operation(
        summary="How one monitor stands",
        returns=ref("Monitor"),
        parameters=[_NAME],
        errors=_NO_MONITOR,
    ),
    (hdrs.METH_GET, "/v1/monitors/{name}/estimate"): Operation(
        summary="What a run would take; nothing runs",
        returns=ref("Estimate"),
        parameters=[
            _NAME,
            _in_query(
                "case",
                {"type": "array", "items": STRING},
                "Only these cases; may be repeated.",
            ),
            _in_query(
                "samples",
                {"type": "integer", "minimum": 1, "maximum": MOST_SAMPLES},
                "So many samples of each case.",
            ),
            _in_query("dry_run", BOOLEAN, "A dry run, which asks drafts too."),
        ],
        errors={
            400: "A parameter is wrong; the message names it.",
            409: _NO_SUCH_RUN,
            **_NO_MONITOR,
        },
    ),
    (hdrs.METH_POST, "/v1/monitors/{name}/runs"): Operation(
        summary="Run a monitor now",
        returns=ref("Promise"),
        status=202,
        parameters=[_NAME],
        takes=ref("RunRequest"),
        errors={
            **_BODY_ERRORS,
            **_NO_MONITOR,
            409: _NO_SUCH_RUN,
            429: "Too many runs of this monitor wait already.",
        },
    ),
    (hdrs.METH_POST, "/v1/monitors/{name}/pause"): Operation(
        summary="Start no more scheduled runs",
        returns=ref("Paused"),
        status=202,
        parameters=[_NAME],
        errors=_NO_MONITOR,
    ),
    (hdrs.METH_POST, "/v1/monitors/{name}/resume"): Operation(
        summary="Start scheduled runs again",
        returns=ref("Paused"),
        status=202,
        parameters=[_NAME],
        errors={**_NO_MONITOR, 409: "The budget is used up; the message has numbers."},
    ),
    (hdrs.METH_POST, "/v1/deploys"): Operation(
        summary="Run what matches, because something new is out",
        returns=ref("DeployRuns"),
        status=202,
        takes=ref("Deploy"),
        must_have_body=True,
        errors={**_BODY_ERRORS, **_NO_MONITOR},
    ),
    (hdrs.METH_GET, "/v1/runs"): Operation(
        summary="Runs, newest first",
        returns=ref("Runs"),
        parameters=[
            _in_query("monitor", STRING, "Of this monitor, also a past one."),
            _in_query("trigger", one_of(Trigger), "Started by this."),
            _in_query("outcome", one_of(Outcome), "With at least one such sample."),
            _BEFORE,
            _limit(RUNS_A_PAGE, MOST_RUNS),
        ],
        errors={400: "A parameter is wrong; the message names it."},
    ),
    (hdrs.METH_GET, "/v1/runs/{id}"): Operation(
        summary="One run with its samples",
        returns=ref("Run"),
        parameters=[_RUN_ID],
        errors={404: "There is no such run."},
    ),
    (hdrs.METH_GET, "/v1/runs/{id}.csv"): Operation(
        summary="One run for a spreadsheet",
        returns=STRING,
        media="text/csv",
        parameters=[_RUN_ID],
        errors={404: "There is no such run."},
    ),
    (hdrs.METH_GET, "/v1/experiments"): Operation(
        summary="Experiments, newest first",
        returns=ref("Experiments"),
        parameters=[_BEFORE, _limit(EXPERIMENTS_A_PAGE, MOST_EXPERIMENTS)],
        errors={400: "A parameter is wrong; the message names it."},
    ),
    (hdrs.METH_GET, "/v1/experiments/{id}"): Operation(
        summary="One experiment",
        returns=ref("Experiment"),
        parameters=[_in_path("id", _ID, "The number of an experiment.")],
        errors={404: "There is no such experiment."},
    ),
    (hdrs.METH_GET, "/v1/openapi.json"): Operation(
        summary="This description", returns={"type": "object"}
    ),
}


class _Served(Protocol):
    """What is asked of the application: which routes it has."""

    @property
    def router(self) -> web.UrlDispatcher:
        """Its routes."""
        ...


class OpenApi:
    """The handler of /v1/openapi.json."""

    def __init__(self, services: Services, door: Door) -> None:
        self._services = services
        self._door = door

    @property
    def routes(self) -> Sequence[web.RouteDef]:
        """What is served where."""
        return [web.get("/v1/openapi.json", self.describe)]

    async def describe(self, request: web.Request) -> web.Response:
        """The API, as far as this daemon serves it."""
        self._door.check_read(request, self._services.lifecycle.api_tokens)
        return web.json_response(document(served(request.app)))


def served(app: _Served) -> frozenset[tuple[str, str]]:
    """Return method and path of everything that *app* serves below /v1."""
    return frozenset(
        (route.method, route.resource.canonical)
        for route in app.router.routes()
        if route.resource is not None
        and route.resource.canonical.startswith(_BELOW)
        and route.method != hdrs.METH_HEAD
    )


def document(routes: Collection[tuple[str, str]]) -> Schema:
    """Return the description of those of *routes* that OPERATIONS knows."""
    paths: dict[str, dict[str, Schema]] = {}
    for (method, path), operation in OPERATIONS.items():
        if (method, path) in routes:
            paths.setdefault(path, {})[method.lower()] = _operation(method, operation)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "answerprobe",
            "version": __version__,
            "description": "How monitored agents stand, and what they answered.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": "/"}],
        "security": [{}, {"token": []}, {"user": []}],
        "paths": paths,
        "components": {
            "schemas": SCHEMAS,
            "securitySchemes": {
                "token": {"type": "http", "scheme": "bearer"},
                "user": {"type": "http", "scheme": "basic"},
            },
        },
    }


def _operation(method: str, operation: Operation) -> Schema:
    """Return *operation* as OpenAPI has it."""
    told: Schema = {
        "summary": operation.summary,
        "operationId": _operation_id(method, operation),
        "responses": {
            str(operation.status): {
                "description": operation.summary,
                "content": {operation.media: {"schema": operation.returns}},
            },
            **{
                str(status): _error(words)
                for status, words in {**_ERRORS, **operation.errors}.items()
            },
        },
    }
    if operation.parameters:
        told["parameters"] = list(operation.parameters)
    if operation.takes:
        told["requestBody"] = {
            "required": operation.must_have_body,
            "content": {_JSON: {"schema": operation.takes}},
        }
    return told


def _operation_id(method: str, operation: Operation) -> str:
    """Return a name for *operation* that generated clients can use."""
    words = "".join(c if c.isalnum() else " " for c in operation.summary).split()
    return "_".join([method.lower(), *words]).lower()


def _error(description: str) -> Schema:
    """Return the response that every error is."""
    return {"description": description, "content": {_JSON: {"schema": ref("Error")}}}
