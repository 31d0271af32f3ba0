import ast
import re

from pathlib import Path

import pytest


ROOT = Path(__file__).parents[1]
DOCUMENT = (ROOT / "docs" / "security.md").read_text("utf-8")
NAMED = sorted(set(re.findall(r"`(tests/[^`]*\.py::[^`]+)`", DOCUMENT)))
ROWS = [
    line
    for line in DOCUMENT.splitlines()
    if line.startswith("| ") and not line.endswith("| shown by |")
]


def names(file: Path) -> set[str]:
    """Return the tests in *file*, as pytest names them after the file."""
    found: set[str] = set()
    for node in ast.parse(file.read_text("utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            found.add(node.name)
        elif isinstance(node, ast.ClassDef):
            found |= {
                f"{node.name}::{inner.name}"
                for inner in node.body
                if isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef)
            }
    return found


@pytest.mark.parametrize("named", NAMED)
def test_every_test_that_is_named_exists(named: str) -> None:
    """A promise without its test is none."""
    file, _, test = named.partition("::")

    assert (ROOT / file).is_file()
    assert test in names(ROOT / file)


@pytest.mark.parametrize("row", ROWS, ids=range(len(ROWS)))
def test_every_threat_has_a_test(row: str) -> None:
    """In its last column."""
    assert "`tests/" in row.rstrip("| ").rpartition("|")[2]
