"""The command `import`."""

from pathlib import Path

import pytest

from cli.calling import call


pytestmark = pytest.mark.usefixtures("logging_restored")
SOURCE = """\
description: Our shop
providers: [openai:chat:gpt-x]
prompts: ['{{q}}']
tests:
  - vars: {q: How long?}
    assert:
      - {type: icontains, value: 30 days}
      - {type: javascript, value: output.length > 3}
"""


def source(folder: Path, text: str = SOURCE) -> Path:
    """Write a promptfoo configuration."""
    path = folder / "promptfooconfig.yaml"
    path.write_text(text, encoding="utf-8")
    return path


class TestPromptfoo:
    def test_the_config_is_printed_and_the_rest_listed(self, tmp_path: Path) -> None:
        """With its line; the exit status is 0."""
        path = source(tmp_path)

        result = call("import", "promptfoo", path)

        assert result.exit_code == 0
        assert result.stdout.startswith(
            "# Imported from promptfooconfig.yaml by `answerprobe import promptfoo`.\n"
            "# Our shop\nmonitors:\n  - name: gpt-x\n"
        )
        assert result.stderr.splitlines() == [
            f"{path}:8: javascript: runs code, which answerprobe does not",
            "1 monitor, 1 case; 1 note above: read them",
        ]

    def test_the_result_passes_check(self, tmp_path: Path) -> None:
        """As a file, without the secrets."""
        output = tmp_path / "answerprobe.yml"

        made = call("import", "promptfoo", source(tmp_path), "--output", output)
        checked = call("check", output, "--allow-missing-secrets")

        assert (made.exit_code, made.stdout, checked.exit_code) == (0, "", 0)

    def test_a_file_is_overwritten_by_force_only(self, tmp_path: Path) -> None:
        """Else it stays as it is."""
        output = tmp_path / "answerprobe.yml"
        output.write_text("mine")
        args = ("import", "promptfoo", source(tmp_path), "--output", output)

        refused = call(*args)
        kept = output.read_text()
        forced = call(*args, "--force")

        assert (refused.exit_code, kept, forced.exit_code) == (2, "mine", 0)
        assert "is there already; --force overwrites it" in refused.stderr
        assert "gpt-x" in output.read_text("utf-8")

    def test_nothing_kept_is_2_with_the_reasons(self, tmp_path: Path) -> None:
        """And nothing is written."""
        path = source(tmp_path, SOURCE.replace("openai:chat:gpt-x", "file://a.py"))
        output = tmp_path / "answerprobe.yml"

        result = call("import", "promptfoo", path, "--output", output)

        assert (result.exit_code, output.exists()) == (2, False)
        assert f"{path}:2: provider file://a.py: left out: it is code" in result.stderr
        assert "nothing of it could be kept" in result.stderr
