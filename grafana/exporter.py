"""The dashboard of judges and of the daemon: can what we are told be trusted?"""

from grafana_foundation_sdk.builders.dashboard import Dashboard
from grafana_foundation_sdk.cog.builder import Builder
from grafana_foundation_sdk.models.dashboard import Panel

from grafana.frame import JOB, Marks, dashboard, section, some
from grafana.judges import REQUESTS, judges
from grafana.panels import (
    BUDGET,
    NONE_WANTED,
    YES,
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
from grafana.promql import Scope


DAEMONS = Scope(selector=f'{JOB},instance=~"$instance"')
# Every instance counts for itself here, and its own series are not the monitors'.
_BY_INSTANCE = "{{instance}}"
_ACCEPTED = "answerprobe_config_last_reload_success_timestamp_seconds"


def exporter() -> Dashboard:
    """Return the dashboard."""
    board = dashboard(
        "exporter",
        "answerprobe / Exporter and judge",
        "Whether judges can be reached and agree with what is known, and how the "
        "daemon itself is doing.",
    )
    board.with_variable(some("judge", REQUESTS, "Judge"))
    board.with_variable(some("instance", "answerprobe_build_info", "Instance"))
    board.annotation(
        Marks(
            "Reloads",
            DAEMONS.last(_ACCEPTED, "instance"),
            title="Configuration accepted",
            text="{{instance}}",
        )
    )
    section(board, 100, "Judges", *judges())
    section(board, 200, "Schedule", _lag(), _load(), _oldest(), _skipped())
    section(board, 300, "Store and config", *_store(), *_reloads(), _configs())
    section(board, 400, "The process", _loop(), *_process())
    section(board, 500, "Scraping and budget", *_scraping(), _budget())
    return board


def _lag() -> Builder[Panel]:
    """Return how late runs start."""
    lag = "answerprobe_schedule_lag_seconds"
    return lines(
        Frame(
            number=201,
            title="Runs started late by",
            about="From when a scheduled run was due to when its first sample started, "
            "over the window; estimated from buckets.",
            width=12,
            unit="s",
            steps=((None, "green"), (30, "red")),
        ),
        *(Query(DAEMONS.quantile(q, lag), f"{q:.0%} of runs") for q in (0.5, 0.99)),
    )


def _load() -> Builder[Panel]:
    """Return how much is under way."""
    return lines(
        Frame(
            number=202,
            title="Samples in flight and waiting",
            about="In flight: sent, and waiting for their answers. Waiting: for a "
            "slot; where that never ends, `limits.in_flight` is too low.",
            width=12,
        ),
        *(
            Query(DAEMONS.last(metric, "instance"), f"{_BY_INSTANCE}: {legend}")
            for metric, legend in (
                ("answerprobe_samples_in_flight", "in flight"),
                ("answerprobe_queue_length", "waiting"),
            )
        ),
    )


def _oldest() -> Builder[Panel]:
    """Return whether something hangs."""
    return lines(
        Frame(
            number=203,
            title="Oldest sample in flight",
            about="Longer than the longest `within` of all monitors: something hangs.",
            width=12,
            unit="s",
        ),
        Query(
            DAEMONS.last("answerprobe_oldest_in_flight_seconds", "instance"),
            _BY_INSTANCE,
        ),
    )


def _skipped() -> Builder[Panel]:
    """Return how runs ended."""
    return bars(
        Frame(
            number=204,
            title="Runs within the window, by how they ended",
            about="Skipped: the one before was still going on when it was due.",
            width=12,
        ),
        Query(DAEMONS.grown("answerprobe_runs_total", "state"), "{{state}}"),
    )


def _store() -> list[Builder[Panel]]:
    """Return whether evidence is kept, and how much there is."""
    return [
        states(
            Frame(
                number=301,
                title="Store usable",
                about="Whether the last use of the store worked. While it does not, "
                "probing goes on, and what was kept is written later.",
                width=8,
            ),
            Query(DAEMONS.last("answerprobe_storage_up", "instance"), _BY_INSTANCE),
            YES,
        ),
        lines(
            Frame(
                number=302,
                title="Size of the store",
                about="What `retention` keeps; see the docs on storage.",
                width=8,
                unit="bytes",
            ),
            Query(
                DAEMONS.last("answerprobe_storage_size_bytes", "instance"), _BY_INSTANCE
            ),
        ),
        bars(
            Frame(
                number=303,
                title="Faults within the window",
                about="Uses of the store that failed, and faults of answerprobe "
                "itself. Neither is ever an agent's failure.",
                width=8,
                steps=NONE_WANTED,
            ),
            *(
                Query(DAEMONS.grown(metric, "instance"), f"{_BY_INSTANCE}: {legend}")
                for metric, legend in (
                    ("answerprobe_storage_errors_total", "store"),
                    ("answerprobe_internal_errors_total", "internal"),
                )
            ),
        ),
    ]


def _reloads() -> list[Builder[Panel]]:
    """Return whether the configuration in force is the one on disk."""
    return [
        states(
            Frame(
                number=304,
                title="Last reload accepted",
                about="Where it was not, the configuration before it goes on.",
                width=8,
            ),
            Query(
                DAEMONS.last("answerprobe_config_last_reload_successful", "instance"),
                _BY_INSTANCE,
            ),
            YES,
        ),
        numbers(
            Frame(
                number=305,
                title="Configuration accepted",
                about="When each instance last accepted one.",
                width=8,
                unit="dateTimeFromNow",
            ),
            Query(f"{DAEMONS.last(_ACCEPTED, 'instance')} * 1000", _BY_INSTANCE),
        ),
    ]


def _configs() -> Builder[Panel]:
    """Return what runs where."""
    labels = ("instance", "version", "revision", "python_version")
    build = DAEMONS.last("answerprobe_build_info", *labels)
    config = DAEMONS.last("answerprobe_config_info", "instance", "sha256")
    return rows(
        Frame(
            number=306,
            title="What runs",
            about="Replicas should all have the same configuration and version.",
            width=8,
        ),
        [Query(f"{config} * on (instance) group_left (version, revision) {build}")],
        [
            Column(field="instance", title="Instance"),
            Column(field="version", title="Version"),
            Column(field="revision", title="Revision"),
            Column(field="sha256", title="Configuration"),
            Column(field="Value", title="Running"),
        ],
        if_none="nothing is scraped",
    )


def _loop() -> Builder[Panel]:
    """Return whether measured latencies can be trusted."""
    lag = "answerprobe_event_loop_lag_seconds"
    return lines(
        Frame(
            number=401,
            title="Event loop called back late by",
            about="Above some 50 ms, measured latencies are not to be trusted: give it "
            "more CPU, or fewer samples at once. 99% of times, over the window.",
            width=8,
            unit="s",
            steps=((None, "green"), (0.05, "red")),
        ),
        Query(DAEMONS.quantile(0.99, lag, "instance"), _BY_INSTANCE),
    )


def _process() -> list[Builder[Panel]]:
    """Return what the process uses."""
    cpu = DAEMONS.series("process_cpu_seconds_total")
    return [
        lines(
            Frame(
                number=402,
                title="CPU",
                about="Cores that the process kept busy.",
                width=8,
            ),
            Query(f"sum by (instance) (rate({cpu}[$__rate_interval]))", _BY_INSTANCE),
        ),
        lines(
            Frame(
                number=403,
                title="Memory",
                about="Resident memory of the process.",
                width=8,
                unit="bytes",
            ),
            Query(
                DAEMONS.last("process_resident_memory_bytes", "instance"), _BY_INSTANCE
            ),
        ),
    ]


def _scraping() -> list[Builder[Panel]]:
    """Return what scraping costs, as Prometheus sees it."""
    return [
        lines(
            Frame(
                number=501,
                title="A scrape takes",
                about="As Prometheus measures it; at `scrape_timeout` it gives up.",
                width=8,
                unit="s",
                steps=((None, "green"), (5, "red")),
            ),
            Query(DAEMONS.last("scrape_duration_seconds", "instance"), _BY_INSTANCE),
        ),
        lines(
            Frame(
                number=502,
                title="Series of a scrape",
                about="What Prometheus has to keep of each instance.",
                width=8,
            ),
            Query(DAEMONS.last("scrape_samples_scraped", "instance"), _BY_INSTANCE),
        ),
    ]


def _budget() -> Builder[Panel]:
    """Return what is left of the budgets, that of all together first."""
    everything = Scope(selector=JOB)

    def left(budget: str, *by: str) -> str:
        used = everything.last(f"answerprobe_{budget}_used_tokens", *by)
        whole = everything.last(f"answerprobe_{budget}_tokens", *by)
        return f"1 - {used} / {whole}"

    total = left("total_token_budget")
    panel = lines(
        Frame(
            number=503,
            title="Token budget left",
            about="Dashed: of the budget of all monitors together, where one is set; "
            "the others are those of single monitors. By UTC months.",
            width=8,
            unit="percentunit",
            steps=BUDGET,
        ),
        Query(
            f'label_replace({total}, "monitor", "all together", "", "") '
            f"or {left('token_budget', 'monitor')}"
        ),
        at_most=1,
    ).no_value("no budgets are configured")
    return dashed(panel, "/^all together$/", "text")
