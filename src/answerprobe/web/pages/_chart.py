"""Small charts as plain SVG: bars of runs, a line over time."""

from collections.abc import Sequence
from dataclasses import dataclass


# Room in a line chart for what is written at its edges.
_LEFT, _RIGHT, _TOP, _BOTTOM = 40, 16, 14, 22
_NOTE_WIDTH = 44
# How much of its place a bar takes at least.
_LEAST = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """A bar from the ground up; *kind* is its class, *title* what it means."""

    x: float
    y: float
    width: float
    height: float
    kind: str
    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BarChart:
    """Bars side by side, and where the target's line is, None where there is none."""

    width: int
    height: int
    bars: tuple[Bar, ...]
    target_y: float | None
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """What one bar or point says; *ratio* None: nothing is known."""

    ratio: float | None
    kind: str
    title: str
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dot:
    """A point of a line; its *note* is written below it."""

    x: float
    y: float
    kind: str
    title: str
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LineChart:
    """A line through *dots*, as the `points` of a polyline."""

    width: int
    height: int
    dots: tuple[Dot, ...]
    target_y: float | None
    label: str

    def down(self, ratio: float) -> float:
        """Return how far below the upper edge *ratio* is."""
        return _down(ratio, self.height)

    @property
    def points(self) -> str:
        """What a polyline is drawn through."""
        return " ".join(f"{dot.x:g},{dot.y:g}" for dot in self.dots)


def bars(
    values: Sequence[Value],
    *,
    places: int,
    size: tuple[int, int],
    label: str,
    target: float | None = None,
) -> BarChart:
    """Return *values*, the newest at the right of *places* places, as bars."""
    width, height = size
    step = width / places
    shift = places - len(values)
    drawn = []
    for place, value in enumerate(values, shift):
        # The worst run must not be the least to be seen, and what is unknown is there.
        tall = height if value.ratio is None else max(_LEAST, value.ratio) * height
        drawn.append(
            Bar(
                x=round(place * step, 2),
                y=round(height - tall, 2),
                width=round(step * 0.8, 2),
                height=round(tall, 2),
                kind=value.kind,
                title=value.title,
            )
        )
    return BarChart(
        width=width,
        height=height,
        bars=tuple(drawn),
        target_y=None if target is None else round(height * (1 - target), 2),
        label=label,
    )


def line(
    values: Sequence[Value],
    *,
    size: tuple[int, int],
    label: str,
    target: float | None = None,
) -> LineChart:
    """Return those of *values* that are known as a line from left to right."""
    width, height = size
    known = [value for value in values if value.ratio is not None]
    step = (width - _LEFT - _RIGHT) / max(1, len(known) - 1)
    # Notes stand at so many points that they don't touch, the last among them.
    gap = max(1, round(_NOTE_WIDTH / step + 0.5))
    return LineChart(
        width=width,
        height=height,
        dots=tuple(
            Dot(
                x=round(_LEFT + place * step, 2),
                y=_down(value.ratio or 0.0, height),
                kind=value.kind,
                title=value.title,
                note="" if (len(known) - 1 - place) % gap else value.note,
            )
            for place, value in enumerate(known)
        ),
        target_y=None if target is None else _down(target, height),
        label=label,
    )


def _down(ratio: float, height: int) -> float:
    """Return how far below the upper edge of a line chart *ratio* is."""
    return round(_TOP + (height - _TOP - _BOTTOM) * (1 - ratio), 2)
