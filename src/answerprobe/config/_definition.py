"""What tells whether a monitor is still the same after a reload."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from pathlib import Path

from answerprobe.case import fingerprint
from answerprobe.monitor import Monitor
from answerprobe.secret import Secret


_APART = ("cases", "definition", "uncounted")


def definition(monitor: Monitor) -> str:
    """Return a fingerprint of all that *monitor* is, cases included."""
    return fingerprint(
        {
            "cases": [[case.id, case.fingerprint] for case in monitor.cases],
            "uncounted": [
                [case.id, case.fingerprint, case.state, case.reason, case.replaced_by]
                for case in monitor.uncounted
            ],
            **{
                each.name: plain(getattr(monitor, each.name))
                for each in fields(monitor)
                if each.name not in _APART
            },
        }
    )


def plain(value: object) -> object:
    """Return *value* as JSON; a secret as it is written, not what it stands for."""
    match value:
        case Secret():
            made: object = ["secret", value.written]
        case Enum():
            made = value.value
        case Path():
            made = str(value)
        case Mapping():
            made = {key: plain(item) for key, item in value.items()}
        case list() | tuple():
            made = [plain(item) for item in value]
        case _ if is_dataclass(value):
            made = [
                type(value).__name__,
                *(plain(getattr(value, each.name)) for each in fields(value)),
            ]
        case _:
            made = value
    return made
