"""What a metric family is, as data."""

import itertools

from dataclasses import dataclass, field
from enum import StrEnum


class Kind(StrEnum):
    """The types of metrics we have, as exposition formats spell them."""

    GAUGE = "gauge"
    COUNTER = "counter"
    HISTOGRAM = "histogram"


class LabelSource(StrEnum):
    """Where a label's values come from."""

    CLOSED = "closed"
    CASE = "case"
    CRITERION = "criterion"
    TEXT = "text"


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """A label beyond `monitor`; *values* are those of a closed set, in order."""

    name: str
    source: LabelSource = LabelSource.CLOSED
    values: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """
    A metric family.

    *start* is the value its series have from load on, None where they are absent until
    something is known. *positions* tells where a combination of closed label values
    stands among the *width* series of one case (or of the monitor); a histogram's
    series are its buckets, `+Inf`, `_sum` and `_count`, in this order.
    """

    name: str
    kind: Kind
    help: str
    labels: tuple[Label, ...] = ()
    start: int | None = None
    buckets: tuple[float, ...] = ()
    positions: dict[tuple[str, ...], int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        closed = [
            label.values for label in self.labels if label.source is LabelSource.CLOSED
        ]
        found = {key: i for i, key in enumerate(itertools.product(*closed))}
        object.__setattr__(self, "positions", found)

    @property
    def width(self) -> int:
        """How many series one case, or a monitor without cases, has of it."""
        return len(self.positions)

    @property
    def sources(self) -> frozenset[LabelSource]:
        """Where its labels' values come from."""
        return frozenset(label.source for label in self.labels)

    def __hash__(self) -> int:
        return hash(self.name)


def text_label(name: str) -> Label:
    """Return a label with a text of its own, known only later."""
    return Label(name=name, source=LabelSource.TEXT)


# From what a quick agent takes to what the longest deadlines allow.
ANSWER_BUCKETS = (
    *(0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0),
    *(10.0, 20.0, 30.0, 60.0, 120.0, 300.0),
)
# A conversation has 8 turns at most unless it says otherwise.
TURN_BUCKETS = (1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 15.0, 20.0)
