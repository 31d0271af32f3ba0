"""Words of agents as HTML: inert, and nothing hidden."""

import html
import re

import pytest

from hypothesis import given
from hypothesis import strategies as st

from answerprobe.web.pages._shown import plain, shown


TAG = re.compile(r"<[^>]*>")


class TestShown:
    @pytest.mark.parametrize(
        "text",
        [
            pytest.param("<script>alert(1)</script>", id="script"),
            pytest.param("</div></main><h1>Run passed</h1>", id="breaks-out"),
            pytest.param("\" onmouseover='alert(1)", id="attribute"),
            pytest.param("&lt;b&gt; &amp;", id="entities"),
            pytest.param("[click](javascript:alert(1))", id="markdown"),
            pytest.param("{{ 7 * 7 }} {% raw %}", id="template"),
        ],
    )
    def test_markup_is_text(self, text: str) -> None:
        """Escaped once, so that it reads as it was said."""
        found = shown(text)

        assert "<" not in found
        assert html.unescape(found) == text

    @pytest.mark.parametrize(
        ("text", "sign", "name"),
        [
            pytest.param("\u202e", "⟨U+202E⟩", "RIGHT-TO-LEFT OVERRIDE", id="bidi"),
            pytest.param("\u200b", "⟨U+200B⟩", "ZERO WIDTH SPACE", id="zero-width"),
            pytest.param("\ufeff", "⟨U+FEFF⟩", "ZERO WIDTH NO-BREAK", id="bom"),
            pytest.param("\x1b", "⟨ESC⟩", "control character", id="escape"),
            pytest.param("\r", "⟨CR⟩", "control character", id="carriage-return"),
            pytest.param("\x7f", "⟨DEL⟩", "control character", id="delete"),
            pytest.param("\u2028", "⟨U+2028⟩", "LINE SEPARATOR", id="separator"),
            pytest.param("\U000e0041", "⟨U+E0041⟩", "TAG LATIN", id="tag"),
            pytest.param("\ufe01", "⟨U+FE01⟩", "VARIATION SELECTOR-2", id="selector"),
            pytest.param("\u3164", "⟨U+3164⟩", "HANGUL FILLER", id="filler"),
            pytest.param("a\u200db", "⟨U+200D⟩", "ZERO WIDTH JOINER", id="joiner"),
        ],
    )
    def test_what_cannot_be_seen_is_marked(
        self, text: str, sign: str, name: str
    ) -> None:
        """By its number, and by its name on hover."""
        found = shown(text)

        assert sign in TAG.sub("", found)
        assert name in found

    @pytest.mark.parametrize(
        "text",
        [
            pytest.param("two\nlines\tand a tab", id="lines"),
            pytest.param("Größe 日本語 שלום مرحبا", id="languages"),
            pytest.param("👩\u200d💻 ❤\ufe0f", id="emoji"),
        ],
    )
    def test_what_belongs_to_a_text_stays(self, text: str) -> None:
        """Line feeds, other scripts, emoji of several parts."""
        assert str(shown(text)) == text

    def test_a_row_of_the_same_is_one_mark(self) -> None:
        """With how many there are."""
        found = shown("a" + "\u200b" * 37 + "b")

        assert found.count("<span") == 1
        assert "⟨U+200B⟩×37" in found  # noqa: RUF001  the sign itself

    def test_a_flood_of_marks_is_bounded(self) -> None:
        """A page does not grow by what cannot be seen."""
        found = shown("\u200b\u200c" * 5000)

        assert found.count("<span") <= 200
        assert "\u200b" not in found

    @given(st.text())
    def test_no_text_makes_a_tag(self, text: str) -> None:
        """But our own marks, whatever it is."""
        tags = set(re.findall(r"<(/?\w+)", shown(text)))

        assert tags <= {"span", "/span"}


class TestPlain:
    def test_it_is_one_line_without_anything_hidden(self) -> None:
        """For titles and attributes."""
        assert plain("a\nb\u202ec") == "a b⟨U+202E⟩c"
