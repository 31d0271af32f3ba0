"""One format's text of the monitors' series, kept deflated, renewed piece by piece."""

import asyncio
import time

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from answerprobe.metrics._base import Family, Kind
from answerprobe.metrics.deflate import NOTHING, Deflated, Deflater, joined
from answerprobe.metrics.families import MonitorFamily
from answerprobe.metrics.negotiation import Format
from answerprobe.metrics.store import Cell, SeriesStore, Value


# Up to so many series rendering takes two or three milliseconds, less than it can take
# a thread to get its turn beside a busy event loop (5 ms each time it needs one).
_INLINE_SERIES = 8000
# Joining costs a multiplication for each piece, so it is done in steps.
_STRIP_PIECES = 8
# A scrape waits so long for what changed, then takes what is at hand ...
_PATIENCE_SECONDS = 0.05
# ... if it is no older than this.
_MAX_AGE_SECONDS = 1.0


class Taken(NamedTuple):
    """A cell as it was at one moment, for another thread to render."""

    block: int
    family: int
    templates: tuple[bytes, ...]
    values: tuple[Value, ...]
    exemplars: dict[int, str]


class _Written:
    """A value as *text*, for `%a` to write as it is."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


class Rendition:
    """
    The monitors' series in one format.

    Only `body` renders, and only what changed; two calls never render at once, and the
    second has nothing left to do where nothing changed in between.
    """

    def __init__(
        self,
        store: SeriesStore,
        text_format: Format,
        *,
        clock: Callable[[], float] = time.monotonic,
        patience_seconds: float = _PATIENCE_SECONDS,
    ) -> None:
        self._format = text_format
        self._clock = clock
        self._patience_seconds = patience_seconds
        self._changed = store.watch()
        # One rendering at a time: it owns the pieces and what is joined of them, by
        # strips of a few blocks, columns of a whole family, and the body.
        self._rendering = asyncio.Lock()
        self._tasks: set[asyncio.Task[None]] = set()
        deflater = Deflater()
        self._headers = [
            deflater.piece(header(each.family, text_format)) for each in MonitorFamily
        ]
        self._pieces: list[list[Deflated]] = [[] for _ in MonitorFamily]
        self._strips: list[list[Deflated]] = [[] for _ in MonitorFamily]
        self._columns = list(self._headers)
        self._body = joined(self._columns)
        self._taken_at: float | None = None

    async def body(self) -> Deflated:
        """
        Return all series, with every change made before this call.

        Only where rendering takes longer than our patience may they be a second old.
        """
        if not self._rendering.locked() and self._is_little():
            # At once: on a busy loop each turn that one waits for costs milliseconds.
            with self._taken() as taken:
                self._render(taken)
            return self._body
        task = asyncio.create_task(self._refresh())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        if self._is_young():
            await asyncio.wait({task}, timeout=self._patience_seconds)
            if not task.done() and self._is_young():
                return self._body
        # Shielded: what was taken must be rendered, also if this scraper hangs up.
        await asyncio.shield(task)
        return self._body

    def _is_little(self) -> bool:
        """Whether what changed is rendered in no time."""
        return sum(len(cell.values) for cell in self._changed) <= _INLINE_SERIES

    def _is_young(self) -> bool:
        """Whether the body at hand is young enough to be shown."""
        if self._taken_at is None:
            return False
        return self._clock() - self._taken_at <= _MAX_AGE_SECONDS

    async def _refresh(self) -> None:
        """Render what changed, once nobody else does."""
        async with self._rendering:
            with self._taken() as taken:
                await asyncio.to_thread(self._render, taken)

    @contextmanager
    def _taken(self) -> Iterator[list[Taken]]:
        """Give what changed as it is now; if rendering it fails, it is due again."""
        cells, now = list(self._changed), self._clock()
        self._changed.clear()
        try:
            yield [take(cell) for cell in cells]
        except BaseException:
            self._changed.update(cells)
            raise
        self._taken_at = now

    def _render(self, taken: Sequence[Taken]) -> None:
        """Renew the pieces of *taken*, their families' columns and the body."""
        if not taken:
            return
        deflater = Deflater()
        strips = set()
        for each in taken:
            piece = deflater.piece(text_of(each, self._format))
            _put(self._pieces[each.family], each.block, piece)
            strips.add((each.family, each.block // _STRIP_PIECES))
        for family, strip in strips:
            start = strip * _STRIP_PIECES
            pieces = self._pieces[family][start : start + _STRIP_PIECES]
            _put(self._strips[family], strip, joined(pieces))
        for family in {family for family, _ in strips}:
            self._columns[family] = joined(
                [self._headers[family], *self._strips[family]]
            )
        self._body = joined(self._columns)


def _put(pieces: list[Deflated], at: int, piece: Deflated) -> None:
    """Set the *piece* number *at*, which may lie beyond the end."""
    pieces.extend([NOTHING] * (at + 1 - len(pieces)))
    pieces[at] = piece


def take(cell: Cell) -> Taken:
    """Return *cell* as it is now."""
    return Taken(
        cell.block,
        cell.family.position,
        tuple(cell.templates),
        tuple(cell.values),
        dict(cell.exemplars),
    )


def text_of(taken: Taken, text_format: Format) -> bytes:
    """Return the lines of *taken* in *text_format*."""
    values: list[object] = list(taken.values)
    if text_format is Format.OPENMETRICS:
        for at, exemplar in taken.exemplars.items():
            values[at] = _Written(f"{taken.values[at]!r} {exemplar}")
    text = b"".join(taken.templates) % tuple(values)
    if None not in taken.values:
        return text
    # Label values hold no line breaks, so a line is a series and its end the value.
    return b"\n".join(
        [line for line in text.split(b"\n") if not line.endswith(b"} None")]
    )


def header(family: Family, text_format: Format) -> bytes:
    """Return the HELP and TYPE lines of *family*."""
    name = family.name
    if family.kind is Kind.COUNTER and text_format is Format.OPENMETRICS:
        # There the family goes without the suffix that its series have.
        name = name.removesuffix("_total")
    return f"# HELP {name} {family.help}\n# TYPE {name} {family.kind}\n".encode()
