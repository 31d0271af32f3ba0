"""Text from outside made safe to keep."""

import pytest

from hypothesis import given
from hypothesis import strategies as st

from answerprobe.text import (
    ELLIPSIS,
    SplitAnswer,
    cut,
    is_blank,
    one_line,
    scrub,
    split_reasoning,
)


_ANY = st.text(alphabet=st.sampled_from("a\0\ud800\udfff\n ") | st.characters())


class TestScrub:
    """Taking out what no store and no scrape takes."""

    @given(_ANY)
    def test_result_can_be_encoded(self, text: str) -> None:
        """UTF-8 takes it, and there is no NUL in it."""
        scrubbed = scrub(text)

        assert "\0" not in scrubbed
        assert scrubbed.encode().decode() == scrubbed
        assert scrub(scrubbed) == scrubbed

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            pytest.param("a\0b", "ab", id="NUL"),
            pytest.param("é\0b", "éb", id="NUL beside another letter"),
            pytest.param("a\ud800b", "a\ufffdb", id="lone surrogate"),
            pytest.param("\U0001f600", "\U0001f600", id="emoji"),
        ],
    )
    def test_table(self, text: str, expected: str) -> None:
        """Nothing else changes."""
        assert scrub(text) == expected


class TestCut:
    """Keeping a bounded beginning."""

    @given(st.text(), st.integers(3, 100))
    def test_never_longer_than_the_limit(self, text: str, limit_bytes: int) -> None:
        """In UTF-8 it fits; a text that fits stays whole, another is marked."""
        kept = cut(text, limit_bytes)

        assert len(kept.encode()) <= limit_bytes
        if len(text.encode()) <= limit_bytes:
            assert kept == text
        else:
            assert kept.endswith(ELLIPSIS)
            assert text.startswith(kept.removesuffix(ELLIPSIS))

    def test_cuts_on_a_character(self) -> None:
        """No half of a wide character stays."""
        assert cut("ab€€", 7) == "ab…"


class TestOneLine:
    """A text in a line of a log or an error."""

    @given(_ANY, st.integers(1, 50))
    def test_one_short_line(self, text: str, limit: int) -> None:
        """No line breaks or controls, no longer than asked for."""
        line = one_line(text, limit)

        assert len(line) <= limit
        assert not any(ord(char) < 32 for char in line)


class TestSplitReasoning:
    """Parting the answer from the model's thoughts before it."""

    @pytest.mark.parametrize(
        ("text", "answer", "reasoning"),
        [
            pytest.param("30 days", "30 days", "", id="none"),
            pytest.param("<think>hm</think>30", "30", "hm", id="block"),
            pytest.param("\n<think>\nhm\n</think>\n30", "30", "hm", id="lines"),
            pytest.param(
                "<think>a</think><reasoning>b</reasoning>30", "30", "a\nb", id="two"
            ),
            pytest.param("hm</think>30", "30", "hm", id="opening tag stripped"),
            pytest.param("<think>hm, 30", "", "hm, 30", id="never closed"),
            pytest.param(
                "Use <think> and </think>.",
                "Use <think> and </think>.",
                "",
                id="quoted",
            ),
            pytest.param("<think></think>30", "30", "", id="empty block"),
            pytest.param("<thinking>a</think>b", "", "a</think>b", id="other closing"),
        ],
    )
    def test_table(self, text: str, answer: str, reasoning: str) -> None:
        """Leading blocks, whatever a server leaves of their tags."""
        assert split_reasoning(text) == SplitAnswer(answer, reasoning)

    @given(
        st.lists(
            st.sampled_from(["<think>", "</think>", "<reasoning>", "a", " ", "\n"])
        ).map("".join)
    )
    def test_answer_is_an_end_of_the_text(self, text: str) -> None:
        """Nothing is made up or moved: the answer is how the text ends."""
        answer, _ = split_reasoning(text)

        assert text.rstrip().endswith(answer)

    def test_many_blocks_take_linear_time(self) -> None:
        """A megabyte of empty blocks is parted at once."""
        text = "<think></think>" * 70_000 + "30"

        assert split_reasoning(text).answer == "30"


class TestIsBlank:
    """Whether a text says anything."""

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            pytest.param("", True, id="empty"),
            pytest.param(" \n\u00a0\u200b\u2060", True, id="invisible"),
            pytest.param("... --- !?", True, id="punctuation"),
            pytest.param(":" * 1000, True, id="long"),
            pytest.param("\u0301", True, id="a mark alone"),
            pytest.param("." * 1000 + "5", False, id="a digit at the end"),
            pytest.param("ja", False, id="letters"),
            pytest.param("5 €", False, id="digit"),
            pytest.param("👍", False, id="emoji"),
            pytest.param("+", False, id="symbol"),
            pytest.param("はい", False, id="other script"),
        ],
    )
    def test_table(self, text: str, *, expected: bool) -> None:
        """Letters, digits and symbols say something."""
        assert is_blank(text) is expected
