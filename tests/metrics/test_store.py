"""Values of series and which of them changed."""

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from answerprobe.metrics.families import MonitorFamily
from answerprobe.metrics.store import (
    MonitorSeries,
    Segment,
    SeriesStore,
    Value,
)


UP = MonitorFamily.UP
DEPLOY = MonitorFamily.LAST_DEPLOY


def segments(name: str, size: int = 1) -> list[Segment]:
    """Return *size* series of each family for the monitor *name*."""
    template = f"{name} %a\n".encode() * size
    return [Segment(template, [0] * size) for _ in MonitorFamily]


class TestMonitorSeries:
    """One monitor's series."""

    def test_a_new_value_touches_only_its_family(self) -> None:
        """Nothing else needs rendering."""
        store = SeriesStore()
        series = store.add(segments("shop"))
        touched = store.watch()
        touched.clear()

        series.put(UP, 1)

        assert [cell.family for cell in touched] == [UP]

    def test_the_same_value_touches_nothing(self) -> None:
        """What did not change is not rendered again."""
        store = SeriesStore()
        series = store.add(segments("shop"))
        touched = store.watch()
        touched.clear()

        series.put(UP, 0)
        series.increase(UP, 0)

        assert not touched

    def test_absent_is_not_0(self) -> None:
        """A series can go away, and counts from 0 when it comes back."""
        store = SeriesStore()
        series = store.add(segments("shop"))

        series.put(UP, None)
        assert series.get(UP) is None
        series.increase(UP, 2.5)

        assert series.get(UP) == 2.5

    def test_exemplars_stay_with_their_series(self) -> None:
        """When another monitor leaves the block they move along."""
        store = SeriesStore()
        first, second = store.add(segments("a", 3)), store.add(segments("b", 3))
        first.exemplify(UP, "# first", 1)
        second.exemplify(UP, "# second", 2)

        store.remove(first)

        (cell,) = (cell for cell in store.watch() if cell.family is UP)
        assert cell.exemplars == {2: "# second"}


class TestSeriesStore:
    """All monitors' series."""

    def test_every_watcher_sees_every_change(self) -> None:
        """Each format is rendered from its own list of changes."""
        store = SeriesStore()
        series = store.add(segments("shop"))
        one, other = store.watch(), store.watch()
        one.clear()

        series.put(UP, 1)

        assert {cell.family for cell in one} == {UP}
        assert {cell.family for cell in other} == set(MonitorFamily)

    def test_a_block_does_not_grow_without_end(self) -> None:
        """A change in one monitor never renders all of them again."""
        store = SeriesStore()
        few, last = [store.add(segments(f"m{i}", 50)) for i in range(9)][::8]

        assert few.block != last.block

    def test_room_is_used_again(self) -> None:
        """Reloads that replace monitors don't leave blocks behind."""
        store = SeriesStore()
        for i in range(20):
            store.remove(store.add(segments(f"m{i}", 2000)))

        assert {cell.block for cell in store.watch()} == {0}


class StoreMachine(RuleBasedStateMachine):
    """The store beside a plain dictionary of lists."""

    def __init__(self) -> None:
        super().__init__()
        self.store = SeriesStore()
        self.series: dict[str, MonitorSeries] = {}
        self.expected: dict[str, dict[MonitorFamily, list[Value]]] = {}
        self.count = 0

    @rule(size=st.integers(0, 60))
    def add(self, size: int) -> None:
        """A monitor comes."""
        name = f"m{self.count}"
        self.count += 1
        self.series[name] = self.store.add(segments(name, size))
        self.expected[name] = {family: [0] * size for family in MonitorFamily}

    @precondition(lambda self: self.series)
    @rule(data=st.data())
    def remove(self, data: st.DataObject) -> None:
        """A monitor goes."""
        name = data.draw(st.sampled_from(sorted(self.series)))
        self.store.remove(self.series.pop(name))
        del self.expected[name]

    @precondition(lambda self: self.series)
    @rule(data=st.data(), value=st.none() | st.integers(0, 9))
    def put(self, data: st.DataObject, value: Value) -> None:
        """A value changes."""
        name = data.draw(st.sampled_from(sorted(self.series)))
        values = self.expected[name][UP]
        if values:
            position = data.draw(st.integers(0, len(values) - 1))
            values[position] = value
            self.series[name].put(UP, value, position)

    @precondition(lambda self: self.series)
    @rule(data=st.data(), size=st.integers(0, 5))
    def replace(self, data: st.DataObject, size: int) -> None:
        """A family of a monitor gets other series."""
        name = data.draw(st.sampled_from(sorted(self.series)))
        self.expected[name][DEPLOY] = [7] * size
        segment = Segment(f"{name} %a\n".encode() * size, [7] * size)
        self.store.replace(self.series[name], DEPLOY, segment)

    @invariant()
    def every_monitor_has_its_values(self) -> None:
        """Nobody's values moved to somebody else."""
        for name, families in self.expected.items():
            for family in (UP, DEPLOY):
                template, values = self.store.segment(self.series[name], family)
                assert list(values) == families[family]
                assert template == f"{name} %a\n".encode() * len(values)

    @invariant()
    def templates_and_values_belong_together(self) -> None:
        """Each cell can be written."""
        for cell in self.store.watch():
            assert b"".join(cell.templates).count(b"%a") == len(cell.values)


TestStoreMachine = StoreMachine.TestCase
