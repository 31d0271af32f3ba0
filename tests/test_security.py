import re

from pathlib import Path

import pytest

from naming import names


ROOT = Path(__file__).parents[1]
DOCUMENT = (ROOT / "docs" / "security.md").read_text("utf-8")
NAMED = sorted(set(re.findall(r"`(tests/[^`]*\.py::[^`]+)`", DOCUMENT)))
ROWS = [
    line
    for line in DOCUMENT.splitlines()
    if line.startswith("| ") and not line.endswith("| shown by |")
]


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
