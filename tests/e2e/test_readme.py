"""What the README shows works as it stands there."""

import asyncio
import re

from pathlib import Path

from e2e.program import ANSWERPROBE


README = Path(__file__).parents[2] / "README.md"


class TestReadme:
    """The README's config."""

    async def test_config_is_accepted(self, tmp_path: Path) -> None:
        """`answerprobe check` finds nothing wrong in the first YAML block."""
        found = re.search(r"```yaml\n(.*?)```", README.read_text("utf-8"), re.DOTALL)
        assert found is not None
        config_file = tmp_path / "answerprobe.yml"
        config_file.write_text(found[1], encoding="utf-8")

        process = await asyncio.create_subprocess_exec(
            ANSWERPROBE,
            "check",
            config_file,
            "--allow-missing-secrets",
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        output, _ = await process.communicate()

        assert process.returncode == 0, output.decode()
