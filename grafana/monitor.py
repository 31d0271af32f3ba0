"""The dashboard of one monitor: what its agent gets wrong, how fast, for how much."""

from grafana_foundation_sdk.builders.dashboard import Dashboard
from grafana_foundation_sdk.cog.builder import Builder
from grafana_foundation_sdk.models.dashboard import Panel

from grafana.cases import cases
from grafana.frame import ONE, RUN_PAGE, dashboard, deploys, one_monitor, section
from grafana.panels import (
    RATIO,
    STATUS,
    Frame,
    Query,
    bars,
    dashed,
    lines,
    numbers,
    spread,
)
from grafana.promql import status


_DURATION = "answerprobe_answer_duration_seconds"
_FIRST_TOKEN = "answerprobe_first_token_seconds"


def monitor() -> Dashboard:
    """Return the dashboard."""
    board = dashboard(
        "monitor",
        "answerprobe / Monitor",
        "One monitor: its cases, the criteria that fail, the reasons of errors, how "
        "fast its agent answers and what that costs.",
    )
    board.with_variable(one_monitor()).annotation(deploys(ONE))
    section(board, 100, "Now", *_now())
    section(board, 200, "Cases", *cases())
    section(board, 300, "What goes wrong", _outcomes(), _criteria(), _errors())
    section(board, 400, "Speed", *_spreads(), _quantiles(), _slowness())
    section(board, 500, "Spend", _tokens(), _dollars(), _budget())
    section(board, 600, "Conversations", _endings(), _turns())
    return board


def _now() -> list[Builder[Panel]]:
    """Return the last run in large numbers."""
    return [*_state(), *_last_run(), _deployed()]


def _state() -> list[Builder[Panel]]:
    """Return how the monitor is doing."""
    return [
        numbers(
            Frame(
                number=101,
                title="Status",
                about="Down: nothing was answered in the last run. Degraded: below the "
                "target twice in a row, or a case regressed.",
                width=4,
                height=4,
            ),
            Query(status(ONE)),
            mapping=STATUS,
        ),
        numbers(
            Frame(
                number=102,
                title="Pass ratio and target",
                about="Passed of the judged samples of the last run, and what the "
                "monitor is held to.",
                width=6,
                height=4,
                unit="percentunit",
                steps=RATIO,
            ),
            Query(ONE.last("answerprobe_run_pass_ratio", "monitor"), "last run"),
            Query(ONE.last("answerprobe_target_pass_ratio", "monitor"), "target"),
        ),
    ]


def _last_run() -> list[Builder[Panel]]:
    """Return how old all of this is, and where to read on."""
    finished = ONE.last("answerprobe_last_run_timestamp_seconds", "monitor")
    return [
        numbers(
            Frame(
                number=103,
                title="Last run",
                about="When it ended: the age of all that is said here.",
                width=4,
                height=4,
                unit="dateTimeFromNow",
            ),
            Query(f"{finished} * 1000"),
        ),
        numbers(
            Frame(
                number=104,
                title="Evidence of the last run",
                about="Its number; a click leads to what was asked and answered.",
                width=4,
                height=4,
                unit="none",
            ),
            Query(ONE.last("answerprobe_last_run_id", "monitor")),
            link=("Evidence", RUN_PAGE),
        ),
    ]


def _deployed() -> Builder[Panel]:
    """Return when what was deployed."""
    deployed = ONE.last(
        "answerprobe_last_deploy_timestamp_seconds", "monitor", "version"
    )
    return numbers(
        Frame(
            number=105,
            title="Latest deploy",
            about="The newest version that was announced for this monitor, and when.",
            width=6,
            height=4,
            unit="dateTimeFromNow",
        ),
        Query(f"{deployed} * 1000", "{{version}}"),
    ).no_value("none announced")


def _outcomes() -> Builder[Panel]:
    """Return how samples ended."""
    samples = ONE.grown("answerprobe_samples_total", "outcome")
    return bars(
        Frame(
            number=301,
            title="Samples within the window",
            about="Of counted runs. An error is no usable answer; not judged is an "
            "answer that no judge could grade, which is never the agent's fault.",
            width=8,
        ),
        Query(samples, "{{outcome}}"),
    )


def _criteria() -> Builder[Panel]:
    """Return which criteria fail."""
    failures = "answerprobe_criterion_failures_total"
    failed = ONE.grown_where_any(failures, "case", "criterion")
    return bars(
        Frame(
            number=302,
            title="Criteria that failed within the window",
            about="Samples that failed a criterion; `answered` is the implied one.",
            width=8,
        ),
        Query(failed, "{{case}}: {{criterion}}"),
        if_none="none failed",
    )


