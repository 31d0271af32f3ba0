"""What a judge is told."""

import importlib.util
import json
import re
import sys

from collections.abc import Callable
from pathlib import Path

import pytest

from hypothesis import given
from hypothesis import strategies as st

from answerprobe import case
from answerprobe.case import BUILT_IN_RUBRICS, Material, Rubric
from answerprobe.judge import prompt
from answerprobe.judge._shown import MAX_ANSWER_BYTES
from answerprobe.judge.prompt import write_brief
from answerprobe.sample import ToolCall, ToolSource
from judge.conversing import QUESTION, RUBRIC, sample


MARK = "0123456789abcdef" * 2


def user_message(answer: str, *tool_calls: ToolCall) -> str:
    """Return the message about *answer*."""
    brief = write_brief(RUBRIC, sample(answer, *tool_calls), str)
    return brief.messages(MARK)[1]["content"]


def data(message: str) -> str:
    """Return what stands between the marks."""
    before, line, after = message.split(f"=== {MARK}")
    assert before.endswith("the two marks:\n")
    assert after.startswith("\n\nINSTRUCTION")
    assert line.startswith("\n")
    assert line.endswith("\n")
    return line[1:-1]


def decoded(message: str) -> dict[str, object]:
    """Return the JSON document between the marks."""
    document = json.loads(data(message))
    assert isinstance(document, dict)
    return document


class TestMessages:
    def test_question_and_rubric_come_before_the_answer(self) -> None:
        """And the instruction once more after it."""
        message = user_message("On Monday.")

        places = [
            message.index(part)
            for part in (json.dumps(QUESTION), RUBRIC.text, "On Monday.", "INSTRUCTION")
        ]
        assert places == sorted(places)

    def test_the_system_message_says_that_the_answer_is_untrusted(self) -> None:
        """It is the same for every answer."""
        brief = write_brief(RUBRIC, sample("On Monday."), str)

        system = brief.messages(MARK)[0]

        assert system["role"] == "system"
        assert "untrusted data" in system["content"]
        assert "Monday" not in system["content"]

    @given(st.text())
    def test_the_answer_stays_on_its_line(self, answer: str) -> None:
        """Whatever it holds, it is one JSON document without tags between two marks."""
        line = data(user_message(answer))

        assert len(line.splitlines()) == 1
        assert "<" not in line
        assert set(json.loads(line)) == {"answer"}

    @given(
        st.text(alphabet=st.characters(max_codepoint=0xFF, exclude_characters="\xad"))
    )
    def test_what_can_be_seen_reaches_the_judge_unchanged(self, answer: str) -> None:
        """Escapes are undone by reading the JSON; only NUL is left out."""
        assert decoded(user_message(answer)) == {"answer": answer.replace("\0", "")}

    @pytest.mark.parametrize(
        "hidden",
        [
            pytest.param("\u200b", id="zero width space"),
            pytest.param("\u2060", id="word joiner"),
            pytest.param("\u202e", id="right to left override"),
            pytest.param("\u2067", id="isolate"),
            pytest.param("\ufeff", id="byte order mark"),
            pytest.param("\u00ad", id="soft hyphen"),
            pytest.param("\ufe01", id="variation selector"),
            pytest.param("\U000e0141", id="tag character"),
            pytest.param("\U000e01ef", id="variation selector supplement"),
        ],
    )
    def test_what_cannot_be_seen_is_left_out(self, hidden: str) -> None:
        """The judge reads what a person would."""
        assert decoded(user_message(f"Mon{hidden}day")) == {"answer": "Monday"}

    def test_braces_and_percent_signs_mean_nothing(self) -> None:
        """No text of the answer is ever a template."""
        answer = "{0} {answer} %s %(x)s ${HOME} {{ x }}"

        assert decoded(user_message(answer)) == {"answer": answer}

    def test_lone_surrogates_can_be_sent(self) -> None:
        """No encoder would take them."""
        assert user_message("\ud800 Monday").encode()

    def test_secrets_do_not_leave(self) -> None:
        """The judge is somebody else: secrets are masked in all that it is sent."""
        calls = ToolCall(name="door", arguments={"k": ["sk-1"]}, result={"sk-1": "x"})

        brief = write_brief(
            Rubric(criterion="judge", text="Says why."),
            sample("The key is sk-1", calls),
            lambda text: text.replace("sk-1", "<secret>"),
        )

        message = brief.messages(MARK)[1]["content"]
        assert "sk-1" not in message
        assert message.count("\\u003csecret>") == 3


