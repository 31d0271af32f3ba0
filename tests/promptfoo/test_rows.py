"""Tests in tables, in lines and in scenarios, and what becomes of them."""

from pathlib import Path
from typing import Any

import pytest

from answerprobe.promptfoo._criteria import KINDS
from answerprobe.promptfoo._spelled import spelled
from promptfoo.test_convert import imported, monitors, noted


def cases(folder: Path, **document: object) -> Any:  # noqa: ANN401  parsed YAML
    """Return the cases that *document* becomes."""
    (monitor,) = monitors(imported(folder, **document))
    return monitor["cases"]


def table(folder: Path, *lines: str, name: str = "cases.csv") -> None:
    """Write *lines* as a table."""
    (folder / name).write_bytes("\r\n".join(lines).encode("utf-8-sig"))


class TestSpelled:
    """An assertion in one cell."""

    @pytest.mark.parametrize(
        ("text", "becomes"),
        [
            pytest.param("Paris", {"type": "equals", "value": "Paris"}, id="bare"),
            pytest.param(
                "contains: Paris: France",
                {"type": "contains", "value": "Paris: France"},
                id="a colon in it",
            ),
            pytest.param(
                "not-icontains:no",
                {"type": "not-icontains", "value": "no"},
                id="negated",
            ),
            pytest.param(
                "contains-any: <b>, </span>",
                {"type": "contains-any", "value": ["<b>", "</span>"]},
                id="a list",
            ),
            pytest.param("is-json", {"type": "is-json"}, id="no value"),
            pytest.param(
                "similar(0.8):Hello",
                {"type": "similar", "threshold": 0.8, "value": "Hello"},
                id="a threshold",
            ),
            pytest.param(
                "latency(2000)", {"type": "latency", "threshold": 2000}, id="a time"
            ),
            pytest.param(
                "word-count: 5", {"type": "word-count", "value": 5}, id="a number"
            ),
            pytest.param(
                "grade: is kind\nand short",
                {"type": "llm-rubric", "value": "is kind\nand short"},
                id="an old name, two lines",
            ),
            pytest.param(
                "fn: output.length < 9",
                {"type": "javascript", "value": "output.length < 9"},
                id="code",
            ),
            pytest.param(
                "file://check.py:grade",
                {"type": "javascript", "value": "file://check.py:grade"},
                id="code in a file",
            ),
            pytest.param(
                "trajectory:tool-used: refund",
                {"type": "trajectory:tool-used", "value": "refund"},
                id="a colon in the type",
            ),
            pytest.param(
                "Warning: hot",
                {"type": "equals", "value": "Warning: hot"},
                id="no type",
            ),
            pytest.param(
                "containsnothing",
                {"type": "equals", "value": "containsnothing"},
                id="only begins like a type",
            ),
        ],
    )
    def test_is_read(self, text: str, becomes: dict[str, object]) -> None:
        """As promptfoo reads it; space around the value is none of it."""
        assert spelled(text) == becomes

    @pytest.mark.parametrize("kind", sorted(KINDS))
    def test_every_type_is_known(self, kind: str) -> None:
        """Also where it begins with the name of another."""
        assert spelled(f"{kind}: a")["type"] == kind


class TestTables:
    """CSV."""

    def test_rows_become_cases(self, tmp_path: Path) -> None:
        """Columns are variables, but for those with two underscores."""
        table(
            tmp_path,
            "q,__expected1,__expected2,__description,__suffix",
            'Where?,contains: Paris,"llm-rubric: Names a city, and no more",where,!',
            '"Two\nlines?",icontains: yes,,,',
        )

        first, second = cases(tmp_path, tests="file://cases.csv")

        assert (first["id"], first["ask"]) == ("where", "Where?!")
        assert first["expect"] == [
            {"contains": {"text": "Paris", "case_sensitive": True}},
            {"judge": "Names a city, and no more"},
        ]
        assert second["ask"] == "Two\nlines?"
        assert second["expect"] == [{"contains": "yes"}]

    def test_the_default_test_lies_under_rows_too(self, tmp_path: Path) -> None:
        """Its assertions take values of columns."""
        table(tmp_path, "q,wanted", "Why?,because", name="more.csv")
        default = {"assert": [{"type": "icontains", "value": "{{wanted}}"}]}

        (case,) = cases(tmp_path, tests=["more.csv"], defaultTest=default)

        assert case["expect"] == [{"contains": "because"}]

    def test_thresholds_have_columns_of_their_own(self, tmp_path: Path) -> None:
        """For all assertions, or one of them."""
        table(
            tmp_path,
            "q,__expected1,__expected2,__config:__expected2:threshold",
            "Why?,icontains: so,latency,3000",
        )

        (case,) = cases(tmp_path, tests="file://cases.csv")

        assert case["expect"] == [{"contains": "so"}, {"responds_within": "3s"}]

    @pytest.mark.parametrize(
        ("lines", "says"),
        [
            pytest.param(
                ["q,__metadata:team", "Why?,a"],
                "cases.csv:1: __metadata:team: has no counterpart",
                id="a column",
            ),
            pytest.param(
                ["q,__metric", "Why?,a"], "__metric: has no counterpart", id="metric"
            ),
            pytest.param(["q", "Why?,a,b"], "cases.csv:2: row: has more", id="cells"),
            pytest.param(
                ["q,__expected", "Why?,x", '"Two\n",javascript: 1'],
                "cases.csv:3: javascript: runs code",
                id="an assertion",
            ),
            pytest.param(
                ["q,__expected", "Why?,x", '"open'], "cases.csv:3: is no CSV", id="form"
            ),
        ],
    )
    def test_what_does_not_come_over_is_listed(
        self, tmp_path: Path, lines: list[str], says: str
    ) -> None:
        """With its row."""
        table(tmp_path, *lines)

        result = imported(tmp_path, tests=[{"vars": {"q": "Hm?"}}, "file://cases.csv"])

        assert says in noted(result)


