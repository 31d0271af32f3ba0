"""A case put into a file, whose other text stays as it is."""

import json

import pytest

from answerprobe.config import append_case
from answerprobe.config._yaml import read
from answerprobe.errors import AppendError


NEW = {
    "id": "window",
    "ask": "How long: 30 days?\nOr more?",
    "expect": [
        {"contains": "30"},
        {"contains_any": ["yes", "#1", "é日本 💶"]},
        {"no_pii": True},
        {"max_words": 80},
    ],
}
BLOCK = """\
# The shop.
monitors:
  - name: shop   # ours
    endpoint: 'http://127.0.0.1:9/chat'
    cases:
      - ask: When?   # often asked
        expect:
          - contains: "30 days"  # the window

      # That is all.
  - name: other
    endpoint: http://127.0.0.1:9/other
    cases: [ { ask: Why?, expect: [ contains: so ] } ]   # short
"""


def appended(text: str, monitor: int = 0, note: str = "") -> str:
    """Return *text* with the new case."""
    return append_case(text, "f.yml", monitor, NEW, note).text


def asks(text: str) -> list[str]:
    """Return what the cases of the first monitor in *text* ask."""
    root = json.loads(json.dumps(read(text.removeprefix("\ufeff"), "f").root))
    return [case["ask"] for case in root["monitors"][0]["cases"]]


def new_lines(before: str, after: str) -> list[str]:
    """Return the lines that only *after* has, which has all those of *before*."""
    old, new = before.splitlines(), after.splitlines()
    start = next(
        (n for n, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), len(old)
    )
    count = len(new) - len(old)
    assert new[:start] + new[start + count :] == old
    return new[start : start + count]


class TestBlocks:
    def test_the_case_stands_behind_the_last_one(self) -> None:
        """Indented like it; every other line is as it was."""
        assert new_lines(BLOCK, appended(BLOCK)) == [
            "      - id: window",
            "        ask: |-",
            "          How long: 30 days?",
            "          Or more?",
            "        expect:",
            "          - contains: '30'",
            "          - contains_any:",
            "              - 'yes'",
            "              - '#1'",
            "              - é日本 💶",
            "          - no_pii: true",
            "          - max_words: 80",
        ]

    def test_a_note_is_a_comment_above_it(self) -> None:
        """On one line, whatever is in it."""
        lines = new_lines(BLOCK, appended(BLOCK, note="Draft: a\nb: c"))

        assert lines[:2] == ["      # Draft: a b: c", "      - id: window"]

    def test_the_line_is_told(self) -> None:
        """Where the case begins, counted from 1."""
        result = append_case(BLOCK, "f.yml", 0, NEW, "")

        assert result.text.splitlines()[result.line - 1] == "      - id: window"

    @pytest.mark.parametrize(
        "text",
        [
            pytest.param(BLOCK.replace("\n", "\r\n"), id="CRLF"),
            pytest.param("\ufeff" + BLOCK, id="byte order mark"),
            pytest.param(BLOCK[: BLOCK.index("\n  - name: other")], id="no newline"),
            pytest.param(
                "monitors:\n- cases:\n  - ask: When?\n    expect:\n    - contains: a\n",
                id="list not indented",
            ),
            pytest.param(
                BLOCK.replace(
                    'contains: "30 days"  # the window', "judge: |\n  Is so."
                ),
                id="block scalar",
            ),
            pytest.param(
                BLOCK.replace('"30 days"  # the window', ">-\n              30\n"),
                id="folded scalar and a blank line",
            ),
            pytest.param(
                BLOCK.replace('"30 days"  # the window', "30\n              days"),
                id="plain scalar of two lines",
            ),
            pytest.param(BLOCK.replace('"30 days"  # the window', "[]"), id="flow end"),
            pytest.param("---\n" + BLOCK + "...\n", id="document marks"),
        ],
    )
    def test_any_form_of_file_is_kept(self, text: str) -> None:
        """What is read is the file of before and the case, what is written too."""
        text = text.replace("judge: |\n  Is so.", "judge: |\n              Is so.")

        after = appended(text)

        assert asks(after) == ["When?", NEW["ask"]]
        start = after.index("- id: window")
        assert after[:start].rstrip(" ") in (
            text[: len(after[:start].rstrip(" "))],
            text + "\n",
        )
        assert ("\r\n" in after) == ("\r\n" in text)
        assert ("\n" in after.replace("\r\n", "")) == ("\r\n" not in text)


class TestBrackets:
    def test_one_line_stays_one_line(self) -> None:
        """Behind the last case, before the bracket and its comment."""
        *others, last = BLOCK.splitlines()

        after = appended(BLOCK, 1).splitlines()

        assert after[:-1] == others
        start, end = "expect: [ contains: so ] }", " ]   # short"
        assert after[-1].startswith(last[: last.index(start)] + start + ", {")
        assert after[-1].endswith("}" + end)

    def test_json_stays_json(self) -> None:
        """With its indentation."""
        monitor = {"name": "a", "cases": [{"ask": "?", "expect": [{"contains": "a"}]}]}
        document = {"monitors": [monitor]}
        text = json.dumps(document, indent=4) + "\n"

        after = appended(text)

        monitor["cases"].append(NEW)  # type: ignore[attr-defined]  # it is a list
        assert json.loads(after) == document
        assert after.startswith(text[: text.rindex("}\n            ]")])
        assert '\n                "id": "window"' not in after
        assert '\n                {\n                  "id": "window"' in after

    def test_compact_json_stays_compact(self) -> None:
        """On its one line."""
        cases = [{"ask": "?", "expect": [{"contains": "a"}]}]
        text = json.dumps({"monitors": [{"name": "a", "cases": cases}], "api": {}})

        after = appended(text)

        assert json.loads(after)["monitors"][0]["cases"] == [*cases, NEW]
        assert "\n" not in after

    def test_a_comma_at_the_end_is_no_hindrance(self) -> None:
        """YAML takes one."""
        text = "monitors:\n- {cases: [{ask: a},\n   {ask: b}, # c\n  ]}\n"

        after = appended(text)

        assert asks(after) == ["a", "b", NEW["ask"]]
        assert "# c\n  ]}" in after


class TestRefused:
    @pytest.mark.parametrize(
        "text",
        [
            pytest.param(
                "monitors:\n- cases: &c\n  - ask: a\n- cases: *c\n", id="alias"
            ),
            pytest.param(
                "monitors:\n- &m\n  cases:\n  - ask: a\n- <<: *m\n", id="merged"
            ),
        ],
    )
    def test_cases_that_two_monitors_share(self, text: str) -> None:
        """One more of them would be one more of the other monitor."""
        for monitor in (0, 1):
            with pytest.raises(AppendError):
                appended(text, monitor)
