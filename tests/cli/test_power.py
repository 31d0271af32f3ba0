"""`answerprobe power`: which drop do so many samples show, and how soon?"""

import json
import re

from pathlib import Path

import pytest

from cli.calling import call


def rows(*args: str) -> dict[str, list[str]]:
    """Return the table's rows by the true pass rate."""
    result = call("power", *args)
    assert result.exit_code == 0
    _, _, table = result.stdout.partition("\n\n")
    cells = [re.split("  +", line.strip()) for line in table.splitlines()]
    return {first: rest for first, *rest in cells[1:]}


class TestTable:
    """For a person."""

    def test_says_what_is_asked(self) -> None:
        """How many must pass, and how often."""
        result = call("power", "--samples=3", "--target=90%", "--every=30m")

        head, *_ = result.stdout.splitlines()
        assert head == "3 samples every 30m, target 90%: 3 must pass."

    @pytest.mark.parametrize(
        ("samples", "says"),
        [
            pytest.param("3", "a drop to 47% or less", id="3"),
            pytest.param("20", "a drop to 75% or less", id="20"),
        ],
    )
    def test_the_smallest_drop_that_two_runs_show(
        self, samples: str, says: str
    ) -> None:
        """And when the alert fires then."""
        result = call("power", "--samples", samples)

        assert f"Two runs show {says}, 4 times of 5" in result.stdout
        assert "AgentDegraded fires within 2h." in result.stdout

    @pytest.mark.parametrize(
        ("samples", "says"),
        [
            pytest.param("3", "no drop is surely seen: they are too few", id="too few"),
            pytest.param("20", "a drop to 50% or less is seen", id="enough"),
        ],
    )
    def test_the_smallest_drop_that_a_comparison_shows(
        self, samples: str, says: str
    ) -> None:
        """One against the other, as many of each."""
        assert says in call("power", "--samples", samples).stdout

    def test_how_long_each_drop_takes(self) -> None:
        """On average, with what it pages by chance."""
        found = rows("--samples=3")

        assert found["97%"] == ["8.7%", "143 runs", "6 days", "5.0"]
        assert found["70%"][:3] == ["65.7%", "3.8 runs", "3h20m"]
        assert found["0%"][:3] == ["100.0%", "2.0 runs", "1h30m"]

    def test_what_never_happens(self) -> None:
        """Not within ten years."""
        assert rows("--samples=200")["99%"][1:3] == ["never", "never"]


class TestDocumentation:
    """What the page on false pages shows."""

    def test_is_what_is_printed(self) -> None:
        """The lines above the table."""
        page = (Path(__file__).parents[2] / "docs/false-pages.md").read_text("utf-8")
        _, shown = re.findall(r"```text\n(.*?)```", page, re.DOTALL)
        first, _, said = shown.partition("\n")

        result = call(*first.removeprefix("$ answerprobe ").split())

        assert result.stdout.partition("\n\n")[0] == said.rstrip("\n")


class TestJson:
    """For a program."""

    def test_has_all_of_it(self) -> None:
        """Unrounded; no drop is null."""
        result = call("power", "--samples=3", "--target=0.9", "--format=json")

        found = json.loads(result.stdout)
        assert found["must_pass"] == 3
        assert found["smallest_drop_shown_by_two_runs"] == pytest.approx(
            0.4726, abs=1e-4
        )
        assert found["smallest_drop_shown_by_comparison"] is None
        assert found["rates"][0]["pages_a_month"] == pytest.approx(0.615, abs=1e-3)

    def test_has_no_infinite_number(self) -> None:
        """There is none in JSON."""
        result = call("power", "--samples=100000", "--format=json")

        assert "Infinity" not in result.stdout
        assert json.loads(result.stdout)["rates"][0]["runs"] is None


class TestRefusals:
    """What cannot be meant."""

    @pytest.mark.parametrize(
        ("flags", "says"),
        [
            pytest.param([], "--samples", id="no samples"),
            pytest.param(["--samples=0"], "--samples", id="none"),
            pytest.param(["--samples=3", "--target=much"], "90%", id="no share"),
            pytest.param(["--samples=3", "--target=101%"], "90%", id="over all"),
            pytest.param(["--samples=3", "--target=nan"], "90%", id="no number"),
            pytest.param(["--samples=3", "--target=0"], "90%", id="nothing"),
            pytest.param(["--samples=3", "--every=0s"], "--every", id="no time"),
        ],
    )
    def test_is_told(self, flags: list[str], says: str) -> None:
        """In one clear line, with the right spelling."""
        result = call("power", *flags)

        assert result.exit_code == 2
        assert says in result.stderr
