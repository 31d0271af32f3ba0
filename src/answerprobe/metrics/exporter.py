"""What the daemon knows of itself: its work, its configuration, its store."""

import platform

from collections.abc import Callable
from datetime import datetime

from prometheus_client import CollectorRegistry

from answerprobe.metrics.exporter_families import ExporterFamily as Family
from answerprobe.metrics.registry import counter, gauge, histogram
from answerprobe.text import scrub


class ExporterMetrics:
    """The exporter's own metrics, told what happened."""

    def __init__(
        self, registry: CollectorRegistry, *, version: str, revision: str = ""
    ) -> None:
        self._registry = registry
        self._in_flight = gauge(Family.SAMPLES_IN_FLIGHT, registry)
        self._queue = gauge(Family.QUEUE_LENGTH, registry)
        self._oldest = gauge(Family.OLDEST_IN_FLIGHT, registry)
        self._schedule_lag = histogram(Family.SCHEDULE_LAG, registry)
        self._event_loop_lag = histogram(Family.EVENT_LOOP_LAG, registry)
        self._reload_successful = gauge(Family.CONFIG_RELOAD_SUCCESSFUL, registry)
        self._reload_timestamp = gauge(Family.CONFIG_RELOAD_TIMESTAMP, registry)
        self._config_info = gauge(Family.CONFIG_INFO, registry)
        self._storage_up = gauge(Family.STORAGE_UP, registry)
        self._storage_size = gauge(Family.STORAGE_SIZE, registry)
        self._storage_errors = counter(Family.STORAGE_ERRORS, registry)
        self._internal_errors = counter(Family.INTERNAL_ERRORS, registry)
        self._total_budget = _TotalBudget(registry)
        build = (scrub(version), scrub(revision), platform.python_version())
        gauge(Family.BUILD_INFO, registry).labels(*build).set(1)

    def watch_samples(
        self,
        *,
        in_flight: Callable[[], float],
        queue_length: Callable[[], float],
        oldest_seconds: Callable[[], float],
    ) -> None:
        """Ask these at each scrape, on the event loop's thread."""
        self._in_flight.set_function(in_flight)
        self._queue.set_function(queue_length)
        self._oldest.set_function(oldest_seconds)

    def run_started(self, lag_seconds: float) -> None:
        """Count a run that started *lag_seconds* after it was due."""
        self._schedule_lag.observe(max(0.0, lag_seconds))

    def event_loop_lagged(self, seconds: float) -> None:
        """Note how late the event loop called back."""
        self._event_loop_lag.observe(max(0.0, seconds))

    def config_accepted(self, at: datetime, *, sha256: str, external_url: str) -> None:
        """Show the configuration that is in force from now on."""
        self._reload_successful.set(1)
        self._reload_timestamp.set(at.timestamp())
        self._config_info.clear()
        self._config_info.labels(scrub(sha256), scrub(external_url)).set(1)

    def config_refused(self) -> None:
        """Show that the last configuration was refused; the old one stays shown."""
        self._reload_successful.set(0)

    def storage_up(self, *, up: bool) -> None:
        """Show whether the store works."""
        self._storage_up.set(int(up))

    def storage_size(self, size_bytes: int) -> None:
        """Show how big the store is."""
        self._storage_size.set(size_bytes)

    def storage_failed(self) -> None:
        """Count a use of the store that failed."""
        self._storage_errors.inc()

    def internal_error(self) -> None:
        """Count a fault of our own."""
        self._internal_errors.inc()

    def total_budget(
        self, limit_tokens: int, *, used_tokens: int, resets_at: datetime
    ) -> None:
        """Show the budget of all monitors together."""
        self._total_budget.show((limit_tokens, used_tokens, resets_at.timestamp()))

    def no_total_budget(self) -> None:
        """Show no budget of all monitors together."""
        self._total_budget.hide()


class _TotalBudget:
    """Three gauges that are exported only while there is something to show."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._registry = registry
        self._shown = False
        self._gauges = [
            gauge(family, None)
            for family in (
                Family.TOTAL_BUDGET,
                Family.TOTAL_BUDGET_USED,
                Family.TOTAL_BUDGET_RESET,
            )
        ]

    def show(self, values: tuple[float, float, float]) -> None:
        """Export *values*: limit, used, and when it starts anew."""
        for each, value in zip(self._gauges, values, strict=True):
            each.set(value)
            if not self._shown:
                self._registry.register(each)
        self._shown = True

    def hide(self) -> None:
        """Export nothing."""
        if self._shown:
            for each in self._gauges:
                self._registry.unregister(each)
        self._shown = False
