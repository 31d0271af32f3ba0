"""Query strings are read strictly, whatever they are."""

from collections.abc import Callable

import pytest

from hypothesis import example, given
from hypothesis import strategies as st
from multidict import MultiDict, MultiMapping

from answerprobe.errors import RequestError
from answerprobe.evidence import RunQuery
from answerprobe.run import RunRequest, Trigger
from answerprobe.verdict import Outcome
from answerprobe.web import _query


KNOWN = ("monitor", "trigger", "outcome", "before", "limit", "case", "debug", "samples")
PAIRS = st.lists(st.tuples(st.sampled_from(KNOWN) | st.text(), st.text()), max_size=6)
READERS: dict[str, Callable[[MultiMapping[str]], object]] = {
    "runs": _query.run_query,
    "probe": _query.probe_query,
    "estimate": lambda query: _query.estimate_query("shop", query),
}


def refusal(
    reader: Callable[[MultiMapping[str]], object], query: MultiMapping[str]
) -> RequestError | None:
    """Return why *reader* refuses *query*; None where it does not."""
    try:
        reader(query)
    except RequestError as exc:
        return exc
    return None


@pytest.mark.parametrize("reader", READERS.values(), ids=READERS.keys())
@given(PAIRS)
@example([("limit", "1" * 5000)])
@example([("before", "\u0661")])
@example([("limit", "1_0")])
@example([("limit", " 1")])
def test_anything_is_read_or_refused_in_a_short_sentence(
    reader: Callable[[MultiMapping[str]], object], pairs: list[tuple[str, str]]
) -> None:
    """Nothing else comes of it, and no message repeats what was sent."""
    refused = refusal(reader, MultiDict(pairs))

    if refused is not None:
        assert refused.status == 400
        assert len(str(refused)) < 250


@given(
    st.none() | st.sampled_from(Trigger),
    st.none() | st.sampled_from(Outcome),
    st.none() | st.integers(1, 2**63 - 1),
    st.integers(1, 1000),
)
def test_good_queries_of_runs_are_read_as_they_are(
    trigger: Trigger | None, outcome: Outcome | None, before: int | None, limit: int
) -> None:
    """Each parameter by itself and all together."""
    wanted = RunQuery(trigger=trigger, outcome=outcome, before=before, limit=limit)
    written = {
        "trigger": None if trigger is None else trigger.value,
        "outcome": None if outcome is None else outcome.value,
        "before": None if before is None else str(before),
        "limit": str(limit),
    }
    query = MultiDict({k: v for k, v in written.items() if v is not None})

    assert _query.run_query(query) == wanted


@given(st.lists(st.text(min_size=1), unique=True), st.none() | st.integers(1, 200))
def test_good_queries_of_estimates_are_read_as_they_are(
    cases: list[str], samples: int | None
) -> None:
    """Cases may be repeated."""
    pairs = [("case", case) for case in (*cases, *cases)]
    if samples is not None:
        pairs.append(("samples", str(samples)))

    assert _query.estimate_query("shop", MultiDict(pairs)) == RunRequest(
        monitor="shop",
        trigger=Trigger.MANUAL,
        case_ids=tuple(cases) or None,
        samples=samples,
    )
