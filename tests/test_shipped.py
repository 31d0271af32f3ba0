"""What is shipped beside the code: the same from a checkout and from a wheel."""

import os
import subprocess
import sys
import zipfile

from pathlib import Path

import pytest

from answerprobe.shipped import shipped


ROOT = Path(__file__).parents[1]
WRITE = "import sys; from answerprobe.cli import main; sys.exit(main())"


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder that a wheel of this checkout was installed into."""
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(  # noqa: S603  our own build
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder],
        cwd=ROOT,
        check=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    (wheel,) = folder.glob("*.whl")
    # All that pip does with a pure wheel, but for the script.
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "installed")
    return folder / "installed"


def written(folder: Path) -> dict[str, bytes]:
    """Return every file below *folder*."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


class TestShipped:
    """What comes with every copy."""

    def test_there_are_rules_dashboards_and_examples(self) -> None:
        """In the order of their paths, and nothing that only we need."""
        paths = [file.path for file in shipped()]

        assert paths == sorted(paths)
        assert {
            "alert_rules/answerprobe.rules.yml",
            "deploy/alertmanager/alertmanager.yml",
            "deploy/prometheus/prometheus.yml",
            "grafana/fleet.json",
        } <= set(paths)
        assert not [path for path in paths if path.endswith(".py")]

    def test_content_is_that_of_the_repository(self) -> None:
        """Byte for byte."""
        for file in shipped():
            assert file.content == (ROOT / file.path).read_bytes()

    def test_a_wheel_ships_the_same(self, installed: Path, tmp_path: Path) -> None:
        """`answerprobe assets` of an installed wheel, far from any checkout."""
        subprocess.run(  # noqa: S603  our own program
            [sys.executable, "-P", "-c", WRITE, "assets", tmp_path / "out"],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(installed)},
            check=True,
            stdout=subprocess.PIPE,
        )

        expected = {file.path: file.content for file in shipped()}
        assert written(tmp_path / "out") == expected
        assert set(written(installed / "answerprobe" / "assets")) == set(expected)
