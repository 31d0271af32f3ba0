"""A case: one question and what a good answer looks like."""

import re

import pytest

from hypothesis import given
from hypothesis import strategies as st

from answerprobe.case import Case, Criterion, Quorum, Rubric, fingerprint
from answerprobe.rules import RULES


_MEANING = st.dictionaries(
    st.text(),
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    ),
)


class TestCase:
    """Rules and rubrics of a case."""

    def test_rules_and_rubrics_are_parted_in_order(self) -> None:
        """Each keeps its label; code checks the ones, a judge the others."""
        first = RULES["contains"].parse("days")
        second = RULES["contains"].parse("policy")
        rubric = Rubric(criterion="judge", text="Is kind.")
        case = Case(
            id="refund",
            ask="What is the refund window?",
            criteria=(
                Criterion(label="contains", check=first),
                Criterion(label="judge", check=rubric),
                Criterion(label="contains#2", check=second),
            ),
            within_seconds=20,
            bar=Quorum(samples=3, pass_at_least=2),
            fingerprint="f",
        )

        assert case.rules == (("contains", first), ("contains#2", second))
        assert case.rubrics == (("judge", rubric),)


class TestFingerprint:
    """A name for what a case means."""

    @given(_MEANING)
    def test_order_of_keys_does_not_matter(self, meaning: dict[str, object]) -> None:
        """The same in another order is the same."""
        backwards = dict(reversed(list(meaning.items())))

        assert fingerprint(backwards) == fingerprint(meaning)

    @given(_MEANING, _MEANING)
    def test_another_meaning_is_another_name(
        self, one: dict[str, object], other: dict[str, object]
    ) -> None:
        """Two cases have one fingerprint only if they are the same."""
        same = repr(_sorted(one)) == repr(_sorted(other))

        assert (fingerprint(one) == fingerprint(other)) is same

    def test_is_32_hexadecimal_digits(self) -> None:
        """It fits a column and a lock file."""
        name = fingerprint({"ask": "Wie lange?"})

        assert re.fullmatch("[0-9a-f]{32}", name)

    @pytest.mark.parametrize(
        "other",
        [
            pytest.param({"ask": "a", "samples": 4}, id="a value"),
            pytest.param({"ask": "a"}, id="a key less"),
            pytest.param({"ask": "a", "samples": "3"}, id="another type"),
        ],
    )
    def test_any_change_shows(self, other: dict[str, object]) -> None:
        """Whatever is changed, the name is another."""
        assert fingerprint(other) != fingerprint({"ask": "a", "samples": 3})


def _sorted(value: object) -> object:
    """Return *value* with the keys of all mappings in order."""
    if isinstance(value, dict):
        return {key: _sorted(value[key]) for key in sorted(value)}
    return [_sorted(item) for item in value] if isinstance(value, list) else value
