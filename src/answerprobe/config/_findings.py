"""What is found wrong while a configuration is read, before it has a position."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple


# From the root of the document to a value: keys (canonical names) and list indices.
Path = tuple[str | int, ...]


class Near(NamedTuple):
    """
    A *word* that is none of *names*; perhaps the nearest of them was meant.

    *allowed* are those to be listed, where the message doesn't list them already.
    """

    word: str
    names: Sequence[str]
    allowed: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """
    One thing wrong at *path*; *at_key*: the key is meant, not its value.

    *near* is looked into only for what is shown in the end.
    """

    path: Path
    message: str
    at_key: bool = False
    near: Near | None = None


@dataclass(slots=True, kw_only=True)
class Findings:
    """Collects findings; what is reported twice is kept once."""

    _kept: dict[tuple[Path, str], Finding] = field(default_factory=dict)
    _paths: set[Path] = field(default_factory=set)

    def add(self, path: Path, message: str, *, at_key: bool = False) -> None:
        """Keep that *message* holds at *path*."""
        self.keep(Finding(path=path, message=message, at_key=at_key))

    def keep(self, finding: Finding) -> None:
        """Keep *finding*."""
        self._kept.setdefault((finding.path, finding.message), finding)
        self._paths.add(finding.path)

    def touch(self, path: Path) -> bool:
        """Whether anything is wrong with the value at *path* itself."""
        return path in self._paths

    def __iter__(self) -> Iterator[Finding]:
        return iter(self._kept.values())

    def __bool__(self) -> bool:
        return bool(self._kept)
