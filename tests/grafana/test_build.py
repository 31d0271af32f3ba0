"""The committed JSON is what the code makes."""

import os
import subprocess
import sys

import pytest

from boards import FILES, ROOT
from grafana.build import DASHBOARDS, rendered


SHOW = (
    "from grafana.build import DASHBOARDS, rendered; print(*map(rendered, DASHBOARDS))"
)


class TestBuild:
    """`make dashboards`."""

    @pytest.mark.parametrize("name", DASHBOARDS)
    def test_file_is_up_to_date(self, name: str) -> None:
        """What is committed is what the code makes: run make dashboards."""
        assert (ROOT / "grafana" / name).read_text("utf-8") == rendered(name)

    def test_makes_every_file(self) -> None:
        """No JSON lies there that nothing makes."""
        assert {file.name for file in FILES} == set(DASHBOARDS)

    def test_same_bytes_every_time(self) -> None:
        """What Python randomizes shows nowhere."""
        first, second = (
            subprocess.check_output(  # noqa: S603  our own code
                [sys.executable, "-c", SHOW],
                cwd=ROOT,
                env={**os.environ, "PYTHONHASHSEED": seed},
            )
            for seed in ("1", "2")
        )

        assert first == second
