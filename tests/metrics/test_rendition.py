"""When series are rendered again."""

import asyncio
import gzip
import itertools
import threading

from collections.abc import Callable

import pytest

from answerprobe.metrics.deflate import Deflated, gzip_body
from answerprobe.metrics.families import MonitorFamily
from answerprobe.metrics.negotiation import Format
from answerprobe.metrics.rendition import Rendition, Taken, header, text_of
from answerprobe.metrics.store import MonitorSeries, Segment, SeriesStore


UP = MonitorFamily.UP
RATIO = MonitorFamily.RUN_PASS_RATIO
# So many series are rendered in a thread.
MANY = 10_000


class Gate:
    """A value that cannot be written before it is told to."""

    def __init__(self) -> None:
        self.reached = threading.Event()
        self.opened = threading.Event()

    def __repr__(self) -> str:
        self.reached.set()
        assert self.opened.wait(20)
        return "0"


def add(store: SeriesStore, name: str = "shop", size: int = 1) -> MonitorSeries:
    """Add a monitor with *size* series of each family."""
    lines = [f'{each.family.name}{{m="{name}"}} %a\n' for each in MonitorFamily]
    return store.add([Segment(line.encode() * size, [0] * size) for line in lines])


def text(body: Deflated) -> str:
    """Return what a scraper reads."""
    return gzip.decompress(gzip_body(body)).decode()


async def reached(gate: Gate) -> None:
    """Wait until the rendering thread stands before *gate*."""
    assert await asyncio.to_thread(gate.reached.wait, 20)


class TestBody:
    """The text that a scrape gets."""

    async def test_shows_every_change_made_before(self) -> None:
        """Whatever is changed, the next scrape has it."""
        store = SeriesStore()
        rendition = Rendition(store, Format.TEXT)
        series = add(store)

        for value in range(5):
            series.put(UP, value)
            shown = text(await rendition.body())
            assert f'answerprobe_up{{m="shop"}} {value}\n' in shown

    async def test_is_the_same_object_while_nothing_changes(self) -> None:
        """A scrape of what did not change renders nothing."""
        store = SeriesStore()
        rendition = Rendition(store, Format.TEXT)
        series = add(store)

        first = await rendition.body()
        series.put(UP, 0)

        assert await rendition.body() is first

    async def test_monitors_come_and_go(self) -> None:
        """Also those of other blocks; what is gone leaves no line."""
        store = SeriesStore()
        rendition = Rendition(store, Format.TEXT)
        added = [add(store, f"m{i}", 60) for i in range(40)]
        before = text(await rendition.body())

        for series in added[1:]:
            store.remove(series)

        assert before.count('answerprobe_up{m="m39"}') == 60
        after = text(await rendition.body())
        assert after.count("answerprobe_up{") == 60
        assert '"m39"' not in after

    async def test_families_are_contiguous_with_one_header_each(self) -> None:
        """However many blocks there are, and whichever changed."""
        store = SeriesStore()
        rendition = Rendition(store, Format.TEXT)
        added = [add(store, f"m{i}", 60) for i in range(40)]
        await rendition.body()
        added[7].put(RATIO, 0.5)

        lines = text(await rendition.body()).splitlines()

        types = [line.split()[2] for line in lines if line.startswith("# TYPE")]
        assert types == [family.family.name for family in MonitorFamily]
        families = [line.split("{")[0] for line in lines if line[0] != "#"]
        assert list(dict.fromkeys(families)) == types
        changes = sum(a != b for a, b in itertools.pairwise(families))
        assert changes == len(types) - 1

    async def test_absent_series_have_no_line(self) -> None:
        """They come and go by themselves."""
        store = SeriesStore()
        rendition = Rendition(store, Format.TEXT)
        first, second = add(store, "a"), add(store, "b")

        first.put(RATIO, None)
        shown = text(await rendition.body())

        assert 'answerprobe_run_pass_ratio{m="a"}' not in shown
        assert 'answerprobe_run_pass_ratio{m="b"} 0\n# HELP' in shown
        second.put(RATIO, None)
        assert "answerprobe_run_pass_ratio{" not in text(await rendition.body())

    async def test_a_scrape_during_a_rendering_sees_what_came_before_it(self) -> None:
        """It does not make do with what the other scraper asked for."""
        store = SeriesStore()
        rendition = Rendition(store, Format.TEXT)
        series, gate = add(store, size=MANY), Gate()
        store.replace(series, RATIO, Segment(b"gate %a\n", [gate]))  # type: ignore[list-item]  # writes itself when told
        first = asyncio.create_task(rendition.body())
        await reached(gate)

        series.put(UP, 5)
        second = asyncio.create_task(rendition.body())
        gate.opened.set()

        assert "gate 0\n" in text(await first)
        assert "} 5\n" in text(await second)

    async def test_a_scraper_that_hangs_up_loses_nothing(self) -> None:
        """What it had begun is there for the next one."""
        store = SeriesStore()
        rendition = Rendition(store, Format.TEXT)
        series, gate = add(store, size=MANY), Gate()
        store.replace(series, RATIO, Segment(b"gate %a\n", [gate]))  # type: ignore[list-item]  # writes itself when told
        first = asyncio.create_task(rendition.body())
        await reached(gate)

        first.cancel()
        with pytest.raises(asyncio.CancelledError):
            await first
        gate.opened.set()

        assert text(await rendition.body()).count("answerprobe_up{") == MANY

    async def test_a_failed_rendering_is_made_up_for(self) -> None:
        """What changed stays due until it is rendered."""
        store = SeriesStore()
        rendition = Rendition(store, Format.TEXT)
        series = add(store)
        store.replace(series, UP, Segment(b"%b\n", [1]))
        with pytest.raises(TypeError):
            await rendition.body()

        store.replace(series, UP, Segment(b"mended %a\n", [1]))

        shown = text(await rendition.body())
        assert "mended 1\n" in shown
        assert 'answerprobe_run_pass_ratio{m="shop"} 0\n' in shown


