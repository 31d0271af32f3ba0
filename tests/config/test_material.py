"""Built-in judged criteria and the material they are held against."""

from pathlib import Path

import pytest

from answerprobe.case import BUILT_IN_RUBRICS, Case, Material, Rubric
from answerprobe.config import load
from answerprobe.errors import ConfigError
from answerprobe.secret import SecretSource
from config.loading import SECRETS, load_text, problems, whole


GROUNDED = "grounded_in_knowledge: true"
CHARACTER = "stays_in_character: true"
OPENAI = """\
monitors:
  - name: shop
    protocol: openai
    endpoint: http://h/v1
    model: m
    system_prompt: {prompt}
    {more}
    cases: [{{ask: x, expect: [stays_in_character: true]}}]
"""


def case_with(monitor: str, criterion: str) -> Case:
    """Return the one case of a monitor with *monitor*'s key and *criterion*."""
    return load_text(whole(monitor, criterion)).monitors[0].cases[0]


def rubric_of(text: str) -> Rubric:
    """Return the rubric of the configuration *text*."""
    ((_, rubric),) = load_text(text).monitors[0].cases[0].rubrics
    return rubric


def openai(prompt: str, more: str = "# no more") -> str:
    """Return the configuration of a model whose character is asked for."""
    return OPENAI.format(prompt=prompt, more=more)


class TestRubrics:
    """Built-in rubrics and their material."""

    @pytest.mark.parametrize(
        ("monitor", "criterion", "label", "material"),
        [
            pytest.param(
                "character: You are Kim.",
                CHARACTER,
                "stays_in_character",
                Material(name="character", text="You are Kim."),
                id="character",
            ),
            pytest.param(
                "knowledge: Open from nine.",
                GROUNDED,
                "grounded_in_knowledge",
                Material(name="knowledge", text="Open from nine."),
                id="knowledge",
            ),
            pytest.param(
                "knowledge: Open from nine.",
                "responseGroundedInKnowledge: true",
                "grounded_in_knowledge",
                Material(name="knowledge", text="Open from nine."),
                id="longer name",
            ),
            pytest.param(
                "knowledge: Open from nine.",
                "doesNotHallucinate: yes",
                "does_not_hallucinate",
                Material(name="knowledge", text="Open from nine."),
                id="hallucination",
            ),
        ],
    )
    def test_take_their_text_from_the_monitor(
        self, monitor: str, criterion: str, label: str, material: Material
    ) -> None:
        """Under the criterion's own name, by our wording."""
        rubrics = case_with(monitor, criterion).rubrics

        text = BUILT_IN_RUBRICS[label]
        assert rubrics == (
            (label, Rubric(criterion=label, text=text, material=(material,))),
        )

    def test_a_system_prompt_is_a_character(self) -> None:
        """Where no other is written."""
        own = rubric_of(openai("You are Kim."))
        other = rubric_of(openai("You are Kim.", "character: You are Bo."))

        assert own.material == (Material(name="character", text="You are Kim."),)
        assert other.material == (Material(name="character", text="You are Bo."),)

    @pytest.mark.parametrize(
        "monitor",
        [
            pytest.param(
                "{protocol: openai, model: m, tools: [{name: get_order}]}", id="tools"
            ),
            pytest.param("{response: {tool_calls: calls}}", id="tool_calls"),
        ],
    )
    def test_what_tools_returned_is_material_too(self, monitor: str) -> None:
        """It is in the transcript that the judge sees, so nothing is added."""
        lines = monitor[1:-1].replace(", m", "\n    m").replace(", t", "\n    t")

        ((label, rubric),) = case_with(lines, "does_not_hallucinate: true").rubrics

        assert label == rubric.criterion == "does_not_hallucinate"
        assert rubric.text == BUILT_IN_RUBRICS["does_not_hallucinate"]
        assert rubric.material == ()

    def test_tools_are_no_knowledge(self) -> None:
        """What an answer must be grounded in is written down."""
        (problem,) = problems(whole("response: {tool_calls: calls}", GROUNDED))

        assert "needs `knowledge` in the monitor" in problem

    def test_a_judge_is_needed(self) -> None:
        """As for any judged criterion: its key is asked for."""
        text = whole("character: You are Kim.", CHARACTER)

        (problem,) = problems(text, {})

        assert problem.startswith(
            "9:33: monitors[0].cases[0].expect[1].stays_in_character: "
        )
        assert "OPENAI_API_KEY" in problem


