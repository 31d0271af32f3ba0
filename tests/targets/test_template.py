"""Bodies with places in them."""

import pytest

from answerprobe.secret import Secret, SecretSource
from answerprobe.targets._template import fill


_SAID = [{"role": "user", "content": "Hi."}]
_VALUES = {
    "message": lambda: 'Is "{{session}}" secret.KEY?',
    "session": lambda: "s-1",
    "history": lambda: _SAID,
}


class TestFill:
    """Values take their places."""

    @pytest.mark.parametrize(
        ("template", "expected"),
        [
            pytest.param("{{session}}", "s-1", id="whole"),
            pytest.param("{{history}}", _SAID, id="of its own type"),
            pytest.param("id={{session}};{{session}}", "id=s-1;s-1", id="in a text"),
            pytest.param(
                "{{message}}", 'Is "{{session}}" secret.KEY?', id="filled in once"
            ),
            pytest.param(
                {"a": [{"b": "{{session}}"}, 1, None], "c": True},
                {"a": [{"b": "s-1"}, 1, None], "c": True},
                id="anywhere",
            ),
            pytest.param({"{{session}}": 1}, {"{{session}}": 1}, id="no keys"),
            pytest.param("{{other}} {session}", "{{other}} {session}", id="others"),
        ],
    )
    def test_a_place_becomes_its_value(
        self, template: object, expected: object
    ) -> None:
        """Whole texts keep the type of the value."""
        assert fill(template, _VALUES) == expected

    def test_secrets_are_revealed(self) -> None:
        """Also beside a place."""
        source = SecretSource(environment={"KEY": "k-1"})

        filled = fill([Secret("secret.KEY/{{session}}", source)], _VALUES)

        assert filled == ["k-1/s-1"]
