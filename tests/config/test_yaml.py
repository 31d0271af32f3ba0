"""YAML made strict."""

import pytest

from answerprobe.config._yaml import DEEPEST, MOST_ALIASED, Plain, read
from answerprobe.errors import ConfigError


def refusal(text: str) -> str:
    """Return the last problem of the document *text*, which is refused as a whole."""
    with pytest.raises(ConfigError) as caught:
        read(text, "c.yml")
    return str(caught.value.problems[-1])


class TestScalars:
    """What is written without quotes stays what was written."""

    @pytest.mark.parametrize(
        "word",
        [
            pytest.param(word, id=word or "nothing")
            for word in (
                *("no", "Yes", "1:30", "0755", "2026-01-31", "1_000", "0b_", "~", ""),
                *("null", "1.10", "-5", ".inf", "+49 30", "0x1F"),
            )
        ],
    )
    def test_perhaps_more_than_a_text(self, word: str) -> None:
        """It is left open, and the text is kept."""
        root = read(f"a: {word}\n", "c.yml").root

        assert root == {"a": word}
        assert isinstance(root, dict)
        assert isinstance(root["a"], Plain)

    @pytest.mark.parametrize(
        "written",
        [
            pytest.param("'no'", id="single quotes"),
            pytest.param('"no"', id="double quotes"),
            pytest.param("!!str no", id="tag"),
            pytest.param("|-\n  no", id="block"),
        ],
    )
    def test_certainly_a_text(self, written: str) -> None:
        """Quotes, a block or the tag say that a text is meant."""
        root = read(f"a: {written}\n", "c.yml").root

        assert isinstance(root, dict)
        assert root["a"].__class__ is str or written.startswith("!!")
        assert root["a"] == "no"

    def test_keys_are_texts(self) -> None:
        """A key is never a truth value or a number."""
        assert read("no: x\n30: y\n", "c.yml").root == {"no": "x", "30": "y"}


class TestDuplicateKeys:
    """A key written twice is a problem where it stands the second time."""

    def test_all_are_found(self) -> None:
        """In nested mappings too; the rest is read on."""
        document = read("a: 1\nb: {c: x, c: y}\na: {d: z}\n", "c.yml")

        assert document.root == {"a": "1", "b": {"c": "x"}}
        assert [str(problem) for problem in document.problems] == [
            "c.yml:2:11: b.c: is written twice; this key is already there",
            "c.yml:3:1: a: is written twice; this key is already there",
        ]


class TestAliases:
    """Anchors, aliases and merges work, within bounds."""

    def test_merge(self) -> None:
        """What is written wins, then the first mapping that is merged in."""
        text = "a: &a {x: 1, y: 1}\nb: {<<: [*a, {y: 2, z: 2}], x: 3}\n"

        root = read(text, "c.yml").root

        assert isinstance(root, dict)
        assert root["b"] == {"x": "3", "y": "1", "z": "2"}

    def test_a_bomb_is_refused(self) -> None:
        """Levels of aliases that would unfold to millions of values."""
        levels = ["a0: &a0 [x, x, x, x, x, x, x, x]"]
        levels += [
            f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 8)}]" for n in range(1, 9)
        ]

        said = refusal("\n".join(levels))

        assert "aliases repeat too much" in said
        assert f"{MOST_ALIASED:,}" in said

    def test_a_tower_is_refused(self) -> None:
        """Levels of aliases that would unfold to endless nesting."""
        levels = ["a0: &a0 [x]"]
        levels += [f"a{n}: &a{n} [*a{n - 1}]" for n in range(1, DEEPEST + 1)]

        assert "with its aliases nested deeper" in refusal("\n".join(levels))

    @pytest.mark.parametrize(
        ("text", "says"),
        [
            pytest.param(
                "a: *x", "1:4: a: the alias 'x' stands for nothing", id="none"
            ),
            pytest.param("a: &a [*a]", "is part of what it stands for", id="itself"),
            pytest.param(
                "a: &x 1\nb: &x [2]\nevry: *x",
                "c.yml:2:4: b: the anchor 'x' stands in front of two things",
                id="twice",
            ),
            pytest.param("a: {<<: 3}", "only mappings can be merged in", id="merge"),
        ],
    )
    def test_an_unusable_one_is_refused(self, text: str, says: str) -> None:
        """With what is wrong."""
        assert says in refusal(text)


class TestRefusedWhole:
    """What can't be read further."""

    @pytest.mark.parametrize(
        ("text", "says"),
        [
            pytest.param("[" * 2000, "c.yml:1:1001: no YAML: exceeded", id="brackets"),
            pytest.param(
                "- " * 150, f"nested deeper than {DEEPEST} levels", id="dashes"
            ),
            pytest.param("a: 1\n---\nb: 2\n", "c.yml:2:1: a second document", id="two"),
            pytest.param("? [a]\n: b\n", "c.yml:1:3: a key must be a text", id="key"),
            pytest.param("a: !!binary eA==", "1:4: a: the tag", id="tag"),
            pytest.param("a: !!python/tuple [x]", "1:4: a: the tag", id="python tag"),
            pytest.param('a: "x\\0"', "1:4: a: holds a NUL", id="NUL"),
            pytest.param("a: \x07", "c.yml:1:4: no YAML: control", id="control"),
            pytest.param("a:\n  b: [1,\n", "c.yml:3:1: a.b: no YAML", id="open list"),
            pytest.param("a:\n\tb: 1", "c.yml:2:1:", id="tab"),
            pytest.param("%YAML 3.0\n---\na", "c.yml:1:1: no YAML", id="version"),
        ],
    )
    def test_says_where_and_why(self, text: str, says: str) -> None:
        """One problem with its place."""
        assert says in refusal(text)
