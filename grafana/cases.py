"""The panels about the cases of one monitor."""

from grafana_foundation_sdk.cog.builder import Builder
from grafana_foundation_sdk.models.dashboard import Panel

from grafana.frame import ONE, RUN_PAGE
from grafana.panels import (
    NONE_WANTED,
    PASSING,
    Column,
    Frame,
    Query,
    dashed,
    lines,
    on_the_right,
    rows,
    states,
)
from grafana.promql import failing_answers


_BOUND = "answerprobe_case_pass_ratio_lower_bound"
_CASE_PAGE = (
    "${external_url:raw}/monitors/${monitor:percentencode}"
    "/cases/${__data.fields.Case:percentencode}"
)
# 1 blames the agent, 2 the judge.
_BLAME = (
    '(label_replace(vector(1), "cause", "agent", "", "") '
    'or label_replace(vector(2), "cause", "judge", "", ""))'
)
_REGRESSED = (
    ("0", "no", "green"),
    ("1", "the agent", "red"),
    ("2", "the judge", "purple"),
)


def cases() -> list[Builder[Panel]]:
    """Return how each case does, what is known for sure, and what failing ones say."""
    return [_cases(), _bounds(), _table(), _answers()]


def _cases() -> Builder[Panel]:
    """Return each case as a bar over time."""
    return states(
        Frame(
            number=201,
            title="Cases",
            about="Whether the case passed in the last run. A gap is undecided: too "
            "many of its samples were not judged.",
            width=24,
        ),
        Query(ONE.last("answerprobe_case_passing", "case"), "{{case}}"),
        PASSING,
    )


def _bounds() -> Builder[Panel]:
    """Return what is known for sure of each case, after how many samples."""
    bounds = Query(ONE.last(_BOUND, "case"), "{{case}}")
    samples = ONE.last("answerprobe_case_window_samples", "case")
    bars = ONE.last("answerprobe_case_threshold_ratio", "case")
    target = ONE.last("answerprobe_target_pass_ratio", "monitor")
    target = f'label_replace({target}, "case", "the target", "", "")'
    panel = lines(
        Frame(
            number=202,
            title="Lower bound of each case, its samples and the bar",
            about="What a case's pass rate is at least, surely, after its last samples "
            "(dotted, right axis). Dashed: the monitor's target, and the bar of each "
            "case that has a threshold.",
            width=24,
            height=10,
            unit="percentunit",
        ),
        bounds,
        Query(samples, "{{case}}: samples"),
        # In one query, as there is nothing of its own where no case has a threshold.
        Query(f"{bars} or {target}", "{{case}}: bar"),
        at_most=1,
    )
    counted = on_the_right(panel, "/: samples$/", "short")
    return dashed(counted, "/: bar$/", "text")


def _table() -> Builder[Panel]:
    """Return everything of a case in a row."""
    gauges = (
        "answerprobe_case_passing",
        "answerprobe_case_pass_ratio",
        _BOUND,
        "answerprobe_case_window_samples",
        "answerprobe_case_consecutive_failed_runs",
    )
    regressed = ONE.last("answerprobe_case_regressed", "case", "cause")
    blamed = f"sum by (case) ({regressed} * on (cause) group_left () {_BLAME})"
    return rows(
        Frame(
            number=203,
            title="Cases now",
            about="A ratio stands beside the number of samples that it is made of. "
            "Regressed: it fails and had always passed; whose change that is.",
            width=24,
            height=9,
            unit="percentunit",
        ),
        [*(Query(ONE.last(each, "case")) for each in gauges), Query(blamed)],
        [
            Column(field="case", title="Case", link=("Evidence", _CASE_PAGE)),
            Column(field="Value #A", title="Last run", mapping=PASSING),
            Column(field="Value #B", title="Pass ratio"),
            Column(field="Value #C", title="Lower bound"),
            Column(field="Value #D", title="Samples", unit="short"),
            Column(
                field="Value #E",
                title="Failed runs in a row",
                unit="short",
                steps=NONE_WANTED,
            ),
            Column(field="Value #F", title="Regressed", mapping=_REGRESSED),
        ],
        if_none="no runs yet",
    )


def _answers() -> Builder[Panel]:
    """Return what failing cases answered, beside their last good answers."""
    return rows(
        Frame(
            number=204,
            title="Failing cases: what they answer, and answered when all was well",
            about="Redacted, and cut at 200 characters; the run has all of it. At "
            "most 5 cases, those that fail longest; none where answers are not to "
            "leave the store.",
            width=24,
            height=9,
        ),
        [Query(failing_answers(ONE))],
        [
            Column(
                field="case", title="Case", width=160, link=("Evidence", _CASE_PAGE)
            ),
            Column(field="answer", title="Answer", wrap=True),
            Column(field="last_good_answer", title="Last good answer", wrap=True),
            Column(field="reason", title="Why it failed", wrap=True),
            Column(
                field="Value", title="Run", unit="none", link=("Evidence", RUN_PAGE)
            ),
            Column(field="monitor", title="Monitor"),
        ],
        if_none="every case passes",
    )
