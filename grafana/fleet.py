"""The dashboard of all monitors: what needs somebody, and where to look next."""

from grafana_foundation_sdk.builders.dashboard import Dashboard
from grafana_foundation_sdk.cog.builder import Builder
from grafana_foundation_sdk.models.dashboard import Panel

from grafana.frame import (
    JOB,
    RUN_PAGE,
    any_monitors,
    dashboard,
    deploys,
    labels,
    monitor_page,
    section,
)
from grafana.panels import (
    BUDGET,
    NONE_WANTED,
    RATIO,
    STATUS,
    Column,
    Frame,
    Query,
    bars,
    dashed,
    lines,
    numbers,
    rows,
    states,
)
from grafana.promql import Scope, budget_left, failing_answers, status


ALL = Scope(selector=f'{JOB},monitor=~"$monitor"')
_IN_ROW = monitor_page("${__data.fields.Monitor:percentencode}")
_OF_LINE = monitor_page("${__field.labels.monitor:percentencode}")
_BOUND = ALL.last("answerprobe_case_pass_ratio_lower_bound", "monitor", "case")
_WINDOW_SAMPLES = ALL.last("answerprobe_case_window_samples", "monitor", "case")
_MONITOR = Column(field="monitor", title="Monitor", link=_IN_ROW)


def fleet() -> Dashboard:
    """Return the dashboard."""
    board = dashboard(
        "fleet",
        "answerprobe / Fleet",
        "All monitors: which are down or degraded, what they answer now and what they "
        "answered when all was well, how fast, and what that costs.",
    )
    board.with_variable(any_monitors()).with_variable(labels()).annotation(deploys(ALL))
    section(board, 100, "Now", *_counts(), _timeline(), _monitors())
    section(board, 200, "Answers", _ratio(), _bound(), _weakest(), _failing())
    section(board, 300, "Speed", _latency("0.5", 301), _latency("0.95", 302))
    section(board, 400, "Spend", _tokens(), _dollars(), _budget())
    return board


def _counts() -> list[Builder[Panel]]:
    """Return how many monitors need somebody."""
    failing = ALL.last("answerprobe_case_passing", "monitor", "case")
    seen = ALL.last("answerprobe_monitor_first_seen_timestamp_seconds", "monitor")
    up = ALL.last("answerprobe_up", "monitor")
    counted = (
        (101, "Down", f"{status(ALL)} == 0", "Monitors that answered nothing."),
        (102, "Degraded", f"{status(ALL)} == 1", "Monitors that answer worse."),
        (103, "Failing cases", f"{failing} == 0", "Cases that failed when last asked."),
        (104, "Never ran", f"{seen} unless {up}", "Monitors that nothing is known of."),
    )
    return [
        numbers(
            Frame(
                number=number,
                title=title,
                about=about,
                width=6,
                height=4,
                steps=NONE_WANTED,
            ),
            Query(f"count({expr}) or vector(0)", title),
        )
        for number, title, expr, about in counted
    ]


def _timeline() -> Builder[Panel]:
    """Return the status of each monitor over time."""
    return states(
        Frame(
            number=105,
            title="Status",
            about="Down: nothing was answered in the last run. Degraded: below the "
            "target twice in a row, or a case that always passed fails and it is not "
            "the judge's doing. Paused: no scheduled runs, which hides the others.",
            width=24,
        ),
        Query(status(ALL)),
        STATUS,
        _OF_LINE,
    )


def _monitors() -> Builder[Panel]:
    """Return everything of a monitor in a row."""
    finished = ALL.last("answerprobe_last_run_timestamp_seconds", "monitor")
    return rows(
        Frame(
            number=106,
            title="Monitors",
            about="The last run beside what is known for sure: the lower bound of "
            "the weakest case, and the fewest samples that such a bound is made of. "
            "Five of five is a bound of 57%, not of 100%.",
            width=24,
            height=9,
        ),
        [
            Query(status(ALL)),
            Query(ALL.last("answerprobe_run_pass_ratio", "monitor")),
            Query(ALL.last("answerprobe_target_pass_ratio", "monitor")),
            Query(f"min by (monitor) ({_BOUND})"),
            Query(f"min by (monitor) ({_WINDOW_SAMPLES})"),
            Query(f"{finished} * 1000"),
            Query(budget_left(ALL)),
            Query(ALL.last("answerprobe_last_run_id", "monitor")),
        ],
        [
            _MONITOR,
            Column(field="Value #A", title="Status", mapping=STATUS),
            Column(
                field="Value #B", title="Pass ratio", unit="percentunit", steps=RATIO
            ),
            Column(field="Value #C", title="Target", unit="percentunit"),
            Column(field="Value #D", title="Lower bound", unit="percentunit"),
            Column(field="Value #E", title="Samples"),
            Column(field="Value #F", title="Last run", unit="dateTimeFromNow"),
            Column(
                field="Value #G", title="Budget left", unit="percentunit", steps=BUDGET
            ),
            _run("Value #H"),
        ],
        if_none="no monitors",
    )