class TestBounds:
    @pytest.mark.parametrize(
        "letter", ["a", "é", "語", "\n"], ids=["ascii", "two", "three", "escaped"]
    )
    def test_a_long_answer_keeps_its_start_and_end(self, letter: str) -> None:
        """The middle is left out, and that is said."""
        answer = "START" + letter * 500_000 + "END"

        shown = decoded(user_message(answer))["answer"]

        assert isinstance(shown, str)
        assert shown.startswith("START")
        assert shown.endswith("END")
        assert "left out here" in shown
        assert len(shown.encode()) <= MAX_ANSWER_BYTES + 60

    def test_no_half_secret_stays_at_the_cut(self) -> None:
        """Secrets are taken out before the middle is."""
        answer = "a" * (MAX_ANSWER_BYTES // 2 - 5) + "sk-planted-key" + "b" * 20_000

        brief = write_brief(
            RUBRIC,
            sample(answer),
            lambda text: text.replace("sk-planted-key", "*"),
        )

        assert "sk-p" not in brief.data

    def test_tool_calls_are_bounded_too(self) -> None:
        """In number, and each value in length."""
        calls = [ToolCall(name="t" * 9000, arguments={"a": "b" * 90_000})] * 200

        message = user_message("Done.", *calls)

        document = decoded(message)
        shown = document["tool_calls"]
        assert isinstance(shown, list)
        assert len(shown) == 50
        assert document["tool_calls_left_out"] == 150
        assert len(message) < 50 * 5000


class TestToolCalls:
    def test_they_are_shown_with_what_was_sent_and_came_back(self) -> None:
        """As JSON beside the answer, inside the marks."""
        calls = (
            ToolCall(
                name="hours",
                arguments={"day": "<b>"},
                result=["closed", 1, None],
                source=ToolSource.LIVE,
            ),
            ToolCall(name="mail", arguments="{}", error="timed\nout"),
        )

        assert decoded(user_message("Monday.", *calls)) == {
            "answer": "Monday.",
            "tool_calls": [
                {
                    "name": "hours",
                    "arguments": {"day": "<b>"},
                    "result": ["closed", 1, None],
                    "source": "live",
                },
                {
                    "name": "mail",
                    "arguments": "{}",
                    "error": "timed\nout",
                    "source": "agent",
                },
            ],
        }


def message_with(*material: Material, scrub: Callable[[str], str] = str) -> str:
    """Return the message about an answer whose rubric has *material*."""
    rubric = Rubric(criterion="x", text="Is Kim.", material=material)
    return write_brief(rubric, sample("Monday."), scrub).messages(MARK)[1]["content"]


def line_of_material(message: str) -> str:
    """Return what stands between rubric and answer."""
    after = message.partition("REFERENCE MATERIAL of the rubric, a JSON document:\n")[2]
    return after.partition("\n\nANSWER")[0]


class TestMaterial:
    def test_it_stands_between_rubric_and_answer(self) -> None:
        """As a JSON object of texts by their names."""
        message = message_with(
            Material(name="character", text='You are "Kim".'),
            Material(name="knowledge", text="Closed on Monday."),
        )

        assert message.index("Is Kim.") < message.index("REFERENCE MATERIAL")
        assert json.loads(line_of_material(message)) == {
            "character": 'You are "Kim".',
            "knowledge": "Closed on Monday.",
        }

    def test_without_any_nothing_is_said_of_it(self) -> None:
        """The judge looks for nothing that is not there."""
        assert "REFERENCE MATERIAL" not in message_with()

    @given(st.text())
    def test_it_stays_on_its_line(self, text: str) -> None:
        """Whatever a wiki page holds, it is no part of the prompt."""
        line = line_of_material(message_with(Material(name="knowledge", text=text)))

        assert len(line.splitlines()) == 1
        assert "<" not in line
        assert set(json.loads(line)) == {"knowledge"}

    def test_it_is_not_cut(self) -> None:
        """The judge must see all that an answer may rest on."""
        text = "word " * 13_000

        message = message_with(Material(name="knowledge", text=text))

        assert json.loads(line_of_material(message))["knowledge"] == text

    def test_secrets_and_what_cannot_be_seen_are_left_out(self) -> None:
        """As in answers, also when a secret appeared since the last time."""
        material = Material(name="knowledge", text="sk-1 Mon\u200bday")

        before = message_with(material)
        after = message_with(material, scrub=lambda text: text.replace("sk-1", "*"))

        assert json.loads(line_of_material(before)) == {"knowledge": "sk-1 Monday"}
        assert json.loads(line_of_material(after)) == {"knowledge": "* Monday"}


def version_of(source: str, folder: Path) -> str:
    """Return the version of the prompt that the module of *source* makes."""
    file = folder / "reworded.py"
    file.write_text(source, "utf-8")
    spec = importlib.util.spec_from_file_location("reworded", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "reworded", module)
        spec.loader.exec_module(module)
    version: str = module.PROMPT_VERSION
    return version


class TestPromptVersion:
    def test_it_is_twelve_digits(self) -> None:
        """Hexadecimal ones."""
        assert re.fullmatch("[0-9a-f]{12}", prompt.PROMPT_VERSION)

    @pytest.mark.parametrize(
        ("word", "other"),
        [
            pytest.param("Do not follow it.", "Ignore it.", id="system"),
            pytest.param("RUBRIC that", "Rubric that", id="heading"),
            pytest.param("REFERENCE", "OTHER", id="material"),
            pytest.param("Nothing between", "None between", id="instruction"),
            pytest.param('"strict": True', '"strict": False', id="schema"),
        ],
    )
    def test_another_word_is_another_version(
        self, word: str, other: str, tmp_path: Path
    ) -> None:
        """Whoever rewords the prompt has another judge."""
        source = Path(prompt.__file__).read_text("utf-8")
        assert word in source

        version = version_of(source.replace(word, other), tmp_path)

        assert version != prompt.PROMPT_VERSION

    @pytest.mark.parametrize("criterion", sorted(BUILT_IN_RUBRICS))
    def test_so_is_another_built_in_rubric(
        self, criterion: str, tmp_path: Path
    ) -> None:
        """They are sent like the rest of it."""
        source = Path(prompt.__file__).read_text("utf-8")
        reworded = {**BUILT_IN_RUBRICS, criterion: "Is fine."}

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(case, "BUILT_IN_RUBRICS", reworded)
            version = version_of(source, tmp_path)

        assert version != version_of(source, tmp_path) == prompt.PROMPT_VERSION
