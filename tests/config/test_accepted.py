"""Which cases count beside a lock, and what breaks it."""

from collections.abc import Callable
from pathlib import Path

import pytest

from answerprobe.case import CaseState
from answerprobe.config import Config, load
from answerprobe.errors import ConfigError
from answerprobe.lock import Key, Lock, change, lock_of
from answerprobe.secret import SecretSource


TEXT = """\
monitors:
  - name: shop
    endpoint: http://h/chat
    every: 1h
    cases:
      - id: window
        ask: How long?
        expect: [contains: 30 days]
      - id: price
        ask: How much?
        expect: [contains: free]
"""
Edit = Callable[[Lock, dict[str, str]], Lock]


def loading(folder: Path, text: str = TEXT, *, keep_lock: bool = True) -> Config:
    """Return the configuration of *text*, written into *folder*."""
    path = folder / "answerprobe.yml"
    path.write_text(text, encoding="utf-8")
    return load(path, secrets=SecretSource(environment={}), keep_lock=keep_lock)


def locked(folder: Path, edit: Edit) -> None:
    """Write the lock that *edit* makes of nothing and of TEXT's fingerprints."""
    (shop,) = loading(folder, keep_lock=False).monitors
    prints = {case.id: case.fingerprint for case in shop.cases}
    change(lock_of(folder / "answerprobe.yml"), lambda _: edit(Lock(), prints))


def both(lock: Lock, prints: dict[str, str]) -> Lock:
    for case_id, fingerprint in prints.items():
        lock = lock.accept(Key("shop", case_id), fingerprint)
    return lock


def window(lock: Lock, prints: dict[str, str]) -> Lock:
    return lock.accept(Key("shop", "window"), prints["window"])


def replaced(lock: Lock, prints: dict[str, str]) -> Lock:
    amended = window(lock, prints)
    return amended.amend(Key("shop", "window"), "price", prints["price"], "dearer")


def gone(lock: Lock, prints: dict[str, str]) -> Lock:
    return window(lock, prints).retire(Key("shop", "window"), "moved")


class TestStates:
    """Which cases count."""

    def test_without_a_lock_every_case_does(self, tmp_path: Path) -> None:
        """Nothing has to be accepted where nobody asked for it."""
        (shop,) = loading(tmp_path).monitors

        assert [case.id for case in shop.cases] == ["window", "price"]
        assert not shop.uncounted

    def test_what_is_not_in_the_lock_is_a_draft(self, tmp_path: Path) -> None:
        """It is kept apart."""
        locked(tmp_path, window)
        (shop,) = loading(tmp_path).monitors

        assert [(case.id, case.state) for case in shop.cases] == [
            ("window", CaseState.ACCEPTED)
        ]
        assert [case.id for case in shop.drafts] == ["price"]
        assert shop.every_seconds == 3600

    def test_a_retired_case_has_its_reason(self, tmp_path: Path) -> None:
        """As long as it is in the file."""
        locked(tmp_path, replaced)
        (shop,) = loading(tmp_path).monitors
        (old,) = shop.uncounted

        assert (old.state, old.reason, old.replaced_by) == (
            CaseState.RETIRED,
            "dearer",
            "price",
        )

    def test_one_of_no_case_that_counts_is_never_due(self, tmp_path: Path) -> None:
        """What does not run by itself is not stale either."""
        locked(tmp_path, gone)
        (shop,) = loading(tmp_path).monitors

        assert (shop.cases, shop.every_seconds) == ((), None)

    def test_accepting_makes_it_another_monitor(self, tmp_path: Path) -> None:
        """A reload has to notice."""
        locked(tmp_path, window)
        (before,) = loading(tmp_path).monitors
        locked(tmp_path, both)
        (after,) = loading(tmp_path).monitors

        assert before.definition != after.definition

    def test_a_lock_that_accepts_all_changes_nothing(self, tmp_path: Path) -> None:
        """Its monitors are those without it."""
        (without,) = loading(tmp_path).monitors
        locked(tmp_path, both)
        (shop,) = loading(tmp_path).monitors

        assert shop.definition == without.definition


