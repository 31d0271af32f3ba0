"""Addresses of pages."""

import pytest

from answerprobe.web.pages._links import Links, query


class TestLinks:
    @pytest.mark.parametrize(
        ("name", "path"),
        [
            pytest.param("shop", "/monitors/shop", id="plain"),
            pytest.param("sales/eu", "/monitors/sales%2Feu", id="slash"),
            pytest.param("50% off? #1", "/monitors/50%25%20off%3F%20%231", id="signs"),
            pytest.param("a%2Fb", "/monitors/a%252Fb", id="encoded"),
            pytest.param("日本", "/monitors/%E6%97%A5%E6%9C%AC", id="unicode"),
        ],
    )
    def test_names_are_encoded(self, name: str, path: str) -> None:
        """As one segment, whatever is in them."""
        assert Links().monitor(name) == path

    def test_all_begin_with_the_prefix(self) -> None:
        """Behind a proxy nothing else can be reached."""
        links = Links(prefix="/answers")

        assert links.case("shop", "a b") == "/answers/monitors/shop/cases/a%20b"
        assert links.run(7) == "/answers/runs/7"
        assert links.static("style.css") == "/answers/static/style.css"


class TestQuery:
    def test_only_what_says_something_is_in_it(self) -> None:
        """And it is encoded."""
        assert query({"q": "a&b", "status": None, "label": "", "page": 2}) == (
            "?q=a%26b&page=2"
        )

    def test_nothing_makes_none(self) -> None:
        """Not even a question mark."""
        assert query({"q": ""}) == ""
