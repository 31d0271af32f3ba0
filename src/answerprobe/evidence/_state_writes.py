"""What is known of monitors, and the ledger, as SQL for both databases."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from answerprobe.evidence import _status_json
from answerprobe.evidence._instants import to_epoch_or_none
from answerprobe.evidence._now import now
from answerprobe.evidence._operations import RecordDeploy, SaveMonitors, SavePause
from answerprobe.evidence._records import Increment
from answerprobe.evidence._schema import deploys, monitors
from answerprobe.status import MonitorStatus
from answerprobe.text import scrub


_ADVANCE = (
    sa.update(monitors)
    .where(monitors.c.name == sa.bindparam("b_name"))
    .values(
        revision=monitors.c.revision + 1,
        status=sa.func.coalesce(
            sa.bindparam("b_status", type_=sa.Text), monitors.c.status
        ),
        due_at=sa.func.coalesce(
            sa.bindparam("b_due_at", type_=sa.Double), monitors.c.due_at
        ),
        claimed_by=sa.case(
            (sa.bindparam("b_release", type_=sa.Boolean), None),
            else_=monitors.c.claimed_by,
        ),
        changed_at=now(),
    )
)
_SAVE_PAUSE = (
    sa.update(monitors)
    .where(monitors.c.name == sa.bindparam("b_name"))
    .values(
        paused_manually=sa.bindparam("b_paused"),
        revision=monitors.c.revision + 1,
        changed_at=now(),
    )
)
_TOUCH = (
    sa.update(monitors)
    .where(monitors.c.name == sa.bindparam("b_name"))
    .values(revision=monitors.c.revision + 1, changed_at=now())
)
# Both databases spell an upsert alike; SQLAlchemy has two constructs for it, one of
# which would load a dialect that is not used.
_SAVE_MONITOR = sa.text(
    "INSERT INTO monitors"
    " (name, first_seen, revision, definition, due_at, paused_manually)"
    " VALUES (:name, :first_seen, 0, :definition, :due_at, :paused_manually)"
    # One that was watched before is due when it was: another replica may be at it.
    " ON CONFLICT (name) DO UPDATE SET"
    " due_at = CASE WHEN excluded.definition IN ('', monitors.definition)"
    " THEN COALESCE(monitors.due_at, excluded.due_at) ELSE excluded.due_at END,"
    " definition = CASE excluded.definition WHEN '' THEN monitors.definition"
    " ELSE excluded.definition END"
).bindparams(sa.bindparam("due_at", type_=sa.Double))
_ADD_LEDGER = sa.text(
    "INSERT INTO ledger"
    " (month, monitor, role, estimated, input_tokens, output_tokens)"
    " VALUES (:month, :monitor, :role, :estimated, :input_tokens, :output_tokens)"
    " ON CONFLICT (month, monitor, role, estimated) DO UPDATE SET"
    " input_tokens = ledger.input_tokens + excluded.input_tokens,"
    " output_tokens = ledger.output_tokens + excluded.output_tokens"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Advance:
    """
    What becomes of the monitor *name*; None leaves what is there.

    *release*: nobody runs it from now on.
    """

    name: str
    status: MonitorStatus | None
    due_at: datetime | None
    release: bool = False


def advance(connection: sa.Connection, changes: Sequence[Advance]) -> None:
    """Write *changes*."""
    if changes:
        rows = [
            {
                "b_name": change.name,
                "b_status": _status_json.encode(change.status)
                if change.status
                else None,
                "b_due_at": to_epoch_or_none(change.due_at),
                "b_release": change.release,
            }
            for change in changes
        ]
        connection.execute(_ADVANCE, rows)


def save_monitors(connection: sa.Connection, operation: SaveMonitors) -> None:
    """Write monitors; what the store has of status and pause stays."""
    rows = [
        {
            "name": name,
            "first_seen": monitor.first_seen.timestamp(),
            "definition": monitor.definition,
            "due_at": to_epoch_or_none(monitor.due_at),
            "paused_manually": monitor.paused_manually,
        }
        for name, monitor in sorted(operation.monitors.items())
    ]
    if rows:
        connection.execute(_SAVE_MONITOR, rows)
        connection.execute(_TOUCH, [{"b_name": row["name"]} for row in rows])


def add_ledger(connection: sa.Connection, entries: Iterable[Increment]) -> None:
    """Add *entries* to the ledger, one row a month, monitor, role and kind."""
    sums: dict[tuple[str, str, str, bool], list[int]] = defaultdict(lambda: [0, 0])
    for entry in entries:
        key = (entry.month, entry.monitor, entry.role.value, entry.estimated)
        sums[key][0] += entry.input_tokens
        sums[key][1] += entry.output_tokens
    rows = [
        {
            "month": month,
            "monitor": monitor,
            "role": role,
            "estimated": estimated,
            "input_tokens": spent[0],
            "output_tokens": spent[1],
        }
        # In one order everywhere: two replicas cannot wait for each other's rows.
        for (month, monitor, role, estimated), spent in sorted(sums.items())
    ]
    if rows:
        connection.execute(_ADD_LEDGER, rows)


def save_pause(connection: sa.Connection, change: SavePause) -> None:
    """Write whether a monitor is paused by hand."""
    values = {"b_name": change.monitor, "b_paused": change.paused}
    connection.execute(_SAVE_PAUSE, values)


def record_deploy(connection: sa.Connection, deploy: RecordDeploy) -> None:
    """Write a deploy."""
    values = {
        "monitor": deploy.monitor,
        "version": scrub(deploy.version),
        "at": deploy.at.timestamp(),
    }
    connection.execute(sa.insert(deploys), values)
    connection.execute(_TOUCH, {"b_name": deploy.monitor})