class TestBroken:
    """An accepted case that is another now, or gone."""

    def test_each_is_named_with_the_way_out(self, tmp_path: Path) -> None:
        """The changed ones where they stand, the missing ones in the lock."""
        locked(tmp_path, both)
        path = tmp_path / "answerprobe.yml"
        text = TEXT.replace("30 days", "14 days").replace("id: price", "id: cost")

        with pytest.raises(ConfigError) as refused:
            loading(tmp_path, text)

        missing, changed = map(str, refused.value.problems)
        assert changed == (
            f"{path}:6:9: monitors[0].cases[0]: the case 'window' was accepted and has "
            "changed since; undo the change, or give it a new id and say why: "
            f"`answerprobe amend {path} --case window --as NEW --reason TEXT`"
        )
        assert missing == (
            f"{tmp_path}/answerprobe.lock:5:1: the case 'price' of 'shop' was accepted "
            "and is gone from answerprobe.yml; bring it back, or say why it is gone: "
            f"`answerprobe retire {path} --case price --reason TEXT`"
        )

    def test_the_way_names_the_monitor_where_it_must(self, tmp_path: Path) -> None:
        """An id that two monitors have accepted needs it."""
        text = TEXT + TEXT.replace("monitors:\n", "").replace("shop", "bank")
        cases = {
            Key(each.name, case.id): case.fingerprint
            for each in loading(tmp_path, text, keep_lock=False).monitors
            for case in each.cases
        }
        lock = Lock()
        for key, fingerprint in cases.items():
            lock = lock.accept(key, fingerprint)
        change(lock_of(tmp_path / "answerprobe.yml"), lambda _: lock)

        with pytest.raises(ConfigError, match="--case price --monitor bank --as NEW"):
            loading(tmp_path, text.replace("free", "cheap"))

    def test_a_monitor_of_another_name_lost_its_cases(self, tmp_path: Path) -> None:
        """The name is part of what a case is known by."""
        locked(tmp_path, both)

        with pytest.raises(ConfigError) as refused:
            loading(tmp_path, TEXT.replace("name: shop", "name: store"))

        assert len(refused.value.problems) == 2

    def test_other_mistakes_come_first(self, tmp_path: Path) -> None:
        """What cannot be read cannot be compared."""
        locked(tmp_path, both)

        with pytest.raises(ConfigError, match="evry") as refused:
            loading(tmp_path, TEXT.replace("every", "evry").replace("30", "14"))

        assert "window" not in str(refused.value)

    def test_a_setting_above_the_case_counts(self, tmp_path: Path) -> None:
        """A bar is moved from anywhere."""
        locked(tmp_path, window)

        with pytest.raises(ConfigError, match="'window' was accepted and has changed"):
            loading(tmp_path, f"defaults: {{within: 1m}}\n{TEXT}")

    @pytest.mark.parametrize(
        "text",
        [
            pytest.param(f"# a comment\n{TEXT}", id="comment"),
            pytest.param(f"defaults: {{within: 20s}}\n{TEXT}", id="default"),
            pytest.param(TEXT.replace("every: 1h", "every: 2h"), id="schedule"),
            pytest.param(TEXT.replace("http://h", "http://i"), id="target"),
        ],
    )
    def test_what_is_measured_may_change(self, tmp_path: Path, text: str) -> None:
        """And how it is written."""
        locked(tmp_path, both)

        assert len(loading(tmp_path, text).monitors[0].cases) == 2

    def test_it_can_be_looked_at_all_the_same(self, tmp_path: Path) -> None:
        """By who does not keep the lock: every case is there."""
        locked(tmp_path, both)
        text = TEXT.replace("30 days", "14 days")
        (shop,) = loading(tmp_path, text, keep_lock=False).monitors

        assert len(shop.cases) == 2
