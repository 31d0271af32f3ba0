"""Times and numbers as people read them."""

from datetime import timedelta

import pytest

from answerprobe.web.pages._when import count, duration, moment, percent, plural
from builders import NOW


class TestMoment:
    @pytest.mark.parametrize(
        ("seconds", "told"),
        [
            pytest.param(0, "just now", id="now"),
            pytest.param(59, "59 s ago", id="seconds"),
            pytest.param(60, "1 min ago", id="minute"),
            pytest.param(3 * 3600 + 1, "3 h ago", id="hours"),
            pytest.param(86400, "1 day ago", id="day"),
            pytest.param(40 * 86400, "40 days ago", id="days"),
            pytest.param(-2, "any moment", id="next"),
            pytest.param(-300, "in 5 min", id="future"),
        ],
    )
    def test_it_is_relative(self, seconds: int, told: str) -> None:
        """In the largest unit that fits."""
        assert f">{told}<" in moment(NOW - timedelta(seconds=seconds), NOW)

    def test_it_is_absolute_on_hover_and_for_programs(self) -> None:
        """In UTC, whoever looks from wherever."""
        assert moment(NOW, NOW) == (
            '<time datetime="2026-11-30T12:00:00Z" title="2026-11-30 12:00:00 UTC">'
            "just now</time>"
        )

    def test_what_never_was_is_told(self) -> None:
        """An empty cell would look like a fault."""
        assert ">never<" in moment(None, NOW)


class TestNumbers:
    @pytest.mark.parametrize(
        ("seconds", "told"),
        [
            pytest.param(None, "\u2013", id="unknown"),
            pytest.param(0.25, "250 ms", id="milliseconds"),
            pytest.param(2.0, "2 s", id="whole"),
            pytest.param(2.34, "2.3 s", id="seconds"),
            pytest.param(125.0, "2 min 5 s", id="minutes"),
            pytest.param(7200.0, "2 h", id="hours"),
            pytest.param(90000.0, "1 d 1 h", id="days"),
        ],
    )
    def test_durations(self, seconds: float | None, told: str) -> None:
        """In units that say something."""
        assert duration(seconds) == told

    @pytest.mark.parametrize(
        ("ratio", "told"),
        [
            pytest.param(None, "\u2013", id="unknown"),
            pytest.param(0.0, "0%", id="none"),
            pytest.param(0.001, "0.1%", id="hardly"),
            pytest.param(0.333, "33%", id="third"),
            pytest.param(0.999, "99.9%", id="almost"),
            pytest.param(0.99999, "99.9%", id="not-quite"),
            pytest.param(1.0, "100%", id="all"),
        ],
    )
    def test_percentages_never_round_to_all_or_nothing(
        self, ratio: float | None, told: str
    ) -> None:
        """One failure in a thousand is no 100%."""
        assert percent(ratio) == told

    def test_numbers_have_their_thousands_apart(self) -> None:
        """And nouns their plural."""
        assert (count(12345), plural(1, "case"), plural(1200, "case")) == (
            "12,345",
            "1 case",
            "1,200 cases",
        )
