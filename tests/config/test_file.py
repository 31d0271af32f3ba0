"""The file itself, and how its problems are told."""

import gc
import hashlib

from pathlib import Path

import pytest

from answerprobe.config import load
from answerprobe.config.loader import MOST_BYTES
from answerprobe.errors import ConfigError, Problem
from answerprobe.secret import SecretSource
from config.loading import load_text, problems, whole


def refusal(path: Path) -> ConfigError:
    """Return why the file at *path* is refused."""
    with pytest.raises(ConfigError) as caught:
        load(path, secrets=SecretSource(environment={}))
    return caught.value


class TestUnreadable:
    """Files that can't be read."""

    def test_missing(self, tmp_path: Path) -> None:
        """The message names the file as it was given."""
        path = tmp_path / "no.yml"

        problem = f"{path}:1:1: cannot be read: no such file or directory"
        assert str(refusal(path)) == problem

    def test_a_folder(self, tmp_path: Path) -> None:
        """Is no file."""
        assert "cannot be read: is a directory" in str(refusal(tmp_path))

    def test_too_large(self, tmp_path: Path) -> None:
        """A limit keeps a wrong path from filling the memory."""
        path = tmp_path / "large.yml"
        with path.open("wb") as file:
            file.truncate(MOST_BYTES + 1)

        assert "it is larger than 32 MiB" in str(refusal(path))

    @pytest.mark.parametrize(
        ("content", "says"),
        [
            pytest.param(b"a: 1\nb: \xff", "2:4: is no UTF-8 text (byte 0xff)", id="8"),
            pytest.param("a: 1".encode("utf-16"), "1:1: is no UTF-8 text", id="UTF-16"),
            pytest.param(b"", "1:1: the file is empty; wanted: a mapping", id="empty"),
            pytest.param(b"# only\n", "1:1: the file is empty", id="comment"),
            pytest.param(
                b"- a\n", "1:1: the file is a list; wanted: a mapping", id="list"
            ),
            pytest.param(b"hello", "1:1: the file is 'hello'; wanted:", id="text"),
            pytest.param(b"a: 1", "1:1: lacks monitors", id="other keys"),
        ],
    )
    def test_no_configuration(self, content: bytes, says: str) -> None:
        """Neither text nor YAML nor a mapping."""
        assert problems(content)[0].startswith(says)

    def test_a_mark_of_byte_order(self) -> None:
        """Windows editors write one; it is no part of the first key."""
        assert not problems(b"\xef\xbb\xbf" + whole().encode())


class TestConfig:
    """What a good file gives."""

    def test_hash_and_path(self, tmp_path: Path) -> None:
        """Of the bytes, and as it was given."""
        path = tmp_path / "c.yml"
        path.write_text(whole())

        config = load(path, secrets=SecretSource(environment={}))

        assert config.path == path
        assert config.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()

    def test_json_is_yaml(self) -> None:
        """A file in JSON works as well."""
        text = (
            '{"monitors": [{"name": "a", "endpoint": "http://h", "cases": '
            '[{"ask": "q", "expect": [{"contains": "x"}, {"max_words": 5}]}]}]}'
        )

        assert load_text(text).monitors[0].name == "a"

    @pytest.mark.parametrize(
        "text",
        [pytest.param(whole(), id="good"), pytest.param("nonsense", id="bad")],
    )
    def test_garbage_collection_goes_on(self, text: str) -> None:
        """It is off only while a file is loaded."""
        problems(text)

        assert gc.isenabled()


class TestProblems:
    """All of them at once."""

    def test_of_every_kind_in_file_order(self) -> None:
        """What YAML, schema, rules, secrets and the settings' sense find."""
        text = (
            "monitors:\n"
            "  - name: a\n"
            "    type: agnet\n"
            "    endpoint: ftp://x\n"
            "    every: soon\n"
            "    samples: 2\n"
            "    pass_at_least: 3\n"
            "    samples: 4\n"
            "    auth: {bearer: secret.NONE}\n"
            "    tools: []\n"
            "    cases:\n"
            "      - ask: x\n"
            "        expect:\n"
            "          - regex: '('\n"
            "          - contain: y\n"
            "  - name: a\n"
            "    endpoint: http://h\n"
            "    cases: []\n"
        )

        lines = [int(problem.partition(":")[0]) for problem in problems(text)]

        assert lines == [3, 4, 5, 7, 8, 9, 10, 14, 15, 16, 18]

    def test_after_fifty_their_number(self) -> None:
        """A file that is wrong throughout doesn't flood the terminal."""
        cases = "".join(
            f"      - {{ask: q{n}, expect: [contain: x]}}\n" for n in range(60)
        )
        head = "monitors:\n  - name: a\n    endpoint: http://h\n    cases:\n"

        found = problems(head + cases)

        assert len(found) == 51
        assert found[-1] == "55:29: and 10 more"

    def test_through_aliases(self) -> None:
        """The place is where the value is written, each use has its path."""
        text = (
            "monitors:\n"
            "  - {name: a, endpoint: http://h, cases: &c [{ask: x, expect: []}]}\n"
            "  - {name: b, endpoint: http://h, cases: *c}\n"
        )

        assert [problem.partition(" is")[0] for problem in problems(text)] == [
            "2:63: monitors[0].cases[0].expect:",
            "2:63: monitors[1].cases[0].expect:",
        ]

    def test_through_merges(self) -> None:
        """What `<<` brings in stands elsewhere."""
        text = (
            "monitors:\n"
            "  - &a {name: a, endpoint: http://h, every: soon, cases: &c "
            "[{ask: x, expect: [contains: y]}]}\n"
            "  - {<<: *a, name: b}\n"
        )

        assert [problem.partition(" is")[0] for problem in problems(text)] == [
            "2:45: monitors[0].every:",
            "2:45: monitors[1].every:",
        ]

    def test_columns_count_characters(self) -> None:
        """Not bytes."""
        text = whole('labels: {"ärger": x}')

        assert problems(text)[0].startswith("4:14: monitors[0].labels['ärger']:")

    def test_are_values(self, tmp_path: Path) -> None:
        """A program can look at each part."""
        path = tmp_path / "c.yml"
        path.write_text(whole("every: soon"))

        (problem,) = refusal(path).problems

        assert problem == Problem(
            file=str(path),
            line=4,
            column=12,
            path="monitors[0].every",
            message="is 'soon'; wanted: a duration such as 30s, 5m or 1h30m, or manual",
        )
