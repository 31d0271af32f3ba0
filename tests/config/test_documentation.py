"""docs/configuration.md and the schema's descriptions know every key."""

import re

from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from answerprobe.config._aliases import NAMES
from answerprobe.config._later import LATER
from answerprobe.config._want import Want, criteria, wanted
from config.loading import load_text


DOCS = Path(__file__).parents[2] / "docs"
PAGE = DOCS / "configuration.md"
CASES = DOCS / "writing-cases.md"
SECRETS = {
    "AGENT_KEY": "a",
    "GRADER_KEY": "g",
    "OPENAI_API_KEY": "k",
    "SHOP_TOKEN": "t",
    "TALKER_KEY": "u",
}


def keys(want: Want) -> Iterator[tuple[str, Want]]:
    """Yield every supported key below *want*."""
    for name, inner in want.properties.items():
        if not inner.later:
            yield name, inner
            yield from keys(inner)
    for other in (want.others, want.items):
        if other is not None:
            yield from keys(other)


def rows() -> set[str]:
    """Return the names in the first column of the page's tables."""
    first_cells = re.findall(r"^\| ([^|]*) \|", PAGE.read_text(), re.MULTILINE)
    return {name for cell in first_cells for name in re.findall(r"`([^`]+)`", cell)}


class TestPage:
    """The page for users."""

    def test_every_key_has_a_row(self) -> None:
        """A key that is read is described."""
        missing = {name for name, _ in keys(wanted())} - rows() - {"name"}

        assert not missing

    def test_every_other_name_is_listed(self) -> None:
        """Names that promptfoo uses and longer ones."""
        text = PAGE.read_text()

        assert all(f"`{name}`" in text for name in NAMES if "-" in name)

    def test_keys_of_later_versions_are_listed(self) -> None:
        """Who looks for one learns that it is not there yet."""
        section = PAGE.read_text().partition("## Not supported yet")[2]

        assert all(f"{path.rpartition('.')[2]}`" in section for path in LATER)

    @pytest.mark.parametrize(
        "block",
        [
            pytest.param(block, id=block.split(":")[0].strip())
            for block in re.findall(r"```yaml\n(.*?)```", PAGE.read_text(), re.DOTALL)
            if block.startswith("monitors:")
        ],
    )
    def test_whole_examples_load(self, block: str) -> None:
        """What is shown works as it stands."""
        assert load_text(block, SECRETS).monitors

    def test_parts_are_yaml(self) -> None:
        """The smaller examples at least parse."""
        blocks = re.findall(r"```yaml\n(.*?)```", PAGE.read_text(), re.DOTALL)

        assert all(yaml.safe_load(b) is not None for b in blocks if b[0] != "#")


class TestWritingCases:
    """The page on what to ask."""

    def test_its_example_loads(self) -> None:
        """With a tool, a conversation and what must not happen."""
        (block,) = re.findall(r"```yaml\n(.*?)```", CASES.read_text(), re.DOTALL)

        (monitor,) = load_text(block, SECRETS).monitors

        assert len(monitor.cases) == 6

    def test_its_criteria_are_some(self) -> None:
        """Each that stands in a table is one that the loader takes."""
        cells = re.findall(r"`([a-z_]+): [^`]*`", CASES.read_text())
        keys = {"answers", "in", "pass_at_least", "protocol", "samples"}
        keys |= {"threshold", "writes"}

        assert set(cells) - keys <= set(criteria())


class TestSchema:
    """schema.json in an editor."""

    def test_every_key_has_a_description(self) -> None:
        """Hovering over a key tells what it is."""
        bare = {
            name for name, want in keys(wanted()) if "description" not in want.schema
        }

        assert not bare
