"""The JSON shapes that the API and the command line speak: dicts, ready to dump."""

from collections.abc import Mapping
from datetime import datetime

from answerprobe.estimate import Estimate
from answerprobe.evidence import CaseAnswers, RunSummary
from answerprobe.passrate import Change, Counted
from answerprobe.run import Decision, GradedBy, Run, RunState, SampleResult, pass_ratio
from answerprobe.sample import TokenUsage, ToolCall, Turn
from answerprobe.shapes._views import BudgetView, MonitorView, SecondLookView
from answerprobe.status import CaseStatus, DeployComparison


Shape = dict[str, object]


def instant(at: datetime | None) -> str | None:
    """Return *at* in ISO 8601, UTC, to the millisecond."""
    if at is None:
        return None
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def run_summary(
    run: Run | RunSummary,
    *,
    done: int | None = None,
    confirming: SecondLookView | None = None,
) -> Shape:
    """
    Return *run* without its samples; *done* is newer than what the store says.

    *confirming* is the second look that it waits for, or takes.
    """
    outcomes = run.outcomes
    return {
        "id": run.id,
        "monitor": run.request.monitor,
        "trigger": run.request.trigger.value,
        "state": run.state.value,
        "progress": {"done": run.done if done is None else done, "total": run.total},
        "confirming": _second_look(confirming),
        "exploratory": run.request.exploratory,
        "exploratory_reason": run.request.exploratory_reason,
        "queued_at": instant(run.queued_at),
        "started_at": instant(run.started_at),
        "finished_at": instant(run.finished_at),
        "pass_ratio": pass_ratio(outcomes) if run.state is RunState.COMPLETED else None,
        "outcomes": {outcome.value: count for outcome, count in outcomes.items()},
    }


def run_whole(run: Run, *, done: int | None = None) -> Shape:
    """Return *run* with its samples, and apart from them its second look."""
    samples = [sample_shape(n, sample) for n, sample in enumerate(run.samples, 1)]
    again = [
        sample_shape(n, sample)
        for n, sample in enumerate(run.second_look, len(run.samples) + 1)
    ]
    return {**run_summary(run, done=done), "samples": samples, "second_look": again}


def sample_shape(number: int, sample: SampleResult) -> Shape:
    """Return one sample; *number* counts from 1 within its run."""
    return {
        "id": number,
        "case": sample.case_id,
        "outcome": sample.outcome.value,
        "error_reason": sample.failure.reason.value if sample.failure else None,
        "answer": sample.answer,
        "transcript": [_turn(turn) for turn in sample.turns],
        "criteria": [
            {
                "criterion": verdict.criterion,
                "outcome": verdict.outcome.value,
                "reason": verdict.reason,
            }
            for verdict in sample.verdicts
        ],
        "judge": _graded_by(sample.judge),
        "simulated_user": _graded_by(sample.simulated_user),
        "tokens": {role.value: _usage(usage) for role, usage in sample.tokens.items()},
        "started_at": instant(sample.started_at),
        "first_token_seconds": sample.first_token_seconds,
        "duration_seconds": sample.duration_seconds,
        "termination": sample.termination.value if sample.termination else None,
        "trace_id": sample.trace_id,
    }


def monitor_shape(view: MonitorView, answers: Mapping[str, CaseAnswers]) -> Shape:
    """Return a monitor with its cases and, by their ids, what *answers* they gave."""
    monitor = view.monitor
    cases = []
    for case in monitor.known:
        status = view.status.cases.get(case.id)
        if status is None or status.fingerprint != case.fingerprint:
            status = CaseStatus(fingerprint=case.fingerprint)
        said = answers.get(case.id, CaseAnswers())
        cases.append(
            {
                "id": case.id,
                "ask": case.ask,
                "state": case.state.value,
                "reason": case.reason,
                "replaced_by": case.replaced_by,
                **_case_status(status, case.confidence),
                "answer": said.newest.answer if said.newest else None,
                "last_good_answer": said.good.answer if said.good else None,
            }
        )
    return {
        "name": monitor.name,
        "protocol": monitor.target.protocol.value,
        "labels": dict(monitor.labels),
        "status": view.health.value,
        "paused": view.pause.value if view.pause else None,
        "target": monitor.target_pass_ratio,
        "interval_seconds": monitor.every_seconds,
        "next_run_at": instant(view.next_run_at),
        "last_run": run_summary(view.last_run) if view.last_run else None,
        "budget": _budget(view.budget),
        "last_deploy": _deploy(view.status.deploy),
        "cases": cases,
    }


def estimate_shape(estimated: Estimate) -> Shape:
    """Return what a run would take."""
    tokens, dollars = estimated.tokens, estimated.dollars
    return {
        "samples": estimated.samples,
        "tokens": {
            "expected": round(tokens.expected),
            "at_most": None if tokens.at_most is None else round(tokens.at_most),
        },
        "dollars": None
        if dollars is None
        else {"expected": dollars.expected, "at_most": dollars.at_most},
        "seconds_expected": estimated.seconds_expected,
        "budget_left": estimated.budget_left,
    }


def _deploy(deploy: DeployComparison | None) -> Shape | None:
    """Return how the runs after the latest deploy compare with those before."""
    if deploy is None:
        return None
    found = deploy.difference
    return {
        "version": deploy.version,
        "first_run": deploy.first_run_id,
        "compare_after": deploy.of_runs,
        "before": _counted(deploy.before, deploy.before_runs),
        "after": _counted(deploy.after, deploy.after_runs),
        "result": Change.of(found).value if found else None,
        "difference": found.difference if found else None,
        "interval": [found.low, found.high] if found else None,
    }


def _counted(counted: Counted, runs: int) -> Shape:
    """Return a pass rate and how many runs it is of."""
    return {"runs": runs, "passed": counted.passed, "judged": counted.judged}


def _case_status(status: CaseStatus, confidence: float) -> Shape:
    """Return what a case's runs say."""
    interval = status.window_interval(confidence)
    passing = {Decision.PASSING: True, Decision.FAILING: False}
    return {
        "passing": passing.get(status.decision) if status.decision else None,
        "pass_ratio": status.window_ratio,
        "lower_bound": interval.low if interval else None,
        "window_samples": len(status.window),
        "regressed": status.regressed.value if status.regressed else None,
    }


def _turn(turn: Turn) -> Shape:
    """Return one message of a transcript."""
    return {
        "role": turn.speaker.value,
        "text": turn.text,
        "tool_calls": [_tool_call(call) for call in turn.tool_calls],
    }


def _tool_call(call: ToolCall) -> Shape:
    """Return one tool call."""
    return {
        "name": call.name,
        "arguments": call.arguments,
        "result": call.result,
        "error": call.error,
        "source": call.source.value,
    }


def _graded_by(judge: GradedBy | None) -> Shape | None:
    """Return who graded."""
    if judge is None:
        return None
    return {"model": judge.model, "prompt_version": judge.prompt_version}


def _usage(usage: TokenUsage) -> Shape:
    """Return tokens spent."""
    return {
        "input": usage.input_tokens,
        "output": usage.output_tokens,
        "estimated": usage.estimated,
    }


def _second_look(look: SecondLookView | None) -> Shape | None:
    """Return a second look that is not over."""
    if look is None:
        return None
    return {"at": instant(look.at), "done": look.done, "total": look.total}


def _budget(budget: BudgetView | None) -> Shape | None:
    """Return a budget."""
    if budget is None:
        return None
    return {
        "limit": budget.limit_tokens,
        "used": budget.used_tokens,
        "reset_at": instant(budget.reset_at),
    }
