from pathlib import Path

import pytest

from cli.calling import call, write


class TestPlan:
    def test_a_scheduled_monitor_is_told_by_the_month(self, tmp_path: Path) -> None:
        """Samples and tokens of 30 days, and that nothing bounds them."""
        result = call("check", path := write(tmp_path, every="1h"))

        head, line = result.stdout.splitlines()
        assert result.exit_code == 0
        assert head == f"{path}: 1 monitor, 1 case"
        assert line.startswith("  shop: 3 samples every 1h, 2,160 a month; ")
        assert "no budget: unlimited, about " in line
        assert " tokens a month (agent " in line

    def test_a_budget_is_told(self, tmp_path: Path) -> None:
        """Beside what would be spent."""
        budget = {"token_budget": "200k"}
        result = call("check", write(tmp_path, **budget))

        assert "budget 200,000 tokens a month, about " in result.stdout
        assert "unlimited" not in result.stdout

    def test_one_on_demand_is_told_by_the_run(self, tmp_path: Path) -> None:
        """Nobody knows how often it will be asked for."""
        result = call("check", write(tmp_path, every="manual"))

        assert "shop: 3 samples a run, on demand only; no budget" in result.stdout
        assert result.stdout.endswith(" tokens a run\n")

    @pytest.mark.parametrize(
        ("written", "note"),
        [
            pytest.param(
                {"every": "10s", "within": "5s", "confirm": "8s"},
                "shop: asks again after 5s, half of every, before bad news count; "
                "confirm (8s) is longer",
                id="longer",
            ),
            pytest.param({"every": "1m", "confirm": "30s"}, None, id="as long"),
            pytest.param(
                {"every": "10s", "within": "5s", "confirm": "0"}, None, id="off"
            ),
            pytest.param({"every": "manual", "confirm": "8h"}, None, id="on demand"),
        ],
    )
    def test_a_confirm_that_would_take_too_long_is_told(
        self, tmp_path: Path, written: dict[str, str], note: str | None
    ) -> None:
        """A second look waits for half of the interval at most, and not silently."""
        result = call("check", write(tmp_path, **written))

        _, _, *notes = result.stdout.splitlines()
        assert notes == ([f"  {note}"] if note else [])


class TestRefusals:
    def test_every_file_is_checked(self, tmp_path: Path) -> None:
        """Sound ones on standard output, every error on standard error."""
        good, bad = write(tmp_path), write(tmp_path, "bad.yml", evry="1h", sample=2)
        result = call("check", good, bad, tmp_path / "gone.yml")

        assert result.exit_code == 2
        assert str(good) in result.stdout
        assert "bad.yml:1:" in result.stderr
        for word in ("evry", "sample", "gone.yml"):
            assert word in result.stderr

    def test_an_empty_lock_is_refused(self, tmp_path: Path) -> None:
        """It does not mean that every case counts."""
        (tmp_path / "answerprobe.lock").touch()
        result = call("check", write(tmp_path))

        assert result.exit_code == 2
        assert "answerprobe.lock" in result.stderr

    @pytest.mark.parametrize("allowed", [True, False], ids=["allowed", "not-allowed"])
    def test_a_missing_secret_is_named(self, tmp_path: Path, *, allowed: bool) -> None:
        """Unless it is CI that checks, which has none."""
        path = write(tmp_path, auth={"bearer": "secret.NO_SUCH_9"})
        flags = ["--allow-missing-secrets"] if allowed else []
        result = call("check", path, *flags)

        assert result.exit_code == (0 if allowed else 2)
        assert ("NO_SUCH_9" in result.stderr) is not allowed

    def test_a_secret_may_lie_in_a_folder(self, tmp_path: Path) -> None:
        """As Kubernetes mounts them."""
        (tmp_path / "NO_SUCH_9").write_text("x\n", encoding="utf-8")
        path = write(tmp_path, auth={"bearer": "secret.NO_SUCH_9"})
        result = call("check", path, f"--secrets.dir={tmp_path}")

        assert result.exit_code == 0

    def test_a_folder_is_no_config(self, tmp_path: Path) -> None:
        """One line says so."""
        result = call("check", tmp_path)

        assert result.exit_code == 2
        assert len(result.stderr.splitlines()) == 1
