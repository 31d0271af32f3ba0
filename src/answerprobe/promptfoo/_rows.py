"""Tests in a table (CSV), and one a line (JSON Lines)."""

import csv
import io
import json
import re

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from answerprobe.config import read_bytes
from answerprobe.errors import ConfigError, ImportRefused
from answerprobe.promptfoo._source import Item, Notes
from answerprobe.promptfoo._spelled import spelled


_MOST_ROWS = 10_000
# The column of cells that have none; no column is called that.
_BEYOND = "\0"
_EXPECTED = "__expected"
_OPTIONS = {"__prefix": "prefix", "__suffix": "suffix"}
_THRESHOLD = re.compile(r"__config:__expected(\d*):threshold")
_LOST = re.compile(r"__(?:metadata|metric|threshold|providerOutput|config)\b.*")


def read_table(path: Path, notes: Notes) -> Item:
    """
    Return the tests of the table at *path*, whose first row names the columns.

    Raises:
        ImportRefused: it cannot be read.
    """
    # Cells may go over several lines.
    text = io.StringIO(_text(path), newline="")
    reader = csv.DictReader(text, restkey=_BEYOND, restval="", strict=True)
    try:
        columns = [name.strip() for name in reader.fieldnames or ()]
        reader.fieldnames = columns
        table = _Table(file=str(path), notes=notes)
        table.tell(columns)
        rows = list(table.tests(reader))
    except csv.Error as exc:
        raise ImportRefused(
            f"{path}:{reader.reader.line_num}: is no CSV: {exc}"
        ) from exc
    return Item(value=rows, file=str(path), line=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Table:
    """A table on its way."""

    file: str
    notes: Notes

    def tell(self, columns: list[str]) -> None:
        """Note which *columns* do not come over."""
        for name in columns:
            if _LOST.fullmatch(name) and not _THRESHOLD.fullmatch(name):
                self.notes.add(_item("", self.file, 1), name, "has no counterpart")

    def tests(self, reader: "csv.DictReader[str]") -> Iterator[Item]:
        """Yield the test that each row is."""
        line = reader.line_num + 1
        for number, row in enumerate(reader):
            if number == _MOST_ROWS:
                why = f"only the first {_MOST_ROWS:,} rows are kept"
                self.notes.add(_item("", self.file, line), "tests", why)
                return
            yield self._test(row, line)
            line = reader.line_num + 1

    def _test(self, row: dict[str, str], line: int) -> Item:
        """Return the test that *row* is."""
        cells = {name: cell for name, cell in row.items() if name != _BEYOND}
        if _BEYOND in row:
            why = "has more cells than there are columns; they are left out"
            self.notes.add(_item("", self.file, line), "row", why)
        test: dict[str, object] = {
            "vars": {n: cell for n, cell in cells.items() if _is_variable(n)},
            "options": {
                key: cells[name] for name, key in _OPTIONS.items() if cells.get(name)
            },
        }
        if asserts := _asserts(cells):
            test["assert"] = asserts
        if description := cells.get("__description"):
            test["description"] = description
        return _item(test, self.file, line)


def _is_variable(column: str) -> bool:
    """Whether *column* has the values of a variable."""
    known = column in _OPTIONS or column == "__description"
    return not (known or column.startswith(_EXPECTED) or _LOST.fullmatch(column))


def _asserts(cells: dict[str, str]) -> list[dict[str, object]]:
    """Return the assertions in a row's *cells*."""
    found = [
        spelled(cell)
        for name, cell in cells.items()
        if name.startswith(_EXPECTED) and cell.strip()
    ]
    for name, cell in cells.items():
        column = _THRESHOLD.fullmatch(name)
        if column and cell.strip():
            first = int(column[1]) - 1 if column[1] else 0
            last = first + 1 if column[1] else len(found)
            for assertion in found[max(first, 0) : last]:
                assertion["threshold"] = _number(cell)
    return found


def _number(cell: str) -> object:
    """Return the number in *cell*, what stands there where it is none."""
    try:
        return float(cell)
    except ValueError:
        return cell


def read_lines(path: Path) -> Item:
    """
    Return the tests at *path*, JSON in each line.

    Raises:
        ImportRefused: it cannot be read.
    """
    tests = []
    for number, line in enumerate(_text(path).splitlines(), 1):
        if not line.strip():
            continue
        try:
            tests.append(_item(json.loads(line), str(path), number))
        except (ValueError, RecursionError) as exc:
            raise ImportRefused(f"{path}:{number}: is no JSON") from exc
    return Item(value=tests, file=str(path), line=1)


def _text(path: Path) -> str:
    """Return the text at *path*."""
    try:
        return read_bytes(path).decode("utf-8-sig")
    except ConfigError as exc:
        raise ImportRefused(str(exc)) from exc
    except UnicodeDecodeError as exc:
        raise ImportRefused(f"{path}: is no UTF-8 text") from exc


def _item(value: object, file: str, line: int) -> Item:
    """Return *value*, all of which stands in *line*."""
    inner: object = value
    if isinstance(value, dict):
        inner = {key: _item(each, file, line) for key, each in value.items()}
    elif isinstance(value, list):
        inner = [_item(each, file, line) for each in value]
    return Item(value=inner, file=file, line=line)
