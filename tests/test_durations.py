"""Spans of time as people write them."""

import pytest

from hypothesis import given
from hypothesis import strategies as st

from answerprobe import durations


class TestParse:
    """From text to seconds."""

    @pytest.mark.parametrize(
        ("text", "seconds"),
        [
            pytest.param("30s", 30, id="seconds"),
            pytest.param("300ms", 0.3, id="milliseconds"),
            pytest.param("1h30m", 5400, id="two units"),
            pytest.param("1.5h", 5400, id="fraction"),
            pytest.param("2w", 1209600, id="weeks"),
            pytest.param("1d", 86400, id="day"),
            pytest.param("0s", 0, id="zero"),
        ],
    )
    def test_table(self, text: str, seconds: float) -> None:
        """Every unit is understood."""
        assert durations.parse(text) == seconds

    @pytest.mark.parametrize(
        "text",
        [
            pytest.param("", id="empty"),
            pytest.param("30", id="no unit"),
            pytest.param("s", id="no number"),
            pytest.param("-5s", id="negative"),
            pytest.param("5 s", id="space"),
            pytest.param("5S", id="capital"),
            pytest.param("5y", id="unknown unit"),
            pytest.param("1e3s", id="exponent"),
            pytest.param(".5s", id="no leading digit"),
            pytest.param("5s\n", id="line break"),
            pytest.param("\u0665s", id="digits of another script"),
            pytest.param("9" * 50 + "s", id="too long"),
        ],
    )
    def test_anything_else_is_refused(self, text: str) -> None:
        """The error shows the right spelling, and not all of a long text."""
        with pytest.raises(ValueError, match="write for example 30s") as caught:
            durations.parse(text)

        assert len(str(caught.value)) < 120

    @given(st.text(max_size=50))
    def test_no_text_raises_anything_else(self, text: str) -> None:
        """A number of seconds or a ValueError, whatever is written."""
        try:
            seconds = durations.parse(text)
        except ValueError:
            return
        assert seconds >= 0


class TestShow:
    """From seconds to text."""

    @pytest.mark.parametrize(
        ("seconds", "text"),
        [
            pytest.param(5400, "1h30m", id="two units"),
            pytest.param(60, "1m", id="round"),
            pytest.param(0.25, "250ms", id="milliseconds"),
            pytest.param(604800, "7d", id="a week"),
            pytest.param(0, "0s", id="zero"),
        ],
    )
    def test_table(self, seconds: float, text: str) -> None:
        """The shortest spelling."""
        assert durations.show(seconds) == text

    @given(st.integers(0, 10**11))
    def test_parse_reads_it_back(self, milliseconds: int) -> None:
        """What is shown means what it was, to the millisecond."""
        seconds = milliseconds / 1000

        assert durations.parse(durations.show(seconds)) == pytest.approx(seconds)
