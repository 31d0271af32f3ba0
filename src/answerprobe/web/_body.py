"""Requests read strictly: bodies as JSON objects with known keys, queries, ids."""

import json

from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeVar, cast

from aiohttp import web
from multidict import MultiMapping

from answerprobe import durations
from answerprobe.case import MOST_SAMPLES
from answerprobe.errors import RequestError
from answerprobe.evidence import RunQuery
from answerprobe.run import DeployRequest, RunRequest, Trigger
from answerprobe.verdict import Outcome


_LARGEST_ID = 2**63 - 1
_MOST_DIGITS = 19
_RUN_PARAMETERS = ("monitor", "trigger", "outcome", "before", "limit")
_PAGE_PARAMETERS = ("before", "limit")
_EXPERIMENTS_A_PAGE = 20
_MOST_EXPERIMENTS = 100
_RUNS_A_PAGE = 100
_MOST_RUNS = 1000
_LONGEST_VERSION = 200
# No monitor and no case has a longer name.
_LONGEST_NAME = 1000
_LONGEST_DELAY_SECONDS = 7 * 86400.0
_SHOWN = 60

Body = Mapping[str, object]
_Member = TypeVar("_Member", Trigger, Outcome)


async def read_object(request: web.Request, keys: frozenset[str]) -> Body:
    """
    Return the body, a JSON object with no keys but *keys*; an empty body is `{}`.

    Raises:
        RequestError: it is anything else; the message says what and is short.
    """
    raw = await request.read()
    if not raw.strip():
        return {}
    try:
        body = json.loads(raw.decode(), object_pairs_hook=_unique)
    except UnicodeDecodeError as exc:
        raise RequestError(400, "the body is not UTF-8") from exc
    except (ValueError, RecursionError) as exc:
        raise RequestError(400, f"the body is not JSON: {str(exc)[:_SHOWN]}") from exc
    if not isinstance(body, dict):
        raise RequestError(400, "the body must be a JSON object")
    for key in body:
        if key not in keys:
            known = ", ".join(sorted(keys))
            message = f"unknown key {_short(key)} in the body, known are {known}"
            raise RequestError(400, message)
    return cast("Body", body)


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Return *pairs* as a dict; RequestError where a key comes twice."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise RequestError(400, "a key stands twice in the body")
    return found


def _short(value: object) -> str:
    """Return *value* as a message may show it."""
    text = ascii(value)
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "..."


def run_request(monitor: str, body: Body) -> RunRequest:
    """
    Return the run that *body* asks for.

    Raises:
        RequestError: a value of it is wrong.
    """
    samples = body.get("samples")
    if samples is not None and (
        not isinstance(samples, int)
        or isinstance(samples, bool)
        or not 1 <= samples <= MOST_SAMPLES
    ):
        message = f"samples must be a whole number from 1 to {MOST_SAMPLES}"
        raise RequestError(400, message)
    dry_run = body.get("dry_run", False)
    if not isinstance(dry_run, bool):
        raise RequestError(400, "dry_run must be true or false")
    return RunRequest(
        monitor=monitor,
        trigger=Trigger.DRY_RUN if dry_run else Trigger.MANUAL,
        case_ids=_names(body, "cases"),
        samples=samples,
    )


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
        if len(name) > _LONGEST_NAME:
            raise RequestError(404, f"{key}: there is no {_short(name)}")
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


def monitor_name(request: web.Request) -> str:
    """
    Return the name of the monitor in the path of *request*.

    Raises:
        RequestError: no monitor can have it (404).
    """
    name = request.match_info["name"]
    if len(name) > _LONGEST_NAME:
        raise RequestError(404, f"there is no monitor {_short(name)}")
    return name


def run_id(text: str) -> int:
    """
    Return the run id that *text* spells.

    Raises:
        RequestError: it is no such number (404: there can be no such run).
    """
    number = _whole(text)
    if number is None:
        raise RequestError(404, f"there is no run {_short(text)}")
    return number


def experiment_id(text: str) -> int:
    """
    Return the number of an experiment that *text* spells.

    Raises:
        RequestError: it is no such number (404: there can be no such experiment).
    """
    number = _whole(text)
    if number is None:
        raise RequestError(404, f"there is no experiment {_short(text)}")
    return number


def _whole(text: str) -> int | None:
    """Return the whole number that *text* spells; None where no store can hold it."""
    if not text.isascii() or not text.isdigit() or len(text) > _MOST_DIGITS:
        return None
    number = int(text)
    return number if number <= _LARGEST_ID else None


def run_query(query: MultiMapping[str]) -> RunQuery:
    """
    Return what the query string of a listing of runs asks for.

    Raises:
        RequestError: a parameter is unknown, comes twice, or its value is wrong.
    """
    _refuse_unknown(query, _RUN_PARAMETERS)
    return RunQuery(
        monitor=_monitor(query),
        trigger=_member(Trigger, "trigger", query),
        outcome=_member(Outcome, "outcome", query),
        before=_number("before", query, most=_LARGEST_ID),
        limit=_number("limit", query, most=_MOST_RUNS) or _RUNS_A_PAGE,
    )


class PageQuery(NamedTuple):
    """At most *limit* things, from the one *before* that number on."""

    before: int | None
    limit: int


def page_query(query: MultiMapping[str]) -> PageQuery:
    """
    Return which page of experiments the query string asks for.

    Raises:
        RequestError: a parameter is unknown, comes twice, or its value is wrong.
    """
    _refuse_unknown(query, _PAGE_PARAMETERS)
    return PageQuery(
        before=_number("before", query, most=_LARGEST_ID),
        limit=_number("limit", query, most=_MOST_EXPERIMENTS) or _EXPERIMENTS_A_PAGE,
    )


def _refuse_unknown(query: MultiMapping[str], known: Sequence[str]) -> None:
    """Raise where *query* has a parameter that is not *known*, or one twice."""
    for key in query:
        if key not in known:
            message = f"unknown parameter {_short(key)}, known are {', '.join(known)}"
            raise RequestError(400, message)
        if len(query.getall(key)) > 1:
            raise RequestError(400, f"{key} is given twice")


def _monitor(query: Mapping[str, str]) -> str | None:
    """Return the monitor that *query* names, which may be one of the past."""
    name = query.get("monitor")
    if name is not None and not name.isprintable():
        raise RequestError(400, "monitor must be printable text")
    return name


def _member(
    members: type[_Member], key: str, query: Mapping[str, str]
) -> _Member | None:
    """Return the member of *members* that *query* names at *key*."""
    value = query.get(key)
    if value is None:
        return None
    try:
        return members(value)
    except ValueError as exc:
        allowed = ", ".join(member.value for member in members)
        raise RequestError(400, f"{key} must be one of {allowed}") from exc


def _number(key: str, query: Mapping[str, str], *, most: int) -> int | None:
    """Return the whole number from 1 to *most* at *key*."""
    value = query.get(key)
    if value is None:
        return None
    number = _whole(value)
    if number is None or not 1 <= number <= most:
        raise RequestError(400, f"{key} must be a whole number from 1 to {most}")
    return number
