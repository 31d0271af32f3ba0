from pathlib import Path

from answerprobe.shipped import shipped
from cli.calling import call


RULES = "alert_rules/answerprobe.rules.yml"


class TestAssets:
    def test_writes_everything_and_names_it(self, tmp_path: Path) -> None:
        """Into a folder that need not be there yet."""
        folder = tmp_path / "new" / "folder"

        result = call("assets", folder)

        assert result.exit_code == 0
        assert result.stdout.splitlines() == [
            str(folder / file.path) for file in shipped()
        ]
        for file in shipped():
            assert (folder / file.path).read_bytes() == file.content

    def test_a_second_time_changes_nothing(self, tmp_path: Path) -> None:
        """It says that all is up to date."""
        call("assets", tmp_path)

        result = call("assets", tmp_path)

        assert (result.exit_code, result.stdout) == (0, f"{tmp_path} is up to date\n")

    def test_what_was_changed_is_not_overwritten(self, tmp_path: Path) -> None:
        """It is named, and of the others nothing is written either."""
        (tmp_path / "alert_rules").mkdir()
        (tmp_path / RULES).write_text("mine", encoding="utf-8")

        result = call("assets", tmp_path)

        assert result.exit_code == 2
        assert result.stderr == (
            f"nothing was written: 1 file in {tmp_path} would be overwritten by others "
            f"of this version (--force does that):\n  {tmp_path / RULES}\n"
        )
        assert [path.name for path in tmp_path.iterdir()] == ["alert_rules"]
        assert (tmp_path / RULES).read_text(encoding="utf-8") == "mine"

    def test_force_overwrites_only_what_differs(self, tmp_path: Path) -> None:
        """The rest is not touched, and what is not ours stays."""
        call("assets", tmp_path)
        (tmp_path / RULES).write_text("mine", encoding="utf-8")
        (tmp_path / "alert_rules" / "own.rules.yml").write_text("own", encoding="utf-8")

        result = call("assets", tmp_path, "--force")

        assert (result.exit_code, result.stdout) == (0, f"{tmp_path / RULES}\n")
        assert (tmp_path / RULES).read_text(encoding="utf-8") != "mine"
        assert (tmp_path / "alert_rules" / "own.rules.yml").exists()

    def test_a_file_in_the_way_is_one_clear_line(self, tmp_path: Path) -> None:
        """It is named with what is wrong."""
        (tmp_path / "grafana").write_text("a file", encoding="utf-8")

        result = call("assets", tmp_path)

        assert result.exit_code == 2
        assert result.stderr.count("\n") == 1
        assert str(tmp_path / "grafana") in result.stderr