def _errors() -> Builder[Panel]:
    """Return why there was no usable answer."""
    errors = ONE.grown_where_any("answerprobe_sample_errors_total", "reason")
    return bars(
        Frame(
            number=303,
            title="Errors within the window, by reason",
            about="Samples without a usable answer.",
            width=8,
        ),
        Query(errors, "{{reason}}"),
        if_none="no errors",
    )


def _spreads() -> list[Builder[Panel]]:
    """Return answer and first-token latency as heatmaps."""
    return [
        _spread(
            Frame(
                number=401,
                title="Time to the whole answer",
                about="Answered samples by how long they took from connecting to the "
                "last byte. A column appears when a run ends.",
                width=12,
                height=9,
                unit="s",
            ),
            _DURATION,
        ),
        _spread(
            Frame(
                number=402,
                title="Time to the first token",
                about="Answered samples by how long the first piece of the answer "
                "took; only where the monitor has `stream: true`.",
                width=12,
                height=9,
                unit="s",
            ),
            _FIRST_TOKEN,
        ),
    ]


def _spread(frame: Frame, histogram: str) -> Builder[Panel]:
    """Return a heatmap of *histogram*."""
    buckets = ONE.grown(f"{histogram}_bucket", "le", window="$__rate_interval")
    return spread(frame, Query(buckets, "{{le}}"))


def _quantiles() -> Builder[Panel]:
    """Return latency beside the deadline."""
    panel = lines(
        Frame(
            number=403,
            title="Time to answer, and deadline",
            about="Estimated from buckets, over the window. Dashed: the longest "
            "`within` of the cases.",
            width=12,
            unit="s",
        ),
        *(
            Query(ONE.quantile(q, _DURATION), f"{q:.0%} of samples")
            for q in (0.5, 0.95)
        ),
        Query(ONE.last("answerprobe_within_seconds", "monitor"), "deadline"),
    )
    return dashed(panel, "/^deadline$/", "red")


def _slowness() -> Builder[Panel]:
    """Return how near to the deadline the agent is."""
    return lines(
        Frame(
            number=404,
            title="Slowness of the last run",
            about="The 90th percentile of duration / deadline. Above 0.8 a run counts "
            "as slow, and at 1 answers come too late.",
            width=12,
            unit="percentunit",
            steps=((None, "green"), (0.8, "orange"), (1, "red")),
        ),
        Query(ONE.last("answerprobe_run_slowness_ratio", "monitor"), "slowness"),
    )


def _tokens() -> Builder[Panel]:
    """Return what is spent in tokens, by role."""
    tokens = ONE.grown("answerprobe_tokens_total", "role", "kind")
    return bars(
        Frame(
            number=501,
            title="Tokens within the window, by role",
            about="In all runs of this monitor; guessed where an API tells nothing.",
            width=8,
        ),
        Query(tokens, "{{role}}: {{kind}}"),
    )


def _dollars() -> Builder[Panel]:
    """Return what is spent in dollars, by role."""
    return bars(
        Frame(
            number=502,
            title="Cost within the window, by role",
            about="Only of roles that have a price.",
            width=8,
            unit="currencyUSD",
        ),
        Query(ONE.grown("answerprobe_cost_dollars_total", "role"), "{{role}}"),
        if_none="no prices are configured",
    )


def _budget() -> Builder[Panel]:
    """Return the month's budget and what is used of it."""
    panel = lines(
        Frame(
            number=503,
            title="Token budget of this month",
            about="All roles together, by UTC months. A monitor whose next run would "
            "not fit is paused.",
            width=8,
        ),
        Query(ONE.last("answerprobe_token_budget_used_tokens", "monitor"), "used"),
        Query(ONE.last("answerprobe_token_budget_tokens", "monitor"), "budget"),
    ).no_value("no budget is configured")
    return dashed(panel, "/^budget$/", "red")


def _endings() -> Builder[Panel]:
    """Return how conversations ended."""
    ended = ONE.grown("answerprobe_conversations_total", "termination")
    return bars(
        Frame(
            number=601,
            title="Conversations within the window, by how they ended",
            about="The simulated user was done, ran out of turns or failed; or the "
            "agent failed or was too slow.",
            width=12,
        ),
        Query(ended, "{{termination}}"),
        if_none="no case is a conversation",
    )


def _turns() -> Builder[Panel]:
    """Return how long conversations are."""
    turns = "answerprobe_conversation_turns"
    return lines(
        Frame(
            number=602,
            title="Messages to the agent in a conversation",
            about="Within the window; estimated from buckets.",
            width=12,
        ),
        *(Query(ONE.quantile(q, turns), f"at most, in {q:.0%}") for q in (0.5, 0.95)),
    ).no_value("no case is a conversation")
