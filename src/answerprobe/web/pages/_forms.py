"""Forms of pages: what a button does, once the door let it in."""

from dataclasses import dataclass

from aiohttp import web
from multidict import MultiMapping

from answerprobe.case import Case, CaseState
from answerprobe.errors import RequestError
from answerprobe.run import RunRequest, Trigger
from answerprobe.shapes import MonitorView
from answerprobe.web.pages._monitor import TIMES


_MOST_CASES = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Buttons:
    """
    What a visitor may press on a page; nothing where *shown* is not.

    *token* proves that the form is ours; *asks_token*: one of api.tokens must be typed.
    """

    shown: bool
    token: str
    token_field: str
    asks_token: bool
    api_token_field: str


async def read(request: web.Request) -> MultiMapping[object]:
    """
    Return the fields of the form that *request* sends.

    Raises:
        RequestError: it is none that can be read (400); whoever sends it, it's not us.
    """
    try:
        return await request.post()
    except (ValueError, LookupError) as exc:
        raise RequestError(400, "the form cannot be read") from exc


def run_request(view: MonitorView, form: MultiMapping[object]) -> RunRequest:
    """
    Return the run that *form* asks for.

    Raises:
        RequestError: it names a case that is not there (404) or can't be asked so
            (409), or an impossible number (400).
    """
    dry_run = form.get("dry_run") == "yes"
    samples = _times(form)
    cases = _cases(view, form) if form.get("some") == "yes" else None
    order = RunRequest(
        monitor=view.monitor.name,
        trigger=Trigger.DRY_RUN if dry_run else Trigger.MANUAL,
        case_ids=cases,
        samples=samples,
    )
    if fault := order.fault_for(view.monitor):
        raise RequestError(409, fault)
    return order


def next_run(view: MonitorView, case: Case | None = None) -> RunRequest:
    """Return what the first button starts: of *case* alone where one is given."""
    monitor = view.monitor
    counts = bool(monitor.cases) if case is None else case.state is CaseState.ACCEPTED
    return RunRequest(
        monitor=monitor.name,
        trigger=Trigger.MANUAL if counts else Trigger.DRY_RUN,
        case_ids=None if case is None else (case.id,),
    )


def _times(form: MultiMapping[object]) -> int | None:
    """Return how many samples a case is to have; None: as configured."""
    value = form.get("samples", "")
    if value == "":
        return None
    for times in TIMES:
        if value == str(times):
            return times
    allowed = ", ".join(map(str, TIMES))
    raise RequestError(400, f"samples must be one of {allowed}")


def _cases(view: MonitorView, form: MultiMapping[object]) -> tuple[str, ...]:
    """Return the cases that were ticked."""
    known = {case.id for case in view.monitor.known}
    ticked = [str(value) for value in form.getall("case", [])]
    if not ticked:
        raise RequestError(400, "tick the cases to run, then press the button again")
    if len(ticked) > _MOST_CASES:
        raise RequestError(400, f"at most {_MOST_CASES:,} cases at once")
    for case_id in ticked:
        if case_id not in known:
            raise RequestError(404, f"there is no case {case_id[:60]!a}")
    return tuple(dict.fromkeys(ticked))
