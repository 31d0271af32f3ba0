"""Plans and results of experiments as JSON texts."""

import json

from collections.abc import Mapping
from typing import Any

from answerprobe.comparison import (
    ComparedCase,
    Comparison,
    CriterionComparison,
    ExperimentPlan,
    Setup,
    SetupSpend,
)
from answerprobe.monitor import Price
from answerprobe.passrate import Counted
from answerprobe.sample import TokenRole, TokenUsage
from answerprobe.text import scrub


def encode_plan(plan: ExperimentPlan) -> str:
    """Return *plan* as a text that `decode_plan` reads back."""
    return _dumped(
        {
            "monitor": plan.monitor,
            "reason": plan.reason,
            "set": dict(plan.settings),
            "masked": plan.masked,
            "samples": plan.samples,
            "definition": plan.definition,
            "prices": {
                role.value: (price.input_dollars, price.output_dollars)
                for role, price in plan.prices.items()
            },
            "cases": [
                (case.id, case.fingerprint, case.rules, case.rubrics)
                for case in plan.cases
            ],
        }
    )


def decode_plan(text: str) -> ExperimentPlan:
    """Return what `encode_plan` wrote."""
    kept: dict[str, Any] = json.loads(text)
    return ExperimentPlan(
        monitor=kept["monitor"],
        reason=kept["reason"],
        settings=kept["set"],
        masked=tuple(kept["masked"]),
        samples=kept["samples"],
        definition=kept["definition"],
        prices={
            TokenRole(role): Price(input_dollars=dollars[0], output_dollars=dollars[1])
            for role, dollars in kept["prices"].items()
        },
        cases=tuple(
            ComparedCase(
                id=case_id,
                fingerprint=fingerprint,
                rules=tuple(rules),
                rubrics=tuple(rubrics),
            )
            for case_id, fingerprint, rules, rubrics in kept["cases"]
        ),
    )


def encode_result(comparison: Comparison) -> str:
    """Return *comparison* as a text that `decode_result` reads back."""
    return _dumped(
        {
            "criteria": [
                (
                    found.case_id,
                    found.criterion,
                    found.current,
                    found.changed,
                    found.not_judged,
                )
                for found in comparison.criteria
            ],
            "spend": {
                setup.value: _encode_spend(spend)
                for setup, spend in comparison.spend.items()
            },
        }
    )


def decode_result(text: str) -> Comparison:
    """Return what `encode_result` wrote."""
    kept: dict[str, Any] = json.loads(text)
    return Comparison(
        criteria=tuple(
            CriterionComparison(
                case_id=case_id,
                criterion=criterion,
                current=Counted(*current),
                changed=Counted(*changed),
                # Not in what the first version wrote.
                not_judged=sum(not_judged),
            )
            for case_id, criterion, current, changed, *not_judged in kept["criteria"]
        ),
        spend={
            Setup(setup): _decode_spend(spend) for setup, spend in kept["spend"].items()
        },
    )


def _encode_spend(spend: SetupSpend) -> Mapping[str, object]:
    """Return what a setup took."""
    return {
        "samples": spend.samples,
        "tokens": {
            role.value: (usage.input_tokens, usage.output_tokens, usage.estimated)
            for role, usage in spend.tokens.items()
        },
        "dollars": spend.dollars,
        "unpriced": [role.value for role in spend.unpriced],
        "median": spend.median_seconds,
        "p95": spend.p95_seconds,
    }


def _decode_spend(kept: Mapping[str, Any]) -> SetupSpend:
    """Return what `_encode_spend` made."""
    return SetupSpend(
        samples=kept["samples"],
        tokens={
            TokenRole(role): TokenUsage(
                input_tokens=spent[0], output_tokens=spent[1], estimated=spent[2]
            )
            for role, spent in kept["tokens"].items()
        },
        dollars=kept["dollars"],
        unpriced=tuple(map(TokenRole, kept["unpriced"])),
        median_seconds=kept["median"],
        p95_seconds=kept["p95"],
    )


def _dumped(value: object) -> str:
    """Return *value* as compact JSON that every database can keep."""
    return scrub(json.dumps(value, ensure_ascii=False, separators=(",", ":")))
