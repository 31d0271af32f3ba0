"""Which cases were accepted, and what became of them."""

from collections.abc import Callable

import pytest

from answerprobe.case import CaseState
from answerprobe.errors import LockError
from answerprobe.lock import Entry, Key, Lock, Standing


WINDOW, PRICE = Key("shop", "window"), Key("shop", "price")
ACCEPTED = Lock().accept(WINDOW, "f1")
RETIRED = ACCEPTED.retire(WINDOW, "moved")


class TestStanding:
    """How a case stands to the lock."""

    @pytest.mark.parametrize(
        ("lock", "fingerprint", "standing"),
        [
            pytest.param(Lock(), "f1", Standing.DRAFT, id="not in it"),
            pytest.param(ACCEPTED, "f1", Standing.ACCEPTED, id="as accepted"),
            pytest.param(ACCEPTED, "f2", Standing.CHANGED, id="another"),
            pytest.param(ACCEPTED, None, Standing.CHANGED, id="gone"),
            pytest.param(RETIRED, "f1", Standing.RETIRED, id="retired"),
            pytest.param(RETIRED, "f2", Standing.RETIRED, id="retired, another"),
            pytest.param(RETIRED, None, Standing.RETIRED, id="retired and gone"),
        ],
    )
    def test_table(
        self, lock: Lock, fingerprint: str | None, standing: Standing
    ) -> None:
        """What was retired may be anything now."""
        assert lock.standing(WINDOW, fingerprint) is standing

    def test_the_same_id_of_another_monitor_is_another_case(self) -> None:
        """Ids are unique within a monitor only."""
        assert ACCEPTED.standing(Key("bank", "window"), "f1") is Standing.DRAFT


class TestAccept:
    """A case counts from now on."""

    def test_is_kept_with_its_fingerprint(self) -> None:
        """Nothing is known of it but that."""
        assert ACCEPTED.entries == {
            WINDOW: Entry(key=WINDOW, state=CaseState.ACCEPTED, fingerprint="f1")
        }

    def test_again_is_nothing_new(self) -> None:
        """The same meaning is the same lock."""
        assert ACCEPTED.accept(WINDOW, "f1") == ACCEPTED

    @pytest.mark.parametrize(
        ("lock", "says"),
        [
            pytest.param(ACCEPTED, "`amend`", id="changed"),
            pytest.param(RETIRED, "give it a new id", id="retired"),
        ],
    )
    def test_never_moves_the_bar(self, lock: Lock, says: str) -> None:
        """The error names the case and the way."""
        with pytest.raises(LockError, match=f"'window' of 'shop' .*{says}"):
            lock.accept(WINDOW, "f2")


class TestRetire:
    """A case counts no longer."""

    def test_keeps_what_it_was(self) -> None:
        """With the reason."""
        assert RETIRED.entries[WINDOW] == Entry(
            key=WINDOW, state=CaseState.RETIRED, fingerprint="f1", reason="moved"
        )

    @pytest.mark.parametrize(
        ("lock", "says"),
        [
            pytest.param(Lock(), "is a draft", id="draft"),
            pytest.param(RETIRED, "is retired already: moved", id="retired"),
        ],
    )
    def test_needs_an_accepted_case(self, lock: Lock, says: str) -> None:
        """A draft is deleted, and a reason is not overwritten."""
        with pytest.raises(LockError, match=says):
            lock.retire(WINDOW, "other")


class TestAmend:
    """Another case in the place of one."""

    def test_accepts_the_new_and_retires_the_old(self) -> None:
        """Which names its replacement."""
        lock = ACCEPTED.amend(WINDOW, "price", "f2", "dearer")

        assert lock.standing(PRICE, "f2") is Standing.ACCEPTED
        assert lock.entries[WINDOW] == Entry(
            key=WINDOW,
            state=CaseState.RETIRED,
            fingerprint="f1",
            reason="dearer",
            replaced_by="price",
        )

    def test_the_new_may_be_accepted_already(self) -> None:
        """Two old cases may have one replacement."""
        lock = ACCEPTED.accept(PRICE, "f2").amend(WINDOW, "price", "f2", "the same")

        assert lock.standing(PRICE, "f2") is Standing.ACCEPTED

    @pytest.mark.parametrize(
        ("amend", "says"),
        [
            pytest.param(
                lambda: ACCEPTED.amend(WINDOW, "window", "f2", "x"),
                "cannot replace itself",
                id="itself",
            ),
            pytest.param(
                lambda: Lock().amend(WINDOW, "price", "f2", "x"),
                "'window' of 'shop' is a draft",
                id="old is a draft",
            ),
            pytest.param(
                lambda: ACCEPTED.accept(PRICE, "f1").amend(WINDOW, "price", "f2", "x"),
                "'price' of 'shop' was accepted and has changed",
                id="new has changed",
            ),
        ],
    )
    def test_is_refused_whole(self, amend: Callable[[], Lock], says: str) -> None:
        """Neither is changed."""
        with pytest.raises(LockError, match=says):
            amend()
