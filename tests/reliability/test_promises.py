"""docs/reliability.md: every promise and every fault has a test that exists."""

import re

from pathlib import Path

import pytest

from naming import names


ROOT = Path(__file__).parents[2]
DOCUMENT = (ROOT / "docs" / "reliability.md").read_text("utf-8")
NAMED = sorted(set(re.findall(r"`(tests/[^`]*\.py(?:::[^`]+)?)`", DOCUMENT)))
ROWS = [
    line
    for line in DOCUMENT.splitlines()
    if line.startswith("| ") and not line.endswith("| shown by |")
]
_FAULTS = ROOT.parent / "shared" / "cases"


@pytest.mark.parametrize("named", NAMED)
def test_every_test_that_is_named_exists(named: str) -> None:
    """A promise without its test is none."""
    file, _, test = named.partition("::")

    assert (ROOT / file).is_file()
    assert not test or test in names(ROOT / file)


@pytest.mark.parametrize("row", ROWS, ids=range(len(ROWS)))
def test_every_promise_has_a_test(row: str) -> None:
    """In its last column."""
    assert "`tests/" in row.rstrip("| ").rpartition("|")[2]


def test_no_fault_is_forgotten() -> None:
    """Where a collection of faults lies beside this checkout, each has its row."""
    if not _FAULTS.is_dir():
        pytest.skip("no collection of faults lies beside this checkout")
    known = {folder.name for folder in _FAULTS.iterdir() if folder.is_dir()}
    told = set(re.findall(r"^\| `([0-9]+-[a-z0-9-]+)`", DOCUMENT, re.MULTILINE))

    assert known - told - {"__pycache__"} == set()
