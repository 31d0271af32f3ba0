"""The demo's stack finds its programs, or says what to install."""

from pathlib import Path

import pytest

from answerprobe.demo.launch import DemoError
from answerprobe.demo.stack import find_programs


def install(folder: Path, *names: str) -> None:
    """Put programs called *names* into *folder*."""
    for name in names:
        (folder / name).write_text("#!/bin/sh\n", encoding="utf-8")
        (folder / name).chmod(0o755)


class TestFindPrograms:
    """Prometheus and Alertmanager."""

    @pytest.mark.parametrize(
        "alertmanager",
        [
            pytest.param("prometheus-alertmanager", id="as Debian calls it"),
            pytest.param("alertmanager", id="as others do"),
        ],
    )
    def test_finds_both(self, alertmanager: str, tmp_path: Path) -> None:
        """By either name."""
        install(tmp_path, "prometheus", alertmanager)

        programs = find_programs(str(tmp_path))

        assert programs.prometheus == str(tmp_path / "prometheus")
        assert programs.alertmanager == str(tmp_path / alertmanager)

    @pytest.mark.parametrize("there", ["prometheus", "alertmanager"])
    def test_says_what_to_install(self, there: str, tmp_path: Path) -> None:
        """One of them is not enough."""
        install(tmp_path, there)

        with pytest.raises(
            DemoError, match=r"apt-get install .* prometheus prometheus-"
        ):
            find_programs(str(tmp_path))
