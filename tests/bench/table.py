"""One line of the table, and how it looks."""

from typing import NamedTuple


HEADING = f"{'':44}{'ours':>11}{'beside it':>12}{'ratio':>8}{'bar':>12}"


class Row(NamedTuple):
    """
    What is measured of us, and what we hope for.

    With *least*, what the same takes at the least, the bar is a ratio to it. Without
    one the bar is as absolute as what is measured.
    """

    what: str
    ours: float
    unit: str
    bar: float
    least: float | None = None

    def __str__(self) -> str:
        """Return the line."""
        ours = f"{self.ours:.3g} {self.unit}"
        if self.least is None:
            return f"{self.what:44}{ours:>11}{'':20}{f'{self.bar:g} {self.unit}':>12}"
        least, ratio = f"{self.least:.3g} {self.unit}", self.ours / self.least
        return f"{self.what:44}{ours:>11}{least:>12}{ratio:8.3f}{self.bar:12.3g}"