class TestFiles:
    """Material in files."""

    def load(self, folder: Path, monitor: str = "knowledge: {file: kb.md}") -> Rubric:
        """Return the rubric of a configuration in *folder*."""
        path = folder / "c.yml"
        path.write_text(whole(monitor, GROUNDED), "utf-8")
        source = SecretSource(environment=SECRETS)
        config = load(path, secrets=source, environment=SECRETS)
        ((_, rubric),) = config.monitors[0].cases[0].rubrics
        return rubric

    def refusal(self, folder: Path) -> str:
        """Return what is wrong with a configuration in *folder*."""
        with pytest.raises(ConfigError) as refused:
            self.load(folder)
        (problem,) = refused.value.problems
        assert (problem.line, problem.path) == (4, "monitors[0].knowledge.file")
        return problem.message.removeprefix("'kb.md' ")

    def test_are_read_beside_the_configuration(self, tmp_path: Path) -> None:
        """The text counts, wherever it is written: without blanks around it."""
        (tmp_path / "kb.md").write_bytes("\ufeffÖffnet um neun.\n".encode())

        rubric = self.load(tmp_path)

        assert rubric == self.load(tmp_path, "knowledge: Öffnet um neun.")

    def test_are_read_again_with_the_configuration(self, tmp_path: Path) -> None:
        """Another text is another case."""
        (tmp_path / "kb.md").write_text("Open from nine.")
        before = self.load(tmp_path)

        (tmp_path / "kb.md").write_text("Open from ten.")

        assert self.load(tmp_path) != before

    @pytest.mark.parametrize(
        ("content", "says"),
        [
            pytest.param(b" \n", "is blank", id="blank"),
            pytest.param(b"\xff\xfe", "holds no UTF-8 text", id="encoding"),
            pytest.param(
                b"x" * 70_000,
                "is 70,000 bytes long; wanted: at most 65,536",
                id="too long",
            ),
        ],
    )
    def test_that_are_of_no_use_are_refused(
        self, content: bytes, says: str, tmp_path: Path
    ) -> None:
        """With the number."""
        (tmp_path / "kb.md").write_bytes(content)

        assert self.refusal(tmp_path) == says

    def test_that_are_none_are_refused(self, tmp_path: Path) -> None:
        """A folder is not read, a missing file is named."""
        assert self.refusal(tmp_path) == "is not there"
        (tmp_path / "kb.md").mkdir()
        assert self.refusal(tmp_path) == "is no file"


class TestRefusals:
    """Material that is of no use."""

    @pytest.mark.parametrize(
        ("monitor", "criterion", "keys"),
        [
            pytest.param("", GROUNDED, "`knowledge`", id="knowledge"),
            pytest.param(
                "",
                "does_not_hallucinate: true",
                "`knowledge` or `tools` or `response.tool_calls`",
                id="facts",
            ),
            pytest.param(
                "", CHARACTER, "`character` or `system_prompt`", id="character"
            ),
            pytest.param("character: x", GROUNDED, "`knowledge`", id="other"),
        ],
    )
    def test_nothing_to_hold_the_answer_against(
        self, monitor: str, criterion: str, keys: str
    ) -> None:
        """It is said at the criterion, where somebody wants it."""
        (problem,) = problems(whole(monitor, criterion))

        name, _, _ = criterion.partition(":")
        assert problem.partition(": ")[2] == (
            f"monitors[0].cases[0].expect[1].{name}: needs {keys} in the monitor, to "
            "hold the answer against"
        )

    @pytest.mark.parametrize("key", ["character", "knowledge"])
    def test_a_text_that_is_too_long(self, key: str) -> None:
        """Used or not: it has no other use. Told once, with the number."""
        text = whole(f"{key}: {'x' * 65_537}", GROUNDED if key == "knowledge" else "")

        (problem,) = problems(text)

        assert problem.endswith(f"{key}: is 65,537 bytes long; wanted: at most 65,536")

    def test_a_system_prompt_that_is_too_long_for_a_judge(self) -> None:
        """It is fine for the agent, so the criterion is what cannot be."""
        (problem,) = problems(openai("x" * 65_537))

        assert "expect[0].stays_in_character: takes `system_prompt`" in problem
        assert problem.endswith("is 65,537 bytes long; wanted: at most 65,536")
        assert not problems(openai("x" * 65_537, "character: You are Kim."))

    @pytest.mark.parametrize(
        ("monitor", "says"),
        [
            pytest.param("knowledge: ' '", "is blank", id="blank"),
            pytest.param("knowledge: {url: x}", "lacks file", id="key"),
            pytest.param("character: {file: x}", "is a mapping", id="file"),
        ],
    )
    def test_of_other_shapes(self, monitor: str, says: str) -> None:
        """What is no text and no file."""
        (problem, *_) = problems(whole(monitor))

        assert says in problem

    def test_false_is_no_way_to_forbid(self) -> None:
        """Criteria without options are written `true`."""
        (problem,) = problems(whole("character: x", "stays_in_character: false"))

        assert "wanted: true" in problem


class TestFingerprint:
    """The material is a part of the meaning."""

    def test_another_text_is_another_meaning(self) -> None:
        """Of a case that is held against it, and of no other."""
        one = case_with("knowledge: Open from nine.", GROUNDED).fingerprint
        other = case_with("knowledge: Open from ten.", GROUNDED).fingerprint

        assert one != other
        assert case_with("knowledge: x", "max_words: 9").fingerprint == (
            case_with("knowledge: y", "max_words: 9").fingerprint
        )

    def test_how_it_is_written_makes_no_difference(self) -> None:
        """A block or a line, an alias or not."""
        one = case_with("knowledge: Open from nine.", GROUNDED)
        other = case_with(
            "knowledge: 'Open from nine. '", "responseGroundedInKnowledge: yes"
        )

        assert one.fingerprint == other.fingerprint
