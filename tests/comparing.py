"""Plans of experiments, for the tests of what carries them out, keeps or shows them."""

from answerprobe.comparison import ComparedCase, ExperimentPlan
from answerprobe.monitor import Price
from answerprobe.sample import TokenRole


AGENT_PRICE = {TokenRole.AGENT: Price(input_dollars=1, output_dollars=10)}


def compared_case(case_id: str = "refund", *, judged: bool = False) -> ComparedCase:
    """Return a case with a rule, and a judged criterion where that is asked for."""
    return ComparedCase(
        id=case_id,
        fingerprint="f1",
        rules=("contains", "answered"),
        rubrics=("judge",) if judged else (),
    )


def plan(*cases: ComparedCase, samples: int = 2) -> ExperimentPlan:
    """Return the plan to compare two models at `shop`."""
    return ExperimentPlan(
        monitor="shop",
        reason="model: a → b",
        settings={"model": "b"},
        samples=samples,
        cases=cases or (compared_case(),),
        definition="d1",
        prices=AGENT_PRICE,
    )
