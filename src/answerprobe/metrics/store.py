"""
The values of the monitors' series, changed on the event loop.

Series are kept by family and block of monitors (a cell), the unit that is rendered
again when something in it changed. What belongs to one monitor in a cell is written by
one formatting operation from a template, and costs a pointer a series beside its text.
"""

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from answerprobe.metrics.families import MonitorFamily


# A number, or None while the series is absent.
Value = int | float | None

# A block of so many series renders in about a millisecond.
_BLOCK_SERIES = 4000


class Segment(NamedTuple):
    """The series of one family of one monitor: a line each, `%a` for its value."""

    template: bytes
    values: Sequence[Value]


@dataclass(slots=True, eq=False, kw_only=True)
class Cell:
    """One family in one block: a template for each monitor, the values of all."""

    block: int
    family: MonitorFamily
    templates: list[bytes] = field(default_factory=list)
    values: list[Value] = field(default_factory=list)
    exemplars: dict[int, str] = field(default_factory=dict)

    def splice(self, start: int, end: int, values: Sequence[Value]) -> None:
        """Put *values* in place of those from *start* to *end*."""
        grown = len(values) - (end - start)
        self.values[start:end] = values
        self.exemplars = {
            at if at < start else at + grown: text
            for at, text in self.exemplars.items()
            if not start <= at < end
        }


class MonitorSeries:
    """One monitor's series. What changes is noted for the next scrape."""

    __slots__ = ("_cells", "_starts", "_watchers")

    def __init__(
        self, cells: Sequence[Cell], starts: "array[int]", watchers: list[set[Cell]]
    ) -> None:
        self._cells = cells
        self._starts = starts
        self._watchers = watchers

    @property
    def block(self) -> int:
        """The number of the block it is in."""
        return self._cells[0].block

    def start(self, family: MonitorFamily) -> int:
        """Return where its values of *family* begin in the cell."""
        return self._starts[family.position]

    def move(self, family: MonitorFamily, by: int) -> None:
        """Note that its values of *family* begin *by* places later."""
        self._starts[family.position] += by

    def get(self, family: MonitorFamily, position: int = 0) -> Value:
        """Return the value of a series, None while it is absent."""
        at = self._starts[family.position] + position
        return self._cells[family.position].values[at]

    def put(self, family: MonitorFamily, value: Value, position: int = 0) -> None:
        """Set the value of a series; None makes it absent."""
        cell = self._cells[family.position]
        at = self._starts[family.position] + position
        if cell.values[at] != value:
            cell.values[at] = value
            for touched in self._watchers:
                touched.add(cell)

    def increase(self, family: MonitorFamily, by: float, position: int = 0) -> None:
        """Add *by* to the value of a series, which counts as 0 while it is absent."""
        if by:
            self.put(family, (self.get(family, position) or 0) + by, position)

    def exemplify(self, family: MonitorFamily, exemplar: str, position: int) -> None:
        """Let *exemplar* stand beside the value of a series, in OpenMetrics."""
        cell = self._cells[family.position]
        cell.exemplars[self._starts[family.position] + position] = exemplar
        for touched in self._watchers:
            touched.add(cell)


@dataclass(slots=True, eq=False, kw_only=True)
class _Block:
    """Monitors whose series share cells, one for each family."""

    cells: tuple[Cell, ...]
    members: list[MonitorSeries] = field(default_factory=list)
    series: int = 0


class SeriesStore:
    """All monitors' series; for the event loop's thread only."""

    def __init__(self) -> None:
        self._blocks: list[_Block] = []
        self._watchers: list[set[Cell]] = []

    def watch(self) -> set[Cell]:
        """Return a set that has all cells now, and gets every cell that changes."""
        touched = {cell for block in self._blocks for cell in block.cells}
        self._watchers.append(touched)
        return touched

    def add(self, segments: Sequence[Segment]) -> MonitorSeries:
        """Take in a monitor with *segments*, one for each family in order."""
        size = sum(len(segment.values) for segment in segments)
        block = self._block_with_room(size)
        block.series += size
        starts = array("I", (len(cell.values) for cell in block.cells))
        for cell, segment in zip(block.cells, segments, strict=True):
            cell.templates.append(segment.template)
            cell.values.extend(segment.values)
        series = MonitorSeries(block.cells, starts, self._watchers)
        block.members.append(series)
        self._touch(block.cells)
        return series

    def remove(self, series: MonitorSeries) -> None:
        """Forget *series*."""
        block = self._blocks[series.block]
        at = block.members.index(series)
        for cell in block.cells:
            self._splice(block, at, cell, ())
            del cell.templates[at]
        del block.members[at]
        self._touch(block.cells)

    def replace(
        self, series: MonitorSeries, family: MonitorFamily, segment: Segment
    ) -> None:
        """Let *segment* be all that *series* has of *family*."""
        block = self._blocks[series.block]
        at = block.members.index(series)
        cell = block.cells[family.position]
        self._splice(block, at, cell, segment.values)
        cell.templates[at] = segment.template
        self._touch((cell,))

    def segment(self, series: MonitorSeries, family: MonitorFamily) -> Segment:
        """Return what *series* has of *family*, as it is now."""
        block = self._blocks[series.block]
        at = block.members.index(series)
        cell = block.cells[family.position]
        start, end = self._bounds(block, at, cell)
        return Segment(cell.templates[at], cell.values[start:end])

    def _splice(
        self, block: _Block, at: int, cell: Cell, values: Sequence[Value]
    ) -> None:
        """Replace the values of *block*'s member number *at* in *cell*."""
        start, end = self._bounds(block, at, cell)
        grown = len(values) - (end - start)
        cell.splice(start, end, values)
        block.series += grown
        for later in block.members[at + 1 :]:
            later.move(cell.family, grown)

    def _bounds(self, block: _Block, at: int, cell: Cell) -> tuple[int, int]:
        """Return where in *cell* the values of member number *at* begin and end."""
        start = block.members[at].start(cell.family)
        if at + 1 == len(block.members):
            return start, len(cell.values)
        return start, block.members[at + 1].start(cell.family)

    def _block_with_room(self, size: int) -> _Block:
        """Return a block that *size* series more fit into, an empty one at last."""
        for block in reversed(self._blocks):
            if not block.members or block.series + size <= _BLOCK_SERIES:
                return block
        number = len(self._blocks)
        cells = tuple(Cell(block=number, family=family) for family in MonitorFamily)
        block = _Block(cells=cells)
        self._blocks.append(block)
        return block

    def _touch(self, cells: Sequence[Cell]) -> None:
        """Note that *cells* changed."""
        for touched in self._watchers:
            touched.update(cells)
