"""All metrics of a daemon, made together."""

from answerprobe import __version__
from answerprobe.metrics import (
    ExporterMetrics,
    Exposition,
    JudgeMetrics,
    MonitorMetrics,
    SeriesStore,
    own_registry,
)
from answerprobe.runner import Slots


class Telemetry:
    """The metrics of everything, and what renders them."""

    def __init__(self) -> None:
        store, registry = SeriesStore(), own_registry()
        self.monitors = MonitorMetrics(store)
        self.exporter = ExporterMetrics(registry, version=__version__)
        self.judges = JudgeMetrics(registry)
        self.exposition = Exposition(store, registry)
        self._declared: frozenset[str] = frozenset()

    def watch_slots(self, slots: Slots) -> None:
        """Show how many samples are in flight or wait."""
        self.exporter.watch_samples(
            in_flight=lambda: slots.in_flight,
            queue_length=lambda: slots.waiting,
            oldest_seconds=lambda: slots.oldest_seconds,
        )

    def declare_judges(self, names: frozenset[str]) -> None:
        """Show the judges *names* and no others."""
        for gone in self._declared - names:
            self.judges.remove(gone)
        for name in names - self._declared:
            self.judges.declare(name)
        self._declared = names
