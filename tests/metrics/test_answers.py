"""Which answers are shown, and as what text."""

import pytest

from hypothesis import given
from hypothesis import strategies as st

from answerprobe.metrics.answers import (
    AnswerBoard,
    AnswerInfo,
    label_text,
    longest_failing,
)


def info(case_id: str, since: int = 1) -> AnswerInfo:
    """Return a case that fails since run *since*."""
    return AnswerInfo(
        case_id=case_id,
        failing_since_run=since,
        answer="At nine.",
        last_good_answer=None,
        reason="contains",
    )


class TestLabelText:
    """An agent's text in a label."""

    @pytest.mark.parametrize(
        ("text", "shown"),
        [
            pytest.param(
                "At 9 & <b>10</b>",
                "At 9 \uff06 \uff1cb\uff1e10\uff1c/b\uff1e",
                id="markup",
            ),
            pytest.param("one\r\n\ttwo\u2028three", "one two three", id="line-breaks"),
            pytest.param("a\x1b[31mb\x7f", "a\ufffd[31mb\ufffd", id="controls"),
            pytest.param("a\u202eb\u2066c", "a\ufffdb\ufffdc", id="direction"),
            pytest.param("a\0b\udc00", "ab\ufffd", id="nul-and-surrogate"),
            pytest.param("a\U000e0041b", "a\ufffdb", id="invisible-tags"),
            pytest.param("  ", "", id="blank"),
            pytest.param("x" * 200, "x" * 200, id="just-fits"),
            pytest.param("x" * 201, "x" * 199 + "…", id="too-long"),
            pytest.param("日" * 5000, "日" * 199 + "…", id="much-too-long"),
            pytest.param('"{{ .Value }}" \\', '"{{ .Value }}" \\', id="left-alone"),
        ],
    )
    def test_is_one_harmless_line(self, text: str, shown: str) -> None:
        """Nothing in it is markup, a control or a second line."""
        assert label_text(text) == shown

    @given(text=st.text(st.characters(exclude_categories=()), max_size=300))
    def test_always_fits(self, text: str) -> None:
        """Whatever comes, it is at most 200 characters of UTF-8 without markup."""
        shown = label_text(text)

        assert len(shown) <= 200
        assert not set(shown.encode().decode()) & set("&<>\n\r\0")


class TestLongestFailing:
    """Five cases of a monitor."""

    def test_are_those_that_fail_longest(self) -> None:
        """Those with the lowest run come first; the sixth is left out."""
        found = longest_failing(
            info(f"c{since}", since) for since in (9, 3, 7, 1, 5, 8)
        )

        assert [each.case_id for each in found] == ["c1", "c3", "c5", "c7", "c8"]


UPDATES = st.lists(
    st.tuples(
        st.sampled_from([f"m{number}" for number in range(60)]),
        st.lists(
            st.builds(info, st.sampled_from("abcdefg"), st.integers(1, 9)),
            max_size=7,
            unique_by=lambda each: each.case_id,
        ),
    ),
    max_size=80,
)


class TestAnswerBoard:
    """Two hundred cases of all monitors."""

    def test_shows_those_that_fail_longest_of_all(self) -> None:
        """With 205 failing cases the newest five are not shown."""
        board = AnswerBoard()
        for number in range(41):
            board.update(f"m{number:02}", [info(f"c{i}", number) for i in range(5)])

        assert len(board.shown("m39")) == 5
        assert board.shown("m40") == ()

    def test_fills_up_when_something_passes_again(self) -> None:
        """What was left out takes the place; both monitors are named."""
        board = AnswerBoard()
        for number in range(41):
            board.update(f"m{number:02}", [info(f"c{i}", number) for i in range(5)])

        changed = board.update("m03", ())

        assert changed == {"m03", "m40"}
        assert len(board.shown("m40")) == 5

    def test_names_a_monitor_whose_answer_changed(self) -> None:
        """The same case with another answer is a change; nothing shown is none."""
        board = AnswerBoard()

        assert board.update("shop", [info("a")]) == {"shop"}
        assert board.update("shop", [info("a")]) == {"shop"}
        assert board.update("other", ()) == set()

    @given(updates=UPDATES)
    def test_is_the_same_as_choosing_anew(
        self, updates: list[tuple[str, list[AnswerInfo]]]
    ) -> None:
        """However it came about, it shows what a fresh choice among all would."""
        board = AnswerBoard()
        last: dict[str, tuple[AnswerInfo, ...]] = {}
        for monitor, infos in updates:
            board.update(monitor, infos)
            last[monitor] = longest_failing(infos)

        ranked = sorted(
            (each.failing_since_run, monitor, each.case_id)
            for monitor, infos in last.items()
            for each in infos
        )[:200]
        shown = [
            (each.failing_since_run, monitor, each.case_id)
            for monitor in last
            for each in board.shown(monitor)
        ]

        assert sorted(shown) == ranked