def _ratio() -> Builder[Panel]:
    """Return the pass ratio beside the target."""
    panel = lines(
        Frame(
            number=201,
            title="Pass ratio of the last run, and target",
            about="Passed of the judged samples of the last run; errors count as not "
            "passed. Dashed: the target. One run is few samples: see the bound.",
            width=12,
            height=9,
            unit="percentunit",
        ),
        Query(ALL.last("answerprobe_run_pass_ratio", "monitor")),
        Query(
            ALL.last("answerprobe_target_pass_ratio", "monitor"), "target {{monitor}}"
        ),
        at_most=1,
    )
    return dashed(panel, "/^target /", "text")


def _bound() -> Builder[Panel]:
    """Return the lower bound of the weakest case of each monitor."""
    return lines(
        Frame(
            number=202,
            title="Lower bound of the weakest case",
            about="What the pass rate of a monitor's weakest case is at least, with "
            "95% confidence, after the last samples of it. Few samples make a low "
            "bound, however well they went.",
            width=12,
            height=9,
            unit="percentunit",
        ),
        Query(f"min by (monitor) ({_BOUND})"),
        at_most=1,
    )


def _weakest() -> Builder[Panel]:
    """Return the cases with the lowest bounds."""
    weakest = f"bottomk(20, {_BOUND})"
    ratio = ALL.last("answerprobe_case_pass_ratio", "monitor", "case")
    in_a_row = ALL.last("answerprobe_case_consecutive_failed_runs", "monitor", "case")
    return rows(
        Frame(
            number=203,
            title="Weakest cases",
            about="The 20 cases whose pass rate is least sure, with how many samples "
            "say so: errors count as not passed.",
            width=24,
            height=9,
            unit="percentunit",
        ),
        [
            Query(weakest),
            *(
                Query(f"{each} and on (monitor, case) {weakest}")
                for each in (ratio, _WINDOW_SAMPLES, in_a_row)
            ),
        ],
        [
            _MONITOR,
            Column(field="case", title="Case"),
            Column(field="Value #A", title="Lower bound"),
            Column(field="Value #B", title="Pass ratio"),
            Column(field="Value #C", title="Samples", unit="short"),
            Column(
                field="Value #D",
                title="Failed runs in a row",
                unit="short",
                steps=NONE_WANTED,
            ),
        ],
        if_none="no samples yet",
    )


def _failing() -> Builder[Panel]:
    """Return what failing cases answered, beside their last good answers."""
    return rows(
        Frame(
            number=204,
            title="Failing cases: what they answer, and answered when all was well",
            about="Redacted, and cut at 200 characters; the run has all of it. At "
            "most 5 cases a monitor and 200 in all, those that fail longest; none "
            "where answers are not to leave the store.",
            width=24,
            height=10,
        ),
        [Query(failing_answers(ALL))],
        [
            _MONITOR,
            Column(field="case", title="Case", width=160),
            Column(field="answer", title="Answer", wrap=True),
            Column(field="last_good_answer", title="Last good answer", wrap=True),
            Column(field="reason", title="Why it failed", wrap=True),
            _run("Value"),
        ],
        if_none="every case passes",
    )


def _latency(quantile: str, number: int) -> Builder[Panel]:
    """Return how fast answers are, at *quantile*."""
    percent = f"{float(quantile):.0%}"
    durations = "answerprobe_answer_duration_seconds"
    return lines(
        Frame(
            number=number,
            title=f"Answered within, {percent} of samples",
            about=f"{percent} of the answers within the window took at most this long, "
            "from connecting to the last byte. Estimated from buckets.",
            width=12,
            unit="s",
        ),
        Query(ALL.quantile(float(quantile), durations, "monitor")),
    )


def _tokens() -> Builder[Panel]:
    """Return what is spent in tokens."""
    return bars(
        Frame(
            number=401,
            title="Tokens spent within the window",
            about="By agents, judges and simulated users, input and output, in all "
            "runs.",
            width=8,
        ),
        Query(ALL.grown("answerprobe_tokens_total", "monitor")),
    )


def _dollars() -> Builder[Panel]:
    """Return what is spent in dollars."""
    return bars(
        Frame(
            number=402,
            title="Dollars spent within the window",
            about="Only of agents, judges and simulated users that have a price.",
            width=8,
            unit="currencyUSD",
        ),
        Query(ALL.grown("answerprobe_cost_dollars_total", "monitor")),
        if_none="no prices are configured",
    )


def _budget() -> Builder[Panel]:
    """Return what is left of the token budgets."""
    return lines(
        Frame(
            number=403,
            title="Token budget left",
            about="Of this month's budget (UTC), for monitors that have one. A monitor "
            "whose next run would not fit is paused.",
            width=8,
            unit="percentunit",
            steps=BUDGET,
        ),
        Query(budget_left(ALL)),
        at_most=1,
    ).no_value("no budgets are configured")


def _run(field: str) -> Column:
    """Return the column with the last run's number, which leads to its evidence."""
    return Column(field=field, title="Run", unit="none", link=("Evidence", RUN_PAGE))
