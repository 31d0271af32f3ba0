"""What a run would take, and what is left for it, beside the button that starts it."""

from dataclasses import dataclass

from answerprobe.estimate import Bounded, Estimate
from answerprobe.web.pages._when import count, duration, plural


@dataclass(frozen=True, slots=True, kw_only=True)
class EstimateView:
    """
    What stands beside the button, and on it.

    *text* has what is expected and the most it can be, *left* what the budget leaves.
    *exceeds*: the run may take more than that. *each* is what one sample takes.
    """

    button: str
    text: str
    left: str
    exceeds: bool
    each: str


def estimate_view(estimate: Estimate, *, button: str = "Run now") -> EstimateView:
    """Return *estimate* in words; the button reads otherwise where it may be short."""
    exceeds = estimate.may_exceed_budget
    parts = [plural(estimate.samples, "sample"), _tokens(estimate.tokens)]
    if estimate.dollars:
        parts.append(_dollars(estimate.dollars))
    if estimate.seconds_expected is not None:
        parts.append(f"about {duration(estimate.seconds_expected)}")
    left = estimate.budget_left
    return EstimateView(
        button="Run anyway" if exceeds else button,
        text=f"{', '.join(parts)}.",
        left="No budget limits it."
        if left is None
        else f"The budget leaves {count(left)} tokens.",
        exceeds=exceeds,
        each=_each(estimate),
    )


def _tokens(tokens: Bounded) -> str:
    """Return how many tokens."""
    expected = f"about {count(round(tokens.expected))} tokens"
    if tokens.at_most is None:
        return f"{expected} expected, at most unknown"
    return f"{expected} expected, at most {count(round(tokens.at_most))}"


def _dollars(dollars: Bounded) -> str:
    """Return how many dollars."""
    expected = f"about {_money(dollars.expected)}"
    if dollars.at_most is None:
        return expected
    return f"{expected}, at most {_money(dollars.at_most)}"


def _money(dollars: float) -> str:
    """Return an amount, small ones with the digits that say something."""
    return f"${dollars:,.2f}" if dollars >= 1 or not dollars else f"${dollars:.2g}"


def _each(estimate: Estimate) -> str:
    """Return what one sample takes; empty without any."""
    if not estimate.samples:
        return ""
    tokens = round(estimate.tokens.expected / estimate.samples)
    return f"A sample takes about {count(tokens)} tokens."
