"""Experiments as JSON, for the API and the command line."""

from answerprobe.comparison import (
    CriterionComparison,
    Experiment,
    Setup,
    SetupSpend,
)
from answerprobe.passrate import Counted
from answerprobe.shapes._json import Shape, instant


def experiment_shape(experiment: Experiment) -> Shape:
    """Return *experiment* with what came of it so far."""
    plan, found = experiment.plan, experiment.comparison
    spend = found.spend
    return {
        "id": experiment.id,
        "monitor": plan.monitor,
        "exploratory": True,
        "exploratory_reason": plan.reason,
        "state": experiment.state.value,
        "progress": {"done": experiment.done, "total": plan.total},
        "started_at": instant(experiment.started_at),
        "finished_at": instant(experiment.finished_at),
        "runs": plan.samples,
        "cases": [case.id for case in plan.cases],
        "setups": {
            "current": {"run": experiment.run_ids[Setup.CURRENT]},
            "changed": {
                "run": experiment.run_ids[Setup.CHANGED],
                "set": dict(plan.settings),
            },
        },
        "criteria": [_criterion(criterion) for criterion in found.criteria],
        "expected_by_chance": found.expected_by_chance,
        "cost": {setup.value: _cost(spend[setup]) for setup in Setup},
        "duration": {setup.value: spend[setup].median_seconds for setup in Setup},
        "duration_p95": {setup.value: spend[setup].p95_seconds for setup in Setup},
    }


def _criterion(found: CriterionComparison) -> Shape:
    """Return one criterion of a case."""
    difference = found.difference
    return {
        "case": found.case_id,
        "criterion": found.criterion,
        "current": _counted(found.current),
        "changed": _counted(found.changed),
        "difference": difference.difference if difference else None,
        "interval": [difference.low, difference.high] if difference else None,
        "result": found.result.value,
        "runs_to_separate": found.runs_to_separate,
    }


def _counted(counted: Counted) -> Shape:
    """Return how many passed of how many."""
    return {"passed": counted.passed, "judged": counted.judged}


def _cost(spend: SetupSpend) -> Shape:
    """Return what a setup cost."""
    return {
        "dollars": spend.dollars,
        "unpriced": [role.value for role in spend.unpriced],
        "tokens": {
            role.value: {
                "input": usage.input_tokens,
                "output": usage.output_tokens,
                "estimated": usage.estimated,
            }
            for role, usage in spend.tokens.items()
        },
    }
