"""What the exporter tells of itself."""

import platform

import pytest

from prometheus_client import CollectorRegistry

from answerprobe.metrics import ExporterMetrics, own_registry
from metrics.making import NOW


@pytest.fixture
def registry() -> CollectorRegistry:
    """A registry of its own."""
    return own_registry()


@pytest.fixture
def exporter(registry: CollectorRegistry) -> ExporterMetrics:
    """The exporter's metrics."""
    return ExporterMetrics(registry, version="1.2.3", revision="abc")


def value(registry: CollectorRegistry, name: str, **labels: str) -> float | None:
    """Return a series."""
    return registry.get_sample_value(f"answerprobe_{name}", labels)


class TestOwnRegistry:
    """The registry."""

    @pytest.mark.usefixtures("exporter")
    def test_knows_the_process_and_has_no_created_series(
        self, registry: CollectorRegistry
    ) -> None:
        """process_* and python_info are there."""
        names = {
            found.name for family in registry.collect() for found in family.samples
        }

        assert {"process_resident_memory_bytes", "python_info"} <= names
        assert not [name for name in names if name.endswith("_created")]


class TestExporterMetrics:
    """The exporter's own families."""

    @pytest.mark.usefixtures("exporter")
    def test_counters_start_at_0(self, registry: CollectorRegistry) -> None:
        """A rate sees the first error too."""
        assert value(registry, "storage_errors_total") == 0
        assert value(registry, "internal_errors_total") == 0

    def test_counts_errors(
        self, registry: CollectorRegistry, exporter: ExporterMetrics
    ) -> None:
        """Errors of the store and of our own are told apart."""
        exporter.storage_failed()
        exporter.storage_failed()
        exporter.internal_error()

        assert value(registry, "storage_errors_total") == 2
        assert value(registry, "internal_errors_total") == 1

    @pytest.mark.usefixtures("exporter")
    def test_build_info_names_the_versions(self, registry: CollectorRegistry) -> None:
        """Version, revision and Python's version are labels."""
        assert (
            value(
                registry,
                "build_info",
                version="1.2.3",
                revision="abc",
                python_version=platform.python_version(),
            )
            == 1
        )

    def test_samples_are_asked_for_at_each_scrape(
        self, registry: CollectorRegistry, exporter: ExporterMetrics
    ) -> None:
        """What is in flight is looked up, not told."""
        flying = [1, 2]

        exporter.watch_samples(
            in_flight=lambda: len(flying),
            queue_length=lambda: 5,
            oldest_seconds=lambda: 1.5,
        )
        flying.append(3)

        assert value(registry, "samples_in_flight") == 3
        assert value(registry, "queue_length") == 5
        assert value(registry, "oldest_in_flight_seconds") == 1.5

    def test_a_refused_configuration_leaves_the_old_one_shown(
        self, registry: CollectorRegistry, exporter: ExporterMetrics
    ) -> None:
        """Only the success flag moves."""
        exporter.config_accepted(NOW, sha256="ab12", external_url="")

        exporter.config_refused()

        assert value(registry, "config_last_reload_successful") == 0
        assert (
            value(registry, "config_last_reload_success_timestamp_seconds")
            == NOW.timestamp()
        )
        assert value(registry, "config_info", sha256="ab12", external_url="") == 1

    def test_only_the_configuration_in_force_is_shown(
        self, registry: CollectorRegistry, exporter: ExporterMetrics
    ) -> None:
        """The old one's hash is gone."""
        exporter.config_accepted(NOW, sha256="ab12", external_url="")

        exporter.config_accepted(NOW, sha256="cd34", external_url="http://probe")

        assert value(registry, "config_info", sha256="ab12", external_url="") is None

    def test_the_total_budget_is_absent_where_none_is_set(
        self, registry: CollectorRegistry, exporter: ExporterMetrics
    ) -> None:
        """It comes and goes with the configuration, as often as that changes."""
        for _ in range(2):
            assert value(registry, "total_token_budget_tokens") is None
            exporter.total_budget(500, used_tokens=20, resets_at=NOW)
            exporter.total_budget(500, used_tokens=30, resets_at=NOW)
            assert value(registry, "total_token_budget_used_tokens") == 30
            exporter.no_total_budget()

        assert value(registry, "total_token_budget_used_tokens") is None

    def test_lags_are_never_negative(
        self, registry: CollectorRegistry, exporter: ExporterMetrics
    ) -> None:
        """A clock that was set back does not break the sums."""
        exporter.run_started(-1.0)
        exporter.run_started(2.0)
        exporter.event_loop_lagged(-0.1)

        assert value(registry, "schedule_lag_seconds_sum") == 2.0
        assert value(registry, "schedule_lag_seconds_count") == 2
        assert value(registry, "event_loop_lag_seconds_sum") == 0

    def test_the_store_is_shown(
        self, registry: CollectorRegistry, exporter: ExporterMetrics
    ) -> None:
        """Whether it works, and how big it is."""
        exporter.storage_up(up=True)
        exporter.storage_size(4096)

        assert value(registry, "storage_up") == 1
        assert value(registry, "storage_size_bytes") == 4096
