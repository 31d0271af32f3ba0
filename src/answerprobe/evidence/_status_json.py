"""
A monitor's status as JSON.

Reading takes whatever an older or a newer version wrote: what is missing or makes no
sense has its default, what is unknown is left alone.
"""

import json
import math

from datetime import UTC, datetime
from enum import StrEnum
from typing import TypeVar

from answerprobe.passrate import Counted
from answerprobe.run import Decision
from answerprobe.status import (
    CaseStatus,
    Cause,
    DeployComparison,
    MonitorStatus,
    RecentRuns,
)


_E = TypeVar("_E", bound=StrEnum)


def encode(status: MonitorStatus) -> str:
    """Return *status* as a JSON text that `decode` reads back."""
    finished_at = status.last_run_finished_at
    return json.dumps(
        {
            "up": status.up,
            "pass_ratio": status.pass_ratio,
            "runs_below_target": status.runs_below_target,
            "runs_down": status.runs_down,
            "runs_slow": status.runs_slow,
            "slowness_ratio": status.slowness_ratio,
            "last_run_id": status.last_run_id,
            "last_run_finished_at": finished_at.timestamp() if finished_at else None,
            "last_run_duration_seconds": status.last_run_duration_seconds,
            "cases": {name: _encode_case(case) for name, case in status.cases.items()},
            "recent": [status.recent.cases, *status.recent.counts],
            "deploy": _encode_deploy(status.deploy) if status.deploy else None,
        },
        separators=(",", ":"),
    )


def _encode_case(case: CaseStatus) -> dict[str, object]:
    """Return *case* as JSON, only what differs from a new one."""
    encoded: dict[str, object] = {"fingerprint": case.fingerprint}
    if case.decision is not None:
        encoded["decision"] = case.decision.value
    if case.baseline:
        encoded["baseline"] = _encode_bits(case.baseline)
    if case.window:
        encoded["window"] = _encode_bits(case.window)
    if case.consecutive_failed_runs:
        encoded["consecutive_failed_runs"] = case.consecutive_failed_runs
    if case.regressed is not None:
        encoded["regressed"] = case.regressed.value
    if case.failing_since_run is not None:
        encoded["failing_since_run"] = case.failing_since_run
    return encoded


def _encode_deploy(deploy: DeployComparison) -> dict[str, object]:
    """Return *deploy* as JSON."""
    return {
        "version": deploy.version,
        "first_run_id": deploy.first_run_id,
        "of_runs": deploy.of_runs,
        "before": deploy.before,
        "before_runs": deploy.before_runs,
        "after": deploy.after,
        "after_runs": deploy.after_runs,
    }


def decode(text: str | None) -> MonitorStatus:
    """Return the status that *text* stands for; a new one where it is none."""
    try:
        found = json.loads(text) if text else {}
    except (ValueError, RecursionError):
        found = {}
    if not isinstance(found, dict):
        return MonitorStatus()
    cases = found.get("cases")
    decoded = {
        name: case
        for name, value in (cases.items() if isinstance(cases, dict) else ())
        if (case := _decode_case(value)) is not None
    }
    return MonitorStatus(
        up=up if isinstance(up := found.get("up"), bool) else None,
        pass_ratio=_number(found.get("pass_ratio")),
        runs_below_target=_count(found.get("runs_below_target")) or 0,
        runs_down=_count(found.get("runs_down")) or 0,
        runs_slow=_count(found.get("runs_slow")) or 0,
        slowness_ratio=_number(found.get("slowness_ratio")),
        last_run_id=_count(found.get("last_run_id")),
        last_run_finished_at=_instant(found.get("last_run_finished_at")),
        last_run_duration_seconds=_number(found.get("last_run_duration_seconds")),
        cases=decoded,
        recent=_decode_recent(found.get("recent")),
        deploy=_decode_deploy(found.get("deploy")),
    )


def _decode_recent(found: object) -> RecentRuns:
    """Return the runs that *found* has; none where a part of it makes no sense."""
    match found:
        case [str() as cases, *runs]:
            counts = tuple(map(_counted, runs))
            known = tuple(count for count in counts if count is not None)
            if len(known) == len(counts):
                return RecentRuns(cases=cases, counts=known)
        case _:
            pass
    return RecentRuns()


def _decode_deploy(found: object) -> DeployComparison | None:
    """Return the comparison that *found* has; None where it has none whole."""
    if not isinstance(found, dict):
        return None
    names = ("first_run_id", "of_runs", "before_runs", "after_runs")
    first_run_id, of_runs, before_runs, after_runs = (
        _count(found.get(name)) for name in names
    )
    before, after = _counted(found.get("before")), _counted(found.get("after"))
    version = found.get("version")
    if (
        not isinstance(version, str)
        or first_run_id is None
        or of_runs is None
        or before_runs is None
        or after_runs is None
        or before is None
        or after is None
    ):
        return None
    return DeployComparison(
        version=version,
        first_run_id=first_run_id,
        of_runs=of_runs,
        before=before,
        before_runs=before_runs,
        after=after,
        after_runs=after_runs,
    )


def _counted(found: object) -> Counted | None:
    """Return the counts of [passed, judged]; None where *found* is none such."""
    match found:
        case [passed, judged]:
            some, all_of_them = _count(passed), _count(judged)
            if some is not None and all_of_them is not None and some <= all_of_them:
                return Counted(some, all_of_them)
        case _:
            pass
    return None


def _decode_case(found: object) -> CaseStatus | None:
    """Return the case's status; None where it does not say of which definition."""
    if not isinstance(found, dict):
        return None
    fingerprint = found.get("fingerprint")
    if not isinstance(fingerprint, str):
        return None
    return CaseStatus(
        fingerprint=fingerprint,
        decision=_member(Decision, found.get("decision")),
        baseline=_decode_bits(found.get("baseline")),
        window=_decode_bits(found.get("window")),
        consecutive_failed_runs=_count(found.get("consecutive_failed_runs")) or 0,
        regressed=_member(Cause, found.get("regressed")),
        failing_since_run=_count(found.get("failing_since_run")),
    )


def _encode_bits(bits: tuple[bool, ...]) -> str:
    """Return *bits* as a text of 0 and 1."""
    return "".join("1" if bit else "0" for bit in bits)


def _decode_bits(found: object) -> tuple[bool, ...]:
    """Return the bits that *found* spells; none where it spells none."""
    return tuple(bit == "1" for bit in found) if isinstance(found, str) else ()


def _count(found: object) -> int | None:
    """Return *found* if it is a count; None where it isn't."""
    if isinstance(found, bool) or not isinstance(found, int):
        return None
    return found if found >= 0 else None


def _number(found: object) -> float | None:
    """Return *found* if it is a finite number; None where it isn't."""
    if isinstance(found, bool) or not isinstance(found, int | float):
        return None
    try:
        number = float(found)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def _instant(found: object) -> datetime | None:
    """Return the instant that *found* stands for; None where it stands for none."""
    number = _number(found)
    try:
        return None if number is None else datetime.fromtimestamp(number, UTC)
    except (ValueError, OverflowError, OSError):
        return None


def _member(members: type[_E], found: object) -> _E | None:
    """Return the member of *members* that *found* is the value of; None if of none."""
    try:
        return members(found) if isinstance(found, str) else None
    except ValueError:
        return None