class SlowRendering:
    """A rendition whose second rendering stands still, and its clock."""

    def __init__(self) -> None:
        self.now = 100.0
        self.store = SeriesStore()
        self.series = add(self.store, size=MANY)
        self.gate = Gate()
        clock: Callable[[], float] = lambda: self.now  # noqa: E731  typed so
        self.rendition = Rendition(
            self.store, Format.TEXT, clock=clock, patience_seconds=0.0
        )

    async def change(self) -> None:
        """Render once, then change everything in a way that takes long."""
        await self.rendition.body()
        self.store.replace(self.series, UP, Segment(b"gate %a\n", [self.gate]))  # type: ignore[list-item]  # writes itself when told
        for position in range(MANY):
            self.series.put(RATIO, 5, position)


class TestPatience:
    """What a scrape gets when rendering takes long."""

    async def test_what_is_at_hand_if_it_is_young(self) -> None:
        """Up to a second old it may be, and the change comes later."""
        slow = SlowRendering()
        await slow.change()
        slow.now += 1.0

        shown = text(await slow.rendition.body())
        slow.gate.opened.set()

        assert shown.count("answerprobe_up{") == MANY
        slow.now += 0.1
        assert "gate 0\n" in text(await slow.rendition.body())

    async def test_what_changed_if_the_other_is_old(self) -> None:
        """After more than a second the scrape waits."""
        slow = SlowRendering()
        await slow.change()
        slow.now += 1.1

        scrape = asyncio.create_task(slow.rendition.body())
        await reached(slow.gate)
        assert not scrape.done()
        slow.gate.opened.set()

        assert "gate 0\n" in text(await scrape)


def taken(exemplars: dict[int, str]) -> Taken:
    """Return a cell with two series."""
    return Taken(0, UP.position, (b"a %a\nb %a\n",), (3, 0.5), exemplars)


class TestTextOf:
    """The lines of a cell."""

    def test_exemplars_stand_in_openmetrics_only(self) -> None:
        """The older format has none."""
        cell = taken({1: '# {run_id="9"} 0.4'})

        assert text_of(cell, Format.TEXT) == b"a 3\nb 0.5\n"
        assert text_of(cell, Format.OPENMETRICS) == (b'a 3\nb 0.5 # {run_id="9"} 0.4\n')

    def test_whole_numbers_are_written_in_full(self) -> None:
        """A run's id must never come as 1e+06."""
        cell = Taken(0, 0, (b"a %a\n",), (123_456_789,), {})

        assert text_of(cell, Format.TEXT) == b"a 123456789\n"


class TestHeader:
    """HELP and TYPE."""

    def test_a_counter_is_named_by_the_rules_of_its_format(self) -> None:
        """OpenMetrics leaves the suffix to the series."""
        family = MonitorFamily.RUNS.family

        assert b"# TYPE answerprobe_runs_total counter" in header(family, Format.TEXT)
        assert b"# TYPE answerprobe_runs counter" in header(family, Format.OPENMETRICS)
