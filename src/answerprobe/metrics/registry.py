"""The exporter's own families, made with prometheus_client in a registry of ours."""

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    PlatformCollector,
    ProcessCollector,
    disable_created_metrics,
)

from answerprobe.metrics.exporter_families import ExporterFamily


def own_registry() -> CollectorRegistry:
    """Return a registry with process_* and python_info; without `_created` series."""
    # There is no setting for a single registry.
    disable_created_metrics()  # type: ignore[no-untyped-call]  # it has no types
    registry = CollectorRegistry()
    ProcessCollector(registry=registry)
    PlatformCollector(registry=registry)
    return registry


def gauge(family: ExporterFamily, registry: CollectorRegistry | None) -> Gauge:
    """Return *family* as a gauge; without a *registry* it is not exported yet."""
    known = family.family
    return Gauge(known.name, known.help, _labels(family), registry=registry)


def counter(family: ExporterFamily, registry: CollectorRegistry) -> Counter:
    """Return *family* as a counter."""
    known = family.family
    return Counter(known.name, known.help, _labels(family), registry=registry)


def histogram(family: ExporterFamily, registry: CollectorRegistry) -> Histogram:
    """Return *family* as a histogram."""
    known = family.family
    return Histogram(
        known.name,
        known.help,
        _labels(family),
        buckets=known.buckets,
        registry=registry,
    )


def _labels(family: ExporterFamily) -> list[str]:
    """Return the names of *family*'s labels."""
    return [label.name for label in family.family.labels]
