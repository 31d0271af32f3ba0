"""accept, amend, retire and status: the life of a case."""

import json

from pathlib import Path

import pytest

from cli.calling import call, write
from cli.program import question


WINDOW, PRICE = question("window"), question("price")


def shop(folder: Path, *cases: object) -> Path:
    """Write a configuration of *cases* into *folder*."""
    return write(folder, cases=list(cases))


def two_shops(folder: Path) -> Path:
    """Write a configuration of two monitors with the same case."""
    path = shop(folder, WINDOW)
    document = json.loads(path.read_text("utf-8"))
    document["monitors"].append({**document["monitors"][0], "name": "bank"})
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


def states(path: Path) -> dict[str, str]:
    """Return how each case stands."""
    cases = json.loads(call("status", path, "--format", "json").stdout)["cases"]
    return {case["id"]: case["state"] for case in cases}


class TestAccept:
    """Cases that count from now on."""

    def test_says_what_it_did_and_what_are_drafts_now(self, tmp_path: Path) -> None:
        """The first one makes drafts of all others."""
        result = call("accept", shop(tmp_path, WINDOW, PRICE), "--case", "window")

        assert result.exit_code == 0
        assert result.stdout == "accepted 'window' of 'shop'\n"
        assert result.stderr == "1 case not accepted, which only dry runs ask: price\n"

    def test_drafts_of_several_monitors_are_named_with_theirs(
        self, tmp_path: Path
    ) -> None:
        """Both may have a case of that name."""
        path = two_shops(tmp_path)
        result = call("accept", path, "--case", "window", "--monitor", "bank")

        told = "1 case not accepted, which only dry runs ask: window (shop)\n"
        assert result.stderr == told

    def test_all_are_all_drafts(self, tmp_path: Path) -> None:
        """Retired ones stay retired."""
        path = shop(tmp_path, WINDOW, PRICE)
        call("accept", path, "--case", "window")
        call("retire", path, "--case", "window", "--reason", "moved")
        result = call("accept", path, "--all")

        assert result.stdout == "accepted 'price' of 'shop'\n"
        assert states(path) == {"window": "retired", "price": "accepted"}

    def test_all_or_nothing(self, tmp_path: Path) -> None:
        """One that has changed keeps the others from being accepted."""
        path = shop(tmp_path, WINDOW, PRICE)
        call("accept", path, "--case", "window")
        shop(tmp_path, question("window", contains="14"), PRICE)
        result = call("accept", path, "--all")

        assert result.exit_code == 2
        assert "'window' of 'shop' was accepted and has changed" in result.stderr
        assert states(path) == {"window": "changed", "price": "draft"}

    def test_again_says_so(self, tmp_path: Path) -> None:
        """And changes nothing."""
        path = shop(tmp_path, WINDOW)
        call("accept", path, "--all")
        before = (tmp_path / "answerprobe.lock").read_bytes()
        result = call("accept", path, "--case", "window")

        assert "accepted already" in result.stdout
        assert (tmp_path / "answerprobe.lock").read_bytes() == before

    @pytest.mark.parametrize(
        ("flags", "says"),
        [
            pytest.param((), "either --case", id="nothing"),
            pytest.param(("--all", "--case", "window"), "either --case", id="both"),
            pytest.param(("--case", "widnow"), "did you mean 'window'", id="unknown"),
            pytest.param(
                ("--all", "--monitor", "shp"), "no monitor 'shp'", id="no monitor"
            ),
        ],
    )
    def test_refused(self, tmp_path: Path, flags: tuple[str, ...], says: str) -> None:
        """In one line, and no lock is made."""
        result = call("accept", shop(tmp_path, WINDOW), *flags)

        assert (result.exit_code, result.stdout) == (2, "")
        assert says in result.stderr
        assert not (tmp_path / "answerprobe.lock").exists()

    def test_which_of_two(self, tmp_path: Path) -> None:
        """An id that several monitors have needs the monitor."""
        path = two_shops(tmp_path)
        unclear = call("accept", path, "--case", "window")
        clear = call("accept", path, "--case", "window", "--monitor", "bank")

        assert unclear.exit_code == 2
        assert "'shop', 'bank'; add --monitor" in unclear.stderr
        assert clear.stdout == "accepted 'window' of 'bank'\n"


