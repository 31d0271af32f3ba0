"""Inputs that once broke something, and good ones: tried ever after."""

from pathlib import Path

import pytest

from hypothesis import given
from hypothesis import strategies as st

from fuzz.hostile import FUZZED
from fuzz.seeds import SEEDS


_FOUND = sorted((Path(__file__).parent / "found").iterdir())


class TestFound:
    """No promise breaks any more."""

    @pytest.mark.parametrize("file", _FOUND, ids=lambda file: file.name)
    def test_what_broke_it_does_so_no_more(self, file: Path) -> None:
        """The name says what was fed with it."""
        FUZZED[file.name.partition("-")[0]](file.read_bytes())

    @pytest.mark.parametrize(
        ("name", "seed"),
        [
            pytest.param(name, seed, id=f"{name}-{number}")
            for name, seeds in SEEDS.items()
            for number, seed in enumerate(seeds)
        ],
    )
    def test_what_is_good_breaks_nothing(self, name: str, seed: bytes) -> None:
        """Else nothing else is worth trying."""
        FUZZED[name](seed)

    @pytest.mark.parametrize("name", sorted(FUZZED))
    def test_each_has_something_to_begin_with(self, name: str) -> None:
        """Fuzzing from nothing finds nothing."""
        assert SEEDS[name]


class TestAnything:
    """A short try without coverage, on every run of the tests."""

    @pytest.mark.parametrize("name", sorted(FUZZED))
    @given(data=st.data())
    def test_no_bytes_break_it(self, name: str, data: st.DataObject) -> None:
        """Any bytes, and good ones with a piece changed."""
        seed = data.draw(st.sampled_from(SEEDS[name]))
        at = data.draw(st.integers(0, len(seed)))
        piece = data.draw(st.binary(max_size=20))
        length = data.draw(st.integers(0, 20))

        FUZZED[name](seed[:at] + piece + seed[at + length :])
