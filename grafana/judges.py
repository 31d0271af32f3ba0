"""The panels about judges."""

from grafana_foundation_sdk.cog.builder import Builder
from grafana_foundation_sdk.models.dashboard import Panel

from grafana.frame import JOB
from grafana.panels import YES, Column, Frame, Query, Steps, bars, lines, rows, states
from grafana.promql import Scope


JUDGES = Scope(selector=f'{JOB},judge=~"$judge"')
REQUESTS = "answerprobe_judge_requests_total"
_SAMPLES = "answerprobe_samples_total"
_AGREEMENT: Steps = ((None, "red"), (0.8, "orange"), (0.9, "green"))


def judges() -> list[Builder[Panel]]:
    """Return whether judges work, how fast, and how good they are."""
    return [_usable(), _requests(), _not_judged(), _speed(), _agreement(), _who()]


def _usable() -> Builder[Panel]:
    """Return whether judges can be reached."""
    return states(
        Frame(
            number=101,
            title="Judge usable",
            about="Whether the last request reached the judge and brought a verdict. "
            "While it does not, answers are not judged; none fails.",
            width=12,
        ),
        Query(JUDGES.last("answerprobe_judge_up", "judge"), "{{judge}}"),
        YES,
    )


def _requests() -> Builder[Panel]:
    """Return what came back from judges."""
    return bars(
        Frame(
            number=102,
            title="Requests to judges within the window",
            about="Attempts and votes one by one. `pass` and `fail` are verdicts, all "
            "others are none.",
            width=12,
        ),
        Query(JUDGES.grown(REQUESTS, "judge", "outcome"), "{{judge}}: {{outcome}}"),
    )


def _not_judged() -> Builder[Panel]:
    """Return how much is not known for want of a judge."""
    everything = Scope(selector=JOB)
    samples = everything.grown(_SAMPLES, "monitor")
    not_judged = everything.grown(_SAMPLES, "monitor", where='outcome="not_judged"')
    return lines(
        Frame(
            number=103,
            title="Samples that were not judged",
            about="Of all samples of a monitor within the window. They are in no pass "
            "ratio: the more there are, the less is known.",
            width=12,
            unit="percentunit",
            steps=((None, "green"), (0.2, "orange"), (0.5, "red")),
        ),
        Query(f"{not_judged} / {samples}"),
        at_most=1,
    )


def _speed() -> Builder[Panel]:
    """Return how fast judges are."""
    duration = "answerprobe_judge_duration_seconds"
    return lines(
        Frame(
            number=104,
            title="Time to a verdict",
            about="One request to a judge. Over the window, from buckets.",
            width=12,
            unit="s",
        ),
        *(
            Query(
                JUDGES.quantile(quantile, duration, "judge"),
                f"{{{{judge}}}}: {quantile:.0%} of requests",
            )
            for quantile in (0.5, 0.95)
        ),
    )


def _agreement() -> Builder[Panel]:
    """Return how often judges agree with what is known."""
    agreed = "answerprobe_judge_canary_agreement_ratio"
    return lines(
        Frame(
            number=105,
            title="Agreement with known verdicts",
            about="Of the canaries, answers whose verdict is known, those that got it. "
            "`fail` is the one to watch: a judge that passes everything has 0 there.",
            width=12,
            unit="percentunit",
            steps=_AGREEMENT,
        ),
        Query(JUDGES.last(agreed, "judge", "verdict"), "{{judge}}: {{verdict}}"),
        at_most=1,
    ).no_value("not calibrated")


def _who() -> Builder[Panel]:
    """Return which models and prompts judge, and how well they are tested."""
    who = JUDGES.last("answerprobe_judge_info", "judge", "model", "prompt_version")
    canaries = JUDGES.last("answerprobe_judge_canary_samples", "judge", "verdict")
    disagreed = JUDGES.grown("answerprobe_judge_disagreements_total", "judge")
    return rows(
        Frame(
            number=106,
            title="Who judges",
            about="The model that the API reports and the version of our prompt, with "
            "the canaries of the last calibration and the answers within the window on "
            "which a judge's votes differed.",
            width=12,
        ),
        [
            Query(f"{who} * on (judge) group_left () sum by (judge) ({canaries})"),
            Query(f"{who} * on (judge) group_left () {disagreed}"),
        ],
        [
            Column(field="judge", title="Judge"),
            Column(field="model", title="Model"),
            Column(field="prompt_version", title="Prompt"),
            Column(field="Value #A", title="Canaries"),
            Column(field="Value #B", title="Votes differed"),
        ],
        if_none="no judge was asked yet",
    )
