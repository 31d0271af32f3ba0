"""
The catalogue of the exporter's own metrics, as data.

They are few and kept by prometheus_client, which adds process_* and python_info.
"""

from enum import Enum

from answerprobe.errors import LlmFault
from answerprobe.metrics._base import ANSWER_BUCKETS, Family, Kind, Label, text_label
from answerprobe.verdict import Outcome


_LAG_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0, 30.0, 60.0)
_LOOP_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0)


def _own(
    name: str,
    kind: Kind,
    help_text: str,
    *labels: Label,
    buckets: tuple[float, ...] = (),
) -> Family:
    """Return a family of the exporter itself."""
    return Family(
        name=f"answerprobe_{name}",
        kind=kind,
        help=help_text,
        labels=labels,
        buckets=buckets,
    )


_JUDGE = text_label("judge")
_KNOWN = Label(name="verdict", values=(Outcome.PASS, Outcome.FAIL))
JUDGE_OUTCOMES: tuple[str, ...] = (Outcome.PASS, Outcome.FAIL, *LlmFault)


class ExporterFamily(Enum):
    """Every family of the exporter itself; process_* and python_info come with them."""

    JUDGE_UP = _own(
        "judge_up",
        Kind.GAUGE,
        "1 if the last request reached the judge and was usable, else 0.",
        _JUDGE,
    )
    JUDGE_REQUESTS = _own(
        "judge_requests_total",
        Kind.COUNTER,
        "Requests to the judge by what came back.",
        _JUDGE,
        Label(name="outcome", values=JUDGE_OUTCOMES),
    )
    JUDGE_DURATION = _own(
        "judge_duration_seconds",
        Kind.HISTOGRAM,
        "How long the judge took for one request.",
        _JUDGE,
        buckets=ANSWER_BUCKETS,
    )
    JUDGE_DISAGREEMENTS = _own(
        "judge_disagreements_total",
        Kind.COUNTER,
        "Answers on which the votes of the judge differed.",
        _JUDGE,
    )
    JUDGE_INFO = _own(
        "judge_info",
        Kind.GAUGE,
        "1; the labels are the judge's model and the version of its prompt.",
        _JUDGE,
        text_label("model"),
        text_label("prompt_version"),
    )
    JUDGE_CANARY_AGREEMENT = _own(
        "judge_canary_agreement_ratio",
        Kind.GAUGE,
        "Judged canaries of this known verdict that got it in the last calibration.",
        _JUDGE,
        _KNOWN,
    )
    JUDGE_CANARY_SAMPLES = _own(
        "judge_canary_samples",
        Kind.GAUGE,
        "Canaries of this known verdict that the last calibration judged.",
        _JUDGE,
        _KNOWN,
    )
    SAMPLES_IN_FLIGHT = _own(
        "samples_in_flight", Kind.GAUGE, "Samples that wait for their answer."
    )
    QUEUE_LENGTH = _own("queue_length", Kind.GAUGE, "Samples that wait for a slot.")
    OLDEST_IN_FLIGHT = _own(
        "oldest_in_flight_seconds",
        Kind.GAUGE,
        "Age of the oldest sample in flight, 0 without any.",
    )
    SCHEDULE_LAG = _own(
        "schedule_lag_seconds",
        Kind.HISTOGRAM,
        "From when a run was due to when it started.",
        buckets=_LAG_BUCKETS,
    )
    EVENT_LOOP_LAG = _own(
        "event_loop_lag_seconds",
        Kind.HISTOGRAM,
        "How late the event loop called back.",
        buckets=_LOOP_BUCKETS,
    )
    CONFIG_RELOAD_SUCCESSFUL = _own(
        "config_last_reload_successful",
        Kind.GAUGE,
        "1 if the last load of the configuration was accepted, else 0.",
    )
    CONFIG_RELOAD_TIMESTAMP = _own(
        "config_last_reload_success_timestamp_seconds",
        Kind.GAUGE,
        "When a configuration was last accepted.",
    )
    CONFIG_INFO = _own(
        "config_info",
        Kind.GAUGE,
        "1; the labels are the loaded configuration's hash and the external URL.",
        text_label("sha256"),
        text_label("external_url"),
    )
    STORAGE_UP = _own(
        "storage_up", Kind.GAUGE, "1 if the last use of the store worked, else 0."
    )
    STORAGE_SIZE = _own("storage_size_bytes", Kind.GAUGE, "Size of the store.")
    STORAGE_ERRORS = _own(
        "storage_errors_total", Kind.COUNTER, "Uses of the store that failed."
    )
    INTERNAL_ERRORS = _own(
        "internal_errors_total",
        Kind.COUNTER,
        "Faults of answerprobe itself; never counted as the agent's.",
    )
    TOTAL_BUDGET = _own(
        "total_token_budget_tokens",
        Kind.GAUGE,
        "Tokens that all monitors together may spend in a month (UTC).",
    )
    TOTAL_BUDGET_USED = _own(
        "total_token_budget_used_tokens",
        Kind.GAUGE,
        "Tokens that all monitors together spent in this month (UTC).",
    )
    TOTAL_BUDGET_RESET = _own(
        "total_token_budget_reset_timestamp_seconds",
        Kind.GAUGE,
        "When the budget of all monitors together starts anew.",
    )
    BUILD_INFO = _own(
        "build_info",
        Kind.GAUGE,
        "1; the labels are the versions that run.",
        text_label("version"),
        text_label("revision"),
        text_label("python_version"),
    )

    def __init__(self, family: Family) -> None:
        self.family = family