class TestLines:
    """JSON Lines."""

    def test_each_is_a_test(self, tmp_path: Path) -> None:
        """Of all files that a pattern names, in the order of their names."""
        (tmp_path / "b.jsonl").write_text('{"vars": {"q": "Two?"}}\n\n')
        (tmp_path / "a.jsonl").write_text('{"vars": {"q": "One?"}}')

        asked = [c["ask"] for c in cases(tmp_path, tests="file://*.jsonl")]

        assert asked == ["One?", "Two?"]

    def test_one_that_is_no_json_is_named(self, tmp_path: Path) -> None:
        """By its line; the file is left out."""
        (tmp_path / "a.jsonl").write_text('{"vars": {"q": "One?"}}\n{\n')

        result = imported(tmp_path, tests=[{"vars": {"q": "Hm?"}}, "file://a.jsonl"])

        assert "a.jsonl:2: is no JSON" in noted(result)


class TestProviders:
    """Tests that are for some providers."""

    @pytest.mark.parametrize(
        "named",
        [
            pytest.param("fast", id="label"),
            pytest.param("openai:chat:gpt-x", id="id"),
            pytest.param("openai:chat:*", id="pattern"),
            pytest.param("openai", id="beginning"),
        ],
    )
    def test_are_cases_of_theirs(self, tmp_path: Path, named: str) -> None:
        """And of no other."""
        providers = [{"id": "openai:chat:gpt-x", "label": "fast"}, "groq:llama-3"]
        tests = [{"vars": {"q": "All?"}}, {"vars": {"q": "One?"}, "providers": [named]}]

        found = monitors(imported(tmp_path, providers=providers, tests=tests))

        asked = {m["name"]: [c["ask"] for c in m["cases"]] for m in found}
        assert asked == {"fast": ["All?", "One?"], "llama-3": ["All?"]}

    def test_for_none_that_is_there_are_listed(self, tmp_path: Path) -> None:
        """They would vanish."""
        test = {"vars": {"q": "One?"}, "providers": ["gone"]}

        result = imported(tmp_path, tests=[{"vars": {"q": "All?"}}, test])

        assert "test: left out: none of its `providers` came over" in noted(result)


class TestScenarios:
    """The same tests with several sets of variables."""

    def test_are_all_combinations(self, tmp_path: Path) -> None:
        """A test's own variables win, and all assertions count."""
        scenario = {
            "description": "languages",
            "config": [
                {"vars": {"to": "Spanish"}, "assert": [{"type": "is-json"}]},
                {"vars": {"to": "French", "hi": "Bonjour"}},
            ],
            "tests": [
                {
                    "vars": {"hi": "Hello"},
                    "assert": [{"type": "icontains", "value": "{{to}}"}],
                },
                {"vars": {}, "description": "plain"},
            ],
        }

        found = cases(
            tmp_path,
            prompts=["{{hi}} in {{to}}"],
            defaultTest={"vars": {"hi": "Hey"}},
            tests=[{"vars": {"to": "Latin"}}],
            scenarios=[scenario],
        )

        assert [case["ask"] for case in found] == [
            "Hey in Latin",
            "Hello in Spanish",
            "Hey in Spanish",
            "Hello in French",
            "Bonjour in French",
        ]
        assert found[1]["expect"] == [{"contains": "Spanish"}, {"is_json": True}]

    def test_may_be_in_files(self, tmp_path: Path) -> None:
        """Whole, or the sets of variables alone."""
        (tmp_path / "sets.yaml").write_text("- vars: {q: One?}\n- vars: {q: Two?}\n")
        (tmp_path / "s.yaml").write_text("config: [{$values: file://sets.yaml}]\n")

        found = cases(tmp_path, tests=None, scenarios=["file://s.yaml"])

        assert [case["ask"] for case in found] == ["One?", "Two?"]

    def test_other_keys_are_listed(self, tmp_path: Path) -> None:
        """Of the scenario and of its sets."""
        sets = [{"vars": {"q": "Hm?"}, "metadata": {"a": 1}}]

        result = imported(tmp_path, scenarios=[{"config": sets, "providers": ["x"]}])

        listed = {note.what for note in result.notes}
        assert {"metadata", "providers"} <= listed
