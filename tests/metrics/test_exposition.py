"""The whole of a scrape."""

import gzip
import shutil
import subprocess

from dataclasses import replace
from typing import NamedTuple

import pytest

from prometheus_client.openmetrics.parser import (
    text_string_to_metric_families as parse_openmetrics,
)
from prometheus_client.parser import text_string_to_metric_families as parse_text

from answerprobe.case import Conversation, Threshold
from answerprobe.metrics import (
    AnswerInfo,
    ExporterMetrics,
    Exposition,
    JudgeMetrics,
    own_registry,
)
from answerprobe.metrics.exporter_families import ExporterFamily
from answerprobe.metrics.families import MonitorFamily
from answerprobe.passrate import Counted
from answerprobe.run import GradedBy
from answerprobe.sample import TokenRole
from answerprobe.status import DeployComparison
from answerprobe.verdict import Outcome
from metrics.making import (
    LONG_AGO,
    NOW,
    OPENMETRICS,
    Shown,
    calibration,
    make_case,
    make_monitor,
    make_run,
    make_sample,
)


class Everything(NamedTuple):
    """All metrics with something in every family."""

    shown: Shown
    exposition: Exposition


@pytest.fixture
def everything() -> Everything:
    """Two monitors, one of them with a failing case; a judge; a daemon."""
    shown, registry = Shown(), own_registry()
    talk = replace(
        make_case('a "b" \\ % {c}'),
        ask=None,
        conversation=Conversation(persona="A customer.", goal="A refund."),
    )
    bar = Threshold(samples=5)
    cases = (replace(make_case("hours", "contains"), bar=bar), talk)
    monitor = make_monitor(cases=cases, stream=True, token_budget=500)
    shown.metrics.declare(
        monitor, first_seen=LONG_AGO, priced_roles=list(TokenRole)[:2]
    )
    shown.declare(make_monitor("ünï & <co>", labels={"team": "ops\n"}))
    samples = (
        make_sample(Outcome.FAIL, failed=("contains",), first_token_seconds=0.1),
        make_sample(case_id=cases[1].id),
    )
    status = shown.finish(monitor, make_run(*samples, run_id=1_000_000))
    deploy = DeployComparison(
        version="1.0",
        first_run_id=1,
        of_runs=1,
        before=Counted(3, 3),
        before_runs=1,
        after=Counted(2, 3),
        after_runs=1,
    )
    shown.metrics.show_status("shop", replace(status, deploy=deploy))
    shown.metrics.budget("shop", used_tokens=1, resets_at=NOW)
    shown.metrics.next_run("shop", NOW)
    shown.metrics.deployed("shop", "1.0", NOW)
    info = AnswerInfo(
        case_id="hours",
        failing_since_run=1,
        answer="<b>\n",
        last_good_answer="At nine.",
        reason="contains",
    )
    shown.metrics.answers("shop", [info])
    exporter = ExporterMetrics(registry, version="1.2.3")
    exporter.config_accepted(NOW, sha256="ab12", external_url="")
    exporter.total_budget(500, used_tokens=1, resets_at=NOW)
    judges = JudgeMetrics(registry)
    judges.declare("default")
    judges.requested("default", Outcome.PASS, 0.5)
    judges.graded_by("default", GradedBy(model="m", prompt_version="a1"))
    judges.calibrated(calibration((19, 20), (20, 20)))
    return Everything(shown, Exposition(shown.store, registry))


ALL_NAMES = {
    each.family.name
    for catalogue in (MonitorFamily, ExporterFamily)
    for each in catalogue
}


class TestRender:
    """An answer to a scrape."""

    async def test_text_has_every_family_once(self, everything: Everything) -> None:
        """Each with its type, and with series."""
        found = await everything.exposition.render("text/plain", None)

        text = found.body.decode()
        types = [line.split()[2] for line in text.splitlines() if "# TYPE " in line]
        assert len(types) == len(set(types))
        assert set(types) >= ALL_NAMES
        assert {f.name for f in parse_text(text) if not f.samples} == set()
        assert found.content_type == "text/plain; version=0.0.4; charset=utf-8"
        assert found.content_encoding is None

    async def test_openmetrics_has_the_same_series(
        self, everything: Everything
    ) -> None:
        """A strict parser reads it; it ends as it must."""
        text = await everything.exposition.render(None, None)
        found = await everything.exposition.render(OPENMETRICS, None)

        body = found.body.decode()
        assert body.endswith("\n# EOF\n")
        families = parse_openmetrics(body)  # type: ignore[no-untyped-call]  # it has no types
        series = {
            (sample.name, *sorted(sample.labels.items()))
            for family in families
            for sample in family.samples
        }
        assert series == {
            (sample.name, *sorted(sample.labels.items()))
            for family in parse_text(text.body.decode())
            for sample in family.samples
        }
        assert not [name for name, *_ in series if str(name).endswith("_created")]
        assert found.content_type.startswith("application/openmetrics-text; version=1")

    @pytest.mark.parametrize(
        "accept",
        [
            pytest.param("text/plain", id="text"),
            pytest.param(OPENMETRICS, id="openmetrics"),
        ],
    )
    async def test_gzip_is_the_same_text(
        self, everything: Everything, accept: str
    ) -> None:
        """Compressed or not, but for what the process itself does meanwhile."""
        plain = await everything.exposition.render(accept, "identity")
        zipped = await everything.exposition.render(accept, "gzip")

        assert zipped.content_encoding == "gzip"
        assert _lasting(gzip.decompress(zipped.body)) == _lasting(plain.body)

    async def test_follows_changes_in_both_formats(
        self, everything: Everything
    ) -> None:
        """Asking for one takes nothing away from the other."""
        for accept in ("text/plain", OPENMETRICS):
            await everything.exposition.render(accept, "gzip")
        everything.shown.metrics.remove("shop")

        for accept in ("text/plain", OPENMETRICS):
            found = await everything.exposition.render(accept, "gzip")
            assert b'monitor="shop"' not in gzip.decompress(found.body)

    async def test_run_ids_are_whole(self, everything: Everything) -> None:
        """An alert builds a link from it."""
        found = await everything.exposition.render("text/plain", None)

        assert b'answerprobe_last_run_id{monitor="shop"} 1000000\n' in found.body

    async def test_large_bodies_are_inflated_too(self) -> None:
        """A client without gzip gets everything, however much it is."""
        shown = Shown()
        for number in range(40):
            cases = tuple(make_case(f"c{i}") for i in range(20))
            shown.declare(make_monitor(f"m{number}", cases=cases))

        found = await Exposition(shown.store, own_registry()).render("text/plain", None)

        assert found.body.count(b"answerprobe_case_window_samples{") == 800

    async def test_promtool_has_nothing_to_say(self, everything: Everything) -> None:
        """Names, types and help texts follow Prometheus' conventions."""
        promtool = shutil.which("promtool")
        if promtool is None:
            pytest.skip("no promtool: apt-get install prometheus")
        found = await everything.exposition.render("text/plain", None)

        done = subprocess.run(  # noqa: ASYNC221, S603  nothing else goes on
            [promtool, "check", "metrics"],
            input=found.body,
            capture_output=True,
            check=False,
        )

        assert (done.returncode, done.stdout + done.stderr) == (0, b"")


def _lasting(text: bytes) -> list[bytes]:
    """Return the lines of *text* that two scrapes in a row have in common."""
    return [line for line in text.split(b"\n") if not line.startswith(b"process_")]
