"""Bodies of requests read strictly: JSON objects with known keys."""

import json

from collections.abc import Mapping
from typing import cast

from aiohttp import web

from answerprobe import durations
from answerprobe.case import MOST_SAMPLES
from answerprobe.errors import RequestError
from answerprobe.run import DeployRequest, RunRequest, Trigger
from answerprobe.web._query import LONGEST_NAME, short


_LONGEST_VERSION = 200
_LONGEST_DELAY_SECONDS = 7 * 86400.0

Body = Mapping[str, object]


async def read_object(request: web.Request, keys: frozenset[str]) -> Body:
    """
    Return the body, a JSON object with no keys but *keys*; an empty body is `{}`.

    Raises:
        RequestError: it is anything else, or something stands in the query, where it
            would not count; the message says what and is short.
    """
    for key in request.query:
        message = f"unknown parameter {short(key)}: what counts stands in the body"
        raise RequestError(400, message)
    raw = await request.read()
    if not raw.strip():
        return {}
    body = _parsed(raw)
    if not isinstance(body, dict):
        raise RequestError(400, "the body must be a JSON object")
    for key in body:
        if key not in keys:
            known = ", ".join(sorted(keys))
            message = f"unknown key {short(key)} in the body, known are {known}"
            raise RequestError(400, message)
    return cast("Body", body)


def _parsed(raw: bytes) -> object:
    """Return what *raw* says in JSON; RequestError where it is none."""
    try:
        return json.loads(raw.decode(), object_pairs_hook=_unique)
    except UnicodeDecodeError as exc:
        raise RequestError(400, "the body is not UTF-8") from exc
    except json.JSONDecodeError as exc:
        where = f"line {exc.lineno} column {exc.colno}"
        raise RequestError(400, f"the body is not JSON: {exc.msg}, {where}") from exc
    except (ValueError, RecursionError) as exc:
        message = "the body is not JSON: nested too deep, or a number is too long"
        raise RequestError(400, message) from exc


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Return *pairs* as a dict; RequestError where a key comes twice."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise RequestError(400, "a key stands twice in the body")
    return found


def run_request(monitor: str, body: Body) -> RunRequest:
    """
    Return the run that *body* asks for.

    Raises:
        RequestError: a value of it is wrong.
    """
    samples = _samples(body.get("samples"))
    dry_run = body.get("dry_run", False)
    if not isinstance(dry_run, bool):
        raise RequestError(400, "dry_run must be true or false")
    return RunRequest(
        monitor=monitor,
        trigger=Trigger.DRY_RUN if dry_run else Trigger.MANUAL,
        case_ids=_names(body, "cases"),
        samples=samples,
    )


def _samples(value: object) -> int | None:
    """Return the number of samples that *value* is; None where it is left out."""
    # To JSON a whole number is one, also as 20.0.
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int):
        value = 0
    if not 1 <= value <= MOST_SAMPLES:
        message = f"samples must be a whole number from 1 to {MOST_SAMPLES}"
        raise RequestError(400, message)
    return value


def deploy_request(body: Body) -> DeployRequest:
    """
    Return the deploy that *body* tells of.

    Raises:
        RequestError: a value of it is missing or wrong.
    """
    version = body.get("version")
    if not isinstance(version, str) or not version.strip():
        raise RequestError(400, "version is missing: a text that names what is out")
    if len(version) > _LONGEST_VERSION or not version.isprintable():
        message = f"version must be printable, at most {_LONGEST_VERSION} characters"
        raise RequestError(400, message)
    labels = body.get("labels", {})
    if not isinstance(labels, dict) or not all(
        isinstance(value, str) for value in labels.values()
    ):
        raise RequestError(400, "labels must be an object of texts")
    return DeployRequest(
        version=version,
        monitors=_names(body, "monitors"),
        labels=labels,
        delay_seconds=_delay(body.get("delay", "0s")),
    )


def _names(body: Body, key: str) -> tuple[str, ...] | None:
    """Return the list of names at *key*; None where it is left out."""
    value = body.get(key)
    if value is None:
        return None
    if not isinstance(value, list) or not all(isinstance(v, str) for v in value):
        raise RequestError(400, f"{key} must be a list of texts")
    if not value:
        message = f"{key} is empty: name some, or leave it out for all"
        raise RequestError(400, message)
    for name in value:
        if len(name) > LONGEST_NAME:
            raise RequestError(404, f"{key}: there is no {short(name)}")
    return tuple(dict.fromkeys(value))


def _delay(value: object) -> float:
    """Return the seconds of a deploy's delay."""
    if not isinstance(value, str):
        raise RequestError(400, 'delay must be a duration such as "30s"')
    try:
        seconds = durations.parse(value)
    except ValueError as exc:
        raise RequestError(400, f"delay: {exc}") from exc
    if seconds > _LONGEST_DELAY_SECONDS:
        raise RequestError(400, "delay: at most 7d")
    return seconds
