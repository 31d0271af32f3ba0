"""A long list in pages."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

from answerprobe.web.pages._links import query


_Item = TypeVar("_Item")


@dataclass(frozen=True, slots=True, kw_only=True)
class Pager:
    """Where one is in a list of *total*, and where the pages beside it are."""

    page: int
    size: int
    total: int
    path: str
    parameters: Mapping[str, str | int | None]

    @property
    def pages(self) -> int:
        """How many pages there are, at least one."""
        return max(1, -(-self.total // self.size))

    @property
    def first(self) -> int:
        """The number of the first that is shown."""
        return min(self.total, (self.page - 1) * self.size + 1)

    @property
    def last(self) -> int:
        """The number of the last that is shown."""
        return min(self.total, self.page * self.size)

    @property
    def previous(self) -> str | None:
        """The address of the page before; None on the first."""
        return self._at(self.page - 1) if self.page > 1 else None

    @property
    def next(self) -> str | None:
        """The address of the page after; None on the last."""
        return self._at(self.page + 1) if self.page < self.pages else None

    def _at(self, page: int) -> str:
        """Return the address of *page*."""
        return self.path + query(
            {**self.parameters, "page": page if page > 1 else None}
        )


def cut(items: list[_Item], *, page: int, size: int) -> tuple[int, list[_Item]]:
    """Return the items of *page*, or of the last one there is, and which it is."""
    last = max(1, -(-len(items) // size))
    page = min(page, last)
    return page, items[(page - 1) * size : page * size]
