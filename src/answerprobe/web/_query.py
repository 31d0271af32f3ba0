"""Paths and query strings of requests read strictly: names, ids, known parameters."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from aiohttp import web
from multidict import MultiMapping

from answerprobe.case import MOST_SAMPLES
from answerprobe.errors import RequestError
from answerprobe.evidence import RunQuery
from answerprobe.monitor import Monitor
from answerprobe.run import RunRequest, Trigger
from answerprobe.verdict import Outcome


# No monitor and no case has a longer name.
LONGEST_NAME = 1000
# So much of what was sent stands in a message.
SHOWN = 60
LARGEST_ID = 2**63 - 1
_MOST_DIGITS = 19
_RUN_PARAMETERS = ("monitor", "trigger", "outcome", "before", "limit")
_PAGE_PARAMETERS = ("before", "limit")
_PROBE_PARAMETERS = ("monitor", "case", "debug")
_ESTIMATE_PARAMETERS = ("case", "samples", "dry_run")
_TRUTHS = {"true": True, "1": True, "false": False, "0": False}
RUNS_A_PAGE = 100
MOST_RUNS = 1000
EXPERIMENTS_A_PAGE = 20
MOST_EXPERIMENTS = 100

_Member = TypeVar("_Member", Trigger, Outcome)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeQuery:
    """What is to be shown: of which monitor, of one case of it, with the log or not."""

    monitor: str
    case_id: str | None = None
    debug: bool = False


class PageQuery(NamedTuple):
    """At most *limit* things, from the one *before* that number on."""

    before: int | None
    limit: int


def short(value: object) -> str:
    """Return *value* as a message may show it."""
    text = ascii(value)
    return text if len(text) <= SHOWN else text[:SHOWN] + "..."


def monitor_name(request: web.Request) -> str:
    """
    Return the name of the monitor in the path of *request*.

    Raises:
        RequestError: no monitor can have it (404).
    """
    name = request.match_info["name"]
    if len(name) > LONGEST_NAME:
        raise RequestError(404, f"there is no monitor {short(name)}")
    return name


def check_case(monitor: Monitor, case_id: str) -> None:
    """Raise RequestError (404) where *monitor* has no case *case_id*."""
    known = (*monitor.cases, *monitor.uncounted)
    if not any(case.id == case_id for case in known):
        message = f"monitor {monitor.name!r} has no case {short(case_id)}"
        raise RequestError(404, message)


def run_id(text: str) -> int:
    """
    Return the run id that *text* spells.

    Raises:
        RequestError: it is no such number (404: there can be no such run).
    """
    number = _whole(text)
    if number is None:
        raise RequestError(404, f"there is no run {short(text)}")
    return number


def experiment_id(text: str) -> int:
    """
    Return the number of an experiment that *text* spells.

    Raises:
        RequestError: it is no such number (404: there can be no such experiment).
    """
    number = _whole(text)
    if number is None:
        raise RequestError(404, f"there is no experiment {short(text)}")
    return number


def _whole(text: str) -> int | None:
    """Return the whole number that *text* spells; None where no store can hold it."""
    if not text.isascii() or not text.isdigit() or len(text) > _MOST_DIGITS:
        return None
    number = int(text)
    return number if number <= LARGEST_ID else None


def run_query(query: MultiMapping[str]) -> RunQuery:
    """
    Return what the query string of a listing of runs asks for.

    Raises:
        RequestError: a parameter is unknown, comes twice, or its value is wrong.
    """
    _check_keys(query, _RUN_PARAMETERS)
    return RunQuery(
        monitor=_monitor(query),
        trigger=_member(Trigger, "trigger", query),
        outcome=_member(Outcome, "outcome", query),
        before=_number("before", query, most=LARGEST_ID),
        limit=_number("limit", query, most=MOST_RUNS) or RUNS_A_PAGE,
    )


def page_query(query: MultiMapping[str]) -> PageQuery:
    """
    Return which page of experiments the query string asks for.

    Raises:
        RequestError: a parameter is unknown, comes twice, or its value is wrong.
    """
    _check_keys(query, _PAGE_PARAMETERS)
    return PageQuery(
        before=_number("before", query, most=LARGEST_ID),
        limit=_number("limit", query, most=MOST_EXPERIMENTS) or EXPERIMENTS_A_PAGE,
    )


def probe_query(query: MultiMapping[str]) -> ProbeQuery:
    """
    Return what the query string of a probe asks for.

    Raises:
        RequestError: a parameter is missing, unknown, comes twice, or is wrong.
    """
    _check_keys(query, _PROBE_PARAMETERS)
    if "monitor" not in query:
        raise RequestError(400, "monitor is missing: the name of the one to show")
    return ProbeQuery(
        monitor=query["monitor"],
        case_id=query.get("case"),
        debug=_truth("debug", query),
    )


def estimate_query(monitor: str, query: MultiMapping[str]) -> RunRequest:
    """
    Return the run of *monitor* that is to be estimated.

    Raises:
        RequestError: a parameter is unknown, wrong, or comes twice where it must not.
    """
    _check_keys(query, _ESTIMATE_PARAMETERS, several=("case",))
    cases = query.getall("case", [])
    return RunRequest(
        monitor=monitor,
        trigger=Trigger.DRY_RUN if _truth("dry_run", query) else Trigger.MANUAL,
        case_ids=tuple(dict.fromkeys(cases)) or None,
        samples=_number("samples", query, most=MOST_SAMPLES),
    )


def _truth(key: str, query: Mapping[str, str]) -> bool:
    """Return whether *query* says yes at *key*; no where it says nothing."""
    value = query.get(key, "false")
    if value not in _TRUTHS:
        raise RequestError(400, f"{key} must be true or false")
    return _TRUTHS[value]


def _check_keys(
    query: MultiMapping[str], known: Collection[str], several: Collection[str] = ()
) -> None:
    """Raise RequestError unless *query* has *known* keys, but for *several* once."""
    for key in query:
        if key not in known:
            message = f"unknown parameter {short(key)}, known are {', '.join(known)}"
            raise RequestError(400, message)
        if key not in several and len(query.getall(key)) > 1:
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
