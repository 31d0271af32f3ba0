"""What the API takes and returns, as JSON Schemas by their names."""

from collections.abc import Iterable
from enum import Enum

from answerprobe.case import MOST_SAMPLES
from answerprobe.monitor import TargetProtocol
from answerprobe.passrate import Change
from answerprobe.run import RunState, Trigger
from answerprobe.sample import ErrorReason, Speaker, Termination, TokenRole, ToolSource
from answerprobe.status import Cause, Health, Pause
from answerprobe.verdict import Outcome


Schema = dict[str, object]

STRING: Schema = {"type": "string"}
INTEGER: Schema = {"type": "integer"}
COUNT: Schema = {"type": "integer", "minimum": 0}
NUMBER: Schema = {"type": "number"}
SECONDS: Schema = {"type": "number", "minimum": 0}
DOLLARS = SECONDS
RATIO: Schema = {"type": "number", "minimum": 0, "maximum": 1}
BOOLEAN: Schema = {"type": "boolean"}
INSTANT: Schema = {"type": "string", "format": "date-time"}


def ref(name: str) -> Schema:
    """Return a reference to the schema *name*."""
    return {"$ref": f"#/components/schemas/{name}"}


def list_of(items: Schema) -> Schema:
    """Return a list of *items*."""
    return {"type": "array", "items": items}


def map_of(values: Schema) -> Schema:
    """Return an object with any keys and such *values*."""
    return {"type": "object", "additionalProperties": values}


def closed(properties: dict[str, Schema], *optional: str) -> Schema:
    """Return an object of *properties* and no others; all but *optional* are there."""
    return {
        "type": "object",
        "properties": properties,
        "required": [key for key in properties if key not in optional],
        "additionalProperties": False,
    }


def or_null(schema: Schema) -> Schema:
    """Return *schema*, or null: nobody knows."""
    kind = schema.get("type")
    if isinstance(kind, str) and "enum" not in schema:
        return {**schema, "type": [kind, "null"]}
    return {"anyOf": [schema, {"type": "null"}]}


def one_of(members: Iterable[Enum]) -> Schema:
    """Return the value of one of *members*."""
    return {"type": "string", "enum": [member.value for member in members]}


def at_most(schema: Schema) -> Schema:
    """Return what is expected and what is the most it can be."""
    return closed({"expected": schema, "at_most": or_null(schema)})


def _both(schema: Schema) -> Schema:
    """Return such a value for each setup of an experiment."""
    return closed({"current": schema, "changed": schema})


_SUMMARY: dict[str, Schema] = {
    "id": {"type": "integer", "minimum": 1},
    "monitor": STRING,
    "trigger": one_of(Trigger),
    "state": one_of(RunState),
    "progress": closed({"done": COUNT, "total": COUNT}),
    "confirming": or_null(closed({"at": INSTANT, "done": COUNT, "total": COUNT})),
    "exploratory": BOOLEAN,
    "exploratory_reason": or_null(STRING),
    "queued_at": INSTANT,
    "started_at": or_null(INSTANT),
    "finished_at": or_null(INSTANT),
    "pass_ratio": or_null(RATIO),
    "outcomes": closed({outcome.value: COUNT for outcome in Outcome}),
}
_GRADED_BY = or_null(closed({"model": STRING, "prompt_version": STRING}))
_TOOL_CALL = closed(
    {
        "name": STRING,
        "arguments": {"description": "What was sent: any JSON value."},
        "result": {"description": "What came back: any JSON value."},
        "error": or_null(STRING),
        "source": one_of(ToolSource),
    }
)
_USAGE = closed({"input": COUNT, "output": COUNT, "estimated": BOOLEAN})
_TOKENS = closed(
    {role.value: _USAGE for role in TokenRole}, *(role.value for role in TokenRole)
)
_PASSED = closed({"passed": COUNT, "judged": COUNT})
_COUNTED = closed({"runs": COUNT, "passed": COUNT, "judged": COUNT})

