"""
The catalogue of the monitors' metrics, as data: name, type, help text and labels.

A new family is one entry of MonitorFamily: its lines, its zero values and its rendering
follow from it.
"""

from enum import Enum, StrEnum

from answerprobe.metrics._base import (
    ANSWER_BUCKETS,
    TURN_BUCKETS,
    Family,
    Kind,
    Label,
    LabelSource,
    text_label,
)
from answerprobe.passrate import Change
from answerprobe.run import RunState, Trigger
from answerprobe.sample import ErrorReason, Termination, TokenRole
from answerprobe.status import Cause, Pause
from answerprobe.verdict import Outcome


class RunEnd(StrEnum):
    """How a run ended, or that it never began. A closed set: a metric's label."""

    COMPLETED = RunState.COMPLETED.value
    INTERRUPTED = RunState.INTERRUPTED.value
    SKIPPED = "skipped"


_OWN_PACE = "Moves with the monitor's own schedule, not with scrapes."

_CASE = Label(name="case", source=LabelSource.CASE)
_CRITERION = Label(name="criterion", source=LabelSource.CRITERION)
_OUTCOME = Label(name="outcome", values=tuple(Outcome))
_ROLE = Label(name="role", values=tuple(TokenRole))


def _gauge(
    name: str, help_text: str, *labels: Label, start: int | None = None
) -> Family:
    """Return a gauge of the monitors; absent until known, unless it has a *start*."""
    return Family(
        name=f"answerprobe_{name}",
        kind=Kind.GAUGE,
        help=f"{help_text} {_OWN_PACE}",
        labels=labels,
        start=start,
    )


def _counter(
    name: str, help_text: str, *labels: Label, start: int | None = 0
) -> Family:
    """Return a counter of the monitors, at 0 from load on."""
    return Family(
        name=f"answerprobe_{name}_total",
        kind=Kind.COUNTER,
        help=f"{help_text} {_OWN_PACE}",
        labels=labels,
        start=start,
    )


def _histogram(
    name: str,
    help_text: str,
    *,
    start: int | None = 0,
    buckets: tuple[float, ...] = ANSWER_BUCKETS,
) -> Family:
    """Return a histogram of the monitors, at 0 from load on."""
    return Family(
        name=f"answerprobe_{name}",
        kind=Kind.HISTOGRAM,
        help=f"{help_text} {_OWN_PACE}",
        start=start,
        buckets=buckets,
    )


