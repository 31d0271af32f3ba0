"""Queries over one selection of series, safe with any number of replicas."""

from dataclasses import dataclass


# What the window of counters is called in the dashboards.
WINDOW = "$window"


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """
    The series that a dashboard looks at, by their common label matchers.

    Each query names the labels that it keeps, so that replicas and replaced pods
    neither double a line nor break it.
    """

    selector: str

    def series(self, metric: str, where: str = "") -> str:
        """Return the selector of *metric*; *where* are matchers of its own."""
        matchers = f"{self.selector},{where}" if where else self.selector
        return f"{metric}{{{matchers}}}"

    def last(self, metric: str, *by: str, where: str = "") -> str:
        """Return a gauge: replicas tell the same, so the largest stands for all."""
        return f"max by ({', '.join(by)}) ({self.series(metric, where)})"

    def grown(
        self, metric: str, *by: str, where: str = "", window: str = WINDOW
    ) -> str:
        """Return by how much a counter grew within *window*, over all replicas."""
        grew = f"increase({self.series(metric, where)}[{window}])"
        return f"sum by ({', '.join(by)}) ({grew})"

    def grown_where_any(self, metric: str, *by: str) -> str:
        """Return the same for series that were above 0 at all: there may be many."""
        highest = f"max_over_time({self.series(metric)}[{WINDOW}])"
        return f"{self.grown(metric, *by)} and sum by ({', '.join(by)}) ({highest}) > 0"

    def quantile(self, quantile: float, metric: str, *by: str) -> str:
        """Return the *quantile* of a histogram within the window."""
        buckets = self.grown(f"{metric}_bucket", *by, "le")
        return f"histogram_quantile({quantile:g}, {buckets})"


def status(scope: Scope) -> str:
    """Return each monitor's status: 0 down, 1 degraded, 2 up, 3 paused; as STATUS."""
    paused = scope.last("answerprobe_paused", "monitor")
    up = scope.last("answerprobe_up", "monitor")
    below = scope.last("answerprobe_consecutive_runs_below_target", "monitor")
    regressed = scope.last(
        "answerprobe_case_regressed", "monitor", where='cause="agent"'
    )
    degraded = f"clamp_max(({below} >= bool 2) + {regressed}, 1)"
    return f"(3 * ({paused} > 0) or {up} * (2 - {degraded}))"


def budget_left(scope: Scope) -> str:
    """Return the share of each monitor's monthly token budget that is left."""
    used = scope.last("answerprobe_token_budget_used_tokens", "monitor")
    whole = scope.last("answerprobe_token_budget_tokens", "monitor")
    return f"1 - {used} / {whole}"


def failing_answers(scope: Scope) -> str:
    """Return the answers of the cases that fail; the value is the run's number."""
    labels = ("monitor", "case", "answer", "last_good_answer", "reason")
    answers = scope.last("answerprobe_case_answer_info", *labels)
    run = scope.last("answerprobe_last_run_id", "monitor")
    return f"{answers} * on (monitor) group_left () {run}"