class TestRetire:
    """A case that counts no longer."""

    def test_also_with_its_monitor_gone(self, tmp_path: Path) -> None:
        """Whoever deleted it first can still say why."""
        path = shop(tmp_path, WINDOW)
        call("accept", path, "--all")
        text = shop(tmp_path, PRICE).read_text("utf-8")
        path.write_text(text.replace('"shop"', '"store"'), encoding="utf-8")
        result = call("retire", path, "--case", "window", "--reason", "closed")

        assert result.stdout == "retired 'window' of 'shop'\n"
        assert call("check", path).exit_code == 0

    @pytest.mark.parametrize(
        ("case_id", "says"),
        [
            pytest.param("price", "is a draft", id="draft"),
            pytest.param("nobody", "there is no case 'nobody'", id="unknown"),
        ],
    )
    def test_refused(self, tmp_path: Path, case_id: str, says: str) -> None:
        """What was never accepted."""
        path = shop(tmp_path, WINDOW, PRICE)
        call("accept", path, "--case", "window")
        result = call("retire", path, "--case", case_id, "--reason", "x")

        assert result.exit_code == 2
        assert says in result.stderr

    @pytest.mark.parametrize(
        ("reason", "says"),
        [
            pytest.param("\u200b \t", "is blank", id="nothing to see"),
            pytest.param("x" * 2001, "is 2,001 characters long", id="long"),
            pytest.param("a\udcff", "is no UTF-8 text", id="bytes"),
        ],
    )
    def test_a_reason_that_is_none(
        self, tmp_path: Path, reason: str, says: str
    ) -> None:
        """It is for those who come later."""
        path = shop(tmp_path, WINDOW)
        call("accept", path, "--all")
        result = call("retire", path, "--case", "window", "--reason", reason)

        assert result.exit_code == 2
        assert says in result.stderr
        assert states(path) == {"window": "accepted"}

    def test_the_one_that_is_accepted_is_meant(self, tmp_path: Path) -> None:
        """Of two with the same id, where the other is a draft."""
        path = two_shops(tmp_path)
        call("accept", path, "--case", "window", "--monitor", "bank")
        result = call("retire", path, "--case", "window", "--reason", "x")

        assert result.stdout == "retired 'window' of 'bank'\n"


class TestAmend:
    """Another case in its place."""

    def test_the_old_may_be_gone_already(self, tmp_path: Path) -> None:
        """Its replacement counts at once."""
        path = shop(tmp_path, WINDOW)
        call("accept", path, "--all")
        shop(tmp_path, PRICE)
        result = call(
            "amend", path, "--case", "window", "--as", "price", "--reason", "dearer"
        )

        assert result.stdout == (
            "retired 'window' of 'shop' and accepted 'price' in its place\n"
        )
        assert states(path) == {"price": "accepted", "window": "retired"}

    def test_itself_is_refused(self, tmp_path: Path) -> None:
        """That would be an edit in place."""
        path = shop(tmp_path, WINDOW)
        call("accept", path, "--all")
        result = call(
            "amend", path, "--case", "window", "--as", "window", "--reason", "x"
        )

        assert result.exit_code == 2
        assert "cannot replace itself" in result.stderr


class TestStatus:
    """How each case stands."""

    def test_table(self, tmp_path: Path) -> None:
        """Also what only the lock knows."""
        old = question("old")
        path = shop(tmp_path, WINDOW, PRICE, old, question("gone"), question("lost"))
        call("accept", path, "--all")
        call("amend", path, "--case", "old", "--as", "price", "--reason", "a\nb")
        call("retire", path, "--case", "gone", "--reason", "closed")
        shop(tmp_path, question("window", contains="14"), PRICE, old, question("new"))
        result = call("status", path)

        assert result.exit_code == 0
        assert result.stdout == (
            "MONITOR  CASE    STATE     WHY\n"
            "shop     window  changed   differs from what was accepted\n"
            "shop     price   accepted\n"
            "shop     old     retired   replaced by price: a b\n"
            "shop     new     draft\n"
            "shop     gone    retired   closed\n"
            "shop     lost    changed   is gone\n"
        )

    def test_without_a_lock(self, tmp_path: Path) -> None:
        """Every case counts."""
        result = call("status", shop(tmp_path, WINDOW))

        assert result.stderr == "there is no answerprobe.lock: every case counts\n"
        assert result.stdout.splitlines()[1] == "shop     window  accepted"


class TestElsewhere:
    """What other commands say of cases that don't count."""

    def test_check_notes_drafts_and_retired_cases(self, tmp_path: Path) -> None:
        """And that nothing runs by itself, where that is so."""
        path = shop(tmp_path, WINDOW, PRICE)
        call("accept", path, "--case", "window")
        call("retire", path, "--case", "window", "--reason", "moved")
        result = call("check", path)

        assert result.exit_code == 0
        assert result.stdout.splitlines()[1:] == [
            "  shop: no case is accepted, so that nothing runs by itself",
            "  shop: 1 draft, only for dry runs: price",
            "  shop: window is retired and does not run; delete it",
        ]

    @pytest.mark.usefixtures("logging_restored")
    @pytest.mark.parametrize(
        ("flags", "says"),
        [
            pytest.param(("--case", "price"), "'price' is a draft", id="draft"),
            pytest.param(
                ("--case", "window", "--dry-run"), "'window' is retired", id="retired"
            ),
            pytest.param((), "no case is accepted", id="all of them"),
        ],
    )
    def test_run_refuses_what_does_not_run(
        self, tmp_path: Path, flags: tuple[str, ...], says: str
    ) -> None:
        """A run of nothing is no success."""
        path = shop(tmp_path, WINDOW, PRICE)
        call("accept", path, "--case", "window")
        call("retire", path, "--case", "window", "--reason", "moved")
        result = call("run", path, *flags)

        assert result.exit_code == 2
        assert says in result.stderr

    @pytest.mark.usefixtures("logging_restored")
    def test_grade_grades_drafts(self, tmp_path: Path) -> None:
        """That is how one finds out whether they mean what was meant."""
        path = shop(tmp_path, WINDOW, PRICE)
        call("accept", path, "--case", "window")
        answers = tmp_path / "answers.jsonl"
        answers.write_text('{"answer": "30 days"}', encoding="utf-8")
        result = call("grade", path, "--case", "price", answers)

        assert result.exit_code == 0
