"""The last calibration of each judge, as SQL for both databases."""

import json

from collections.abc import Mapping, Sequence

import sqlalchemy as sa

from answerprobe.calibration import Agreement, Calibration, CanaryVerdict
from answerprobe.evidence._instants import from_epoch
from answerprobe.evidence._schema import calibrations
from answerprobe.text import scrub
from answerprobe.verdict import Outcome


_COLUMNS = tuple(column.name for column in calibrations.columns)
# Of two replicas that calibrated at once, the later one's stays.
_SAVE = sa.text(
    f"INSERT INTO calibrations ({', '.join(_COLUMNS)})"  # noqa: S608  our own names
    f" VALUES ({', '.join(f':{name}' for name in _COLUMNS)})"
    " ON CONFLICT (judge) DO UPDATE SET "
    + ", ".join(f"{name} = excluded.{name}" for name in _COLUMNS[1:])
    + " WHERE calibrations.at <= excluded.at"
)


def save(connection: sa.Connection, calibration: Calibration) -> None:
    """Write *calibration* in place of the judge's earlier one."""
    passes, fails = calibration.passes, calibration.fails
    values = {
        "judge": calibration.judge,
        "definition": calibration.definition,
        "models": json.dumps(calibration.models),
        "prompt_version": calibration.prompt_version,
        "at": calibration.at.timestamp(),
        "passes_agreed": passes.agreed,
        "passes_judged": passes.judged,
        "fails_agreed": fails.agreed,
        "fails_judged": fails.judged,
        "wrong": _encode(calibration.wrong),
    }
    connection.execute(_SAVE, values)


def load(connection: sa.Connection) -> Mapping[str, Calibration]:
    """Return the last calibration of each judge, by its name."""
    return {
        row.judge: Calibration(
            judge=row.judge,
            definition=row.definition,
            models=tuple(json.loads(row.models)),
            prompt_version=row.prompt_version,
            at=from_epoch(row.at),
            passes=Agreement(agreed=row.passes_agreed, judged=row.passes_judged),
            fails=Agreement(agreed=row.fails_agreed, judged=row.fails_judged),
            wrong=_decode(row.wrong),
        )
        for row in connection.execute(sa.select(calibrations))
    }


def _encode(wrong: Sequence[CanaryVerdict]) -> str:
    """Return *wrong* as a JSON text that `_decode` reads back."""
    entries = [
        {
            "number": verdict.number,
            "question": scrub(verdict.question),
            "answer": scrub(verdict.answer),
            "expected": verdict.expected.value,
            "outcome": verdict.outcome.value,
            "reason": scrub(verdict.reason),
        }
        for verdict in wrong
    ]
    return json.dumps(entries, ensure_ascii=False)


def _decode(text: str) -> tuple[CanaryVerdict, ...]:
    """Return what `_encode` wrote."""
    return tuple(
        CanaryVerdict(
            number=entry["number"],
            question=entry["question"],
            answer=entry["answer"],
            expected=Outcome(entry["expected"]),
            outcome=Outcome(entry["outcome"]),
            reason=entry["reason"],
        )
        for entry in json.loads(text)
    )