class MonitorFamily(Enum):
    """Every family whose series belong to a monitor, in the order of exposition."""

    UP = _gauge("up", "1 if a sample of the last run was answered, else 0.")
    RUN_PASS_RATIO = _gauge(
        "run_pass_ratio", "Passed among the judged samples of the last run."
    )
    TARGET_PASS_RATIO = _gauge(
        "target_pass_ratio", "The pass ratio that the monitor is held to."
    )
    RUNS_BELOW_TARGET = _gauge(
        "consecutive_runs_below_target",
        "Runs in a row whose pass ratio was below the target.",
        start=0,
    )
    RUNS_DOWN = _gauge(
        "consecutive_runs_down",
        "Runs in a row in which no sample was answered.",
        start=0,
    )
    RUNS_SLOW = _gauge(
        "consecutive_runs_slow",
        "Runs in a row whose slowness ratio was above 0.8.",
        start=0,
    )
    WITHIN_SECONDS = _gauge(
        "within_seconds", "The longest deadline among the monitor's cases."
    )
    RUN_SLOWNESS_RATIO = _gauge(
        "run_slowness_ratio",
        "90th percentile of duration / deadline over the last run's answered samples.",
    )
    FIRST_SEEN = _gauge(
        "monitor_first_seen_timestamp_seconds",
        "When the monitor was first loaded, by the store.",
    )
    LAST_RUN_TIMESTAMP = _gauge(
        "last_run_timestamp_seconds", "When the last counted run finished."
    )
    LAST_RUN_DURATION = _gauge(
        "last_run_duration_seconds", "How long the last counted run took."
    )
    RUN_INTERVAL = _gauge(
        "run_interval_seconds",
        "Time between scheduled runs; absent where it runs only on demand.",
    )
    NEXT_RUN_TIMESTAMP = _gauge(
        "next_run_timestamp_seconds", "When the next scheduled run is due."
    )
    LAST_RUN_ID = _gauge("last_run_id", "The number of the last counted run.")
    RUNS = _counter(
        "runs",
        "Runs by what started them and how they ended.",
        Label(name="trigger", values=tuple(Trigger)),
        Label(name="state", values=tuple(RunEnd)),
    )
    SAMPLES = _counter(
        "samples", "Samples of counted runs by how they ended.", _CASE, _OUTCOME
    )
    SAMPLE_ERRORS = _counter(
        "sample_errors",
        "Samples of counted runs that got no usable answer, by reason.",
        Label(name="reason", values=tuple(ErrorReason)),
    )
    CRITERION_FAILURES = _counter(
        "criterion_failures",
        "Samples of counted runs that failed a criterion.",
        _CASE,
        _CRITERION,
    )
    CASE_PASSING = _gauge(
        "case_passing",
        "1 if the case passed in the last run, 0 if it failed, absent if undecided.",
        _CASE,
    )
    CASE_PASS_RATIO = _gauge(
        "case_pass_ratio", "Passed among the samples of the case's window.", _CASE
    )
    CASE_PASS_RATIO_LOWER_BOUND = _gauge(
        "case_pass_ratio_lower_bound",
        "Lower end of the Wilson interval of the case's pass ratio.",
        _CASE,
    )
    CASE_WINDOW_SAMPLES = _gauge(
        "case_window_samples", "Samples in the case's window.", _CASE, start=0
    )
    CASE_REGRESSED = _gauge(
        "case_regressed",
        "1 if the case always passed and fails now, by whose change it was.",
        _CASE,
        Label(name="cause", values=tuple(Cause)),
        start=0,
    )
    CASE_FAILED_RUNS = _gauge(
        "case_consecutive_failed_runs",
        "Runs in a row in which the case failed.",
        _CASE,
        start=0,
    )
    CASE_THRESHOLD = _gauge(
        "case_threshold_ratio",
        "What the lower bound of each criterion's pass ratio must be above.",
        _CASE,
    )
    CASE_ANSWER = _gauge(
        "case_answer_info",
        "1 while the case fails; the labels are its answer and the last good one.",
        text_label("case"),
        text_label("answer"),
        text_label("last_good_answer"),
        text_label("reason"),
    )
    ANSWER_DURATION = _histogram(
        "answer_duration_seconds",
        "Time from connecting to the whole answer, of counted runs' answered samples.",
    )
    FIRST_TOKEN = _histogram(
        "first_token_seconds",
        "Time from connecting to the first piece of a streamed answer.",
        start=None,
    )
    CONVERSATION_TURNS = _histogram(
        "conversation_turns",
        "Messages to the agent in a conversation.",
        start=None,
        buckets=TURN_BUCKETS,
    )
    CONVERSATIONS = _counter(
        "conversations",
        "Conversations by why they ended.",
        _CASE,
        Label(name="termination", values=tuple(Termination)),
        start=None,
    )
    TOKENS = _counter(
        "tokens",
        "Tokens spent by role and kind; estimated where the API told nothing.",
        _ROLE,
        Label(name="kind", values=("input", "output")),
        Label(name="estimated", values=("false", "true")),
    )
    COST = _counter(
        "cost_dollars",
        "Dollars spent by role, where a price is set.",
        _ROLE,
        start=None,
    )
    TOKEN_BUDGET = _gauge(
        "token_budget_tokens", "Tokens that the monitor may spend in a month (UTC)."
    )
    TOKEN_BUDGET_USED = _gauge(
        "token_budget_used_tokens", "Tokens that the monitor spent in this month (UTC)."
    )
    TOKEN_BUDGET_RESET = _gauge(
        "token_budget_reset_timestamp_seconds", "When the monitor's budget starts anew."
    )
    PAUSED = _gauge(
        "paused",
        "1 while the monitor is paused for this reason, else 0.",
        Label(name="reason", values=tuple(Pause)),
        start=0,
    )
    LAST_DEPLOY = _gauge(
        "last_deploy_timestamp_seconds",
        "When the latest deploy that touches the monitor was announced.",
        text_label("version"),
    )
    DEPLOY_RESULT = _gauge(
        "last_deploy_result",
        "1 for how the latest deploy's runs compare with those before, else 0; absent "
        "until compared.",
        Label(name="result", values=tuple(Change)),
    )
    DEPLOY_DIFFERENCE = _gauge(
        "last_deploy_pass_ratio_difference",
        "How much the pass ratio rose with the latest deploy; absent until compared.",
    )
    DEPLOY_DIFFERENCE_LOWER_BOUND = _gauge(
        "last_deploy_pass_ratio_difference_lower_bound",
        "Lower end of the 95% interval of that difference.",
    )
    DEPLOY_DIFFERENCE_UPPER_BOUND = _gauge(
        "last_deploy_pass_ratio_difference_upper_bound",
        "Upper end of the 95% interval of that difference.",
    )

    def __init__(self, family: Family) -> None:
        self.family = family
        self.position = len(self.__class__.__members__)
