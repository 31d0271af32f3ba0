"""A run step by step, a line each, for a person who looks for what went wrong."""

import json

from collections.abc import Iterable, Iterator

from answerprobe.run import Run, SampleResult
from answerprobe.sample import ToolCall, Turn
from answerprobe.shapes._json import instant


_SAID = {"user": "Asked", "agent": "Answered"}


def run_log(run: Run, case_id: str | None = None) -> str:
    """Return what happened in *run*, of the one case where *case_id* is given."""
    return "".join(f"{line}\n" for line in _lines(run, case_id))


def _lines(run: Run, case_id: str | None) -> Iterator[str]:
    """Yield the lines."""
    request = run.request
    yield _line(
        "Run began",
        ts=instant(run.started_at),
        monitor=request.monitor,
        run=run.id,
        trigger=request.trigger.value,
        samples=run.total,
    )
    looks = ((run.samples, 1), (run.second_look, len(run.samples) + 1))
    for samples, first in looks:
        for number, sample in enumerate(samples, first):
            if case_id in (None, sample.case_id):
                yield from _sample(number, sample)
    yield _line(
        "Run ended",
        ts=instant(run.finished_at),
        run=run.id,
        state=run.state.value,
        **{outcome.value: count for outcome, count in run.outcomes.items()},
    )


def _sample(number: int, sample: SampleResult) -> Iterator[str]:
    """Yield the lines of one sample."""
    where = {"case": sample.case_id, "sample": number}
    look = {"second_look": True} if sample.second_look else {}
    yield _line(
        "Sample began",
        ts=instant(sample.started_at),
        **where,
        **look,
        trace_id=sample.trace_id,
    )
    for turn in sample.turns:
        yield from _turn(turn, where)
    if sample.failure:
        failure = sample.failure
        yield _line(
            "No usable answer",
            **where,
            reason=failure.reason.value,
            detail=failure.detail,
        )
    for verdict in sample.verdicts:
        yield _line(
            "Criterion checked",
            **where,
            criterion=verdict.criterion,
            outcome=verdict.outcome.value,
            reason=verdict.reason,
        )
    yield _line("Sample ended", **where, **_end(sample))


def _end(sample: SampleResult) -> dict[str, object]:
    """Return how *sample* ended, who graded it and what it cost."""
    graded = {
        f"{role}_model": by.model
        for role, by in (("judge", sample.judge), ("user", sample.simulated_user))
        if by
    }
    tokens = {f"{r.value}_tokens": usage.total for r, usage in sample.tokens.items()}
    stopped = {"termination": sample.termination.value} if sample.termination else {}
    return {
        "outcome": sample.outcome.value,
        "seconds": round(sample.duration_seconds, 3),
        **stopped,
        **graded,
        **tokens,
    }


def _turn(turn: Turn, where: dict[str, object]) -> Iterator[str]:
    """Yield what was said, and the tools that were called with it."""
    took = turn.duration_seconds
    seconds = {} if took is None else {"seconds": round(took, 3)}
    yield _line(_SAID[turn.speaker.value], **where, **seconds, text=turn.text)
    for call in turn.tool_calls:
        yield _line("Tool called", **where, **_call(call))


def _call(call: ToolCall) -> dict[str, object]:
    """Return what was sent to a tool and what came back."""
    came = {"result": call.result} if call.error is None else {"error": call.error}
    return {
        "tool": call.name,
        "arguments": call.arguments,
        **came,
        "source": call.source.value,
    }


def _line(message: str, **values: object) -> str:
    """Return one line: what happened, and the *values* that go with it."""
    pairs = [("msg", message), *values.items()]
    if pairs[1:] and pairs[1][0] == "ts":
        pairs[0], pairs[1] = pairs[1], pairs[0]
    return " ".join(f"{key}={_shown(value)}" for key, value in pairs)


def _shown(value: object) -> str:
    """Return *value* so that it cannot be taken for a line or a key of its own."""
    if isinstance(value, bool | int | float):
        return json.dumps(value)
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    if text and text.isascii() and _is_word(text):
        return text
    return _visible(json.dumps(text, ensure_ascii=False))


def _is_word(text: str) -> bool:
    """Whether *text* needs no quotes."""
    return all(char.isalnum() or char in "-_.:/#" for char in text)


def _visible(text: str) -> str:
    """Return *text* with what no reader would see, or would be misled by, escaped."""
    if text.isprintable():
        return text
    return "".join(_escaped(text))


def _escaped(text: Iterable[str]) -> Iterator[str]:
    """Yield the characters of *text*, those that cannot be printed as escapes."""
    for char in text:
        yield char if char.isprintable() else f"\\u{ord(char):04x}"