SCHEMAS: dict[str, Schema] = {
    "Error": closed({"error": {"type": "string", "minLength": 1}}),
    "RunSummary": closed(_SUMMARY),
    "Run": closed(
        {
            **_SUMMARY,
            "samples": list_of(ref("Sample")),
            "second_look": list_of(ref("Sample")),
        }
    ),
    "Runs": closed({"runs": list_of(ref("RunSummary")), "next": or_null(INTEGER)}),
    "Sample": closed(
        {
            "id": {"type": "integer", "minimum": 1},
            "case": STRING,
            "outcome": one_of(Outcome),
            "error_reason": or_null(one_of(ErrorReason)),
            "answer": or_null(STRING),
            "transcript": list_of(
                closed(
                    {
                        "role": one_of(Speaker),
                        "text": STRING,
                        "tool_calls": list_of(_TOOL_CALL),
                    }
                )
            ),
            "criteria": list_of(
                closed(
                    {"criterion": STRING, "outcome": one_of(Outcome), "reason": STRING}
                )
            ),
            "judge": _GRADED_BY,
            "simulated_user": _GRADED_BY,
            "tokens": _TOKENS,
            "started_at": INSTANT,
            "first_token_seconds": or_null(SECONDS),
            "duration_seconds": SECONDS,
            "termination": or_null(one_of(Termination)),
            "trace_id": STRING,
        }
    ),
    "Monitors": closed({"monitors": list_of(ref("Monitor"))}),
    "Monitor": closed(
        {
            "name": STRING,
            "protocol": one_of(TargetProtocol),
            "labels": map_of(STRING),
            "status": one_of(Health),
            "paused": or_null(one_of(Pause)),
            "target": RATIO,
            "interval_seconds": or_null(SECONDS),
            "next_run_at": or_null(INSTANT),
            "last_run": or_null(ref("RunSummary")),
            "budget": or_null(
                closed({"limit": COUNT, "used": COUNT, "reset_at": INSTANT})
            ),
            "last_deploy": or_null(
                closed(
                    {
                        "version": STRING,
                        "first_run": INTEGER,
                        "compare_after": COUNT,
                        "before": _COUNTED,
                        "after": _COUNTED,
                        "result": or_null(one_of(Change)),
                        "difference": or_null(NUMBER),
                        "interval": or_null(list_of(NUMBER)),
                    }
                )
            ),
            "cases": list_of(ref("Case")),
        }
    ),
    "Case": closed(
        {
            "id": STRING,
            "ask": or_null(STRING),
            "state": {"type": "string", "enum": ["accepted", "draft", "retired"]},
            "reason": or_null(STRING),
            "replaced_by": or_null(STRING),
            "passing": or_null(BOOLEAN),
            "pass_ratio": or_null(RATIO),
            "lower_bound": or_null(RATIO),
            "window_samples": COUNT,
            "regressed": or_null(one_of(Cause)),
            "answer": or_null(STRING),
            "last_good_answer": or_null(STRING),
        }
    ),
    "Estimate": closed(
        {
            "samples": COUNT,
            "tokens": at_most(COUNT),
            "dollars": or_null(at_most(DOLLARS)),
            "seconds_expected": or_null(SECONDS),
            "budget_left": or_null(COUNT),
        }
    ),
    "RunRequest": closed(
        {
            "cases": or_null({**list_of(STRING), "minItems": 1}),
            "samples": or_null(
                {"type": "integer", "minimum": 1, "maximum": MOST_SAMPLES}
            ),
            "dry_run": BOOLEAN,
        },
        *("cases", "samples", "dry_run"),
    ),
    "Promise": closed({"run": {"type": "integer", "minimum": 1}}),
    "Paused": closed({"paused": or_null(one_of(Pause))}),
    "Deploy": closed(
        {
            "version": {
                "type": "string",
                "minLength": 1,
                "maxLength": 200,
                "description": "Printable text, not blank.",
            },
            "monitors": or_null({**list_of(STRING), "minItems": 1}),
            "labels": map_of(STRING),
            "delay": {
                "type": "string",
                "description": "A duration up to 7d, such as 30s.",
                "examples": ["30s", "1h30m"],
            },
        },
        *("monitors", "labels", "delay"),
    ),
    "DeployRuns": closed({"runs": map_of(INTEGER)}),
    "Experiments": closed(
        {"experiments": list_of(ref("Experiment")), "next": or_null(INTEGER)}
    ),
    "Experiment": closed(
        {
            "id": {"type": "integer", "minimum": 1},
            "monitor": STRING,
            "exploratory": BOOLEAN,
            "exploratory_reason": or_null(STRING),
            "state": one_of(RunState),
            "progress": closed({"done": COUNT, "total": COUNT}),
            "started_at": INSTANT,
            "finished_at": or_null(INSTANT),
            "runs": COUNT,
            "cases": list_of(STRING),
            "setups": closed(
                {
                    "current": closed({"run": INTEGER}),
                    "changed": closed({"run": INTEGER, "set": map_of({})}),
                }
            ),
            "criteria": list_of(
                closed(
                    {
                        "case": STRING,
                        "criterion": STRING,
                        "current": _PASSED,
                        "changed": _PASSED,
                        "difference": or_null(NUMBER),
                        "interval": or_null(list_of(NUMBER)),
                        "result": one_of(Change),
                        "runs_to_separate": or_null(INTEGER),
                    }
                )
            ),
            "expected_by_chance": NUMBER,
            "cost": _both(
                closed(
                    {
                        "dollars": or_null(DOLLARS),
                        "unpriced": list_of(one_of(TokenRole)),
                        "tokens": _TOKENS,
                    }
                )
            ),
            "duration": _both(or_null(SECONDS)),
            "duration_p95": _both(or_null(SECONDS)),
        }
    ),
}
