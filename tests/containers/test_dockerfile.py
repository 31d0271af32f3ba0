"""The Dockerfile: by hadolint, and by rules of our own."""

import re
import subprocess
import sys

from pathlib import Path

import pytest
import yaml

from answerprobe import __version__
from containers.dockerfile import DOCKERFILE, ROOT, Stage, allowed, stages


CHART = ROOT / "deploy" / "helm" / "answerprobe"
HADOLINT = Path(sys.executable).with_name("hadolint")
PINNED = re.compile(r"python:3\.\d+\.\d+-slim-[a-z]+")
FETCHES = re.compile(r"\b(apt-get|apk|curl|wget|pip|uv|git)\b")


@pytest.fixture(name="image")
def _image() -> Stage:
    """Return the last stage: what is shipped."""
    return stages()[-1]


class TestDockerfile:
    """What it is made of."""

    def test_hadolint_finds_nothing(self) -> None:
        """Not even what is a matter of style."""
        done = subprocess.run(  # noqa: S603  # a program of ours and a file of ours
            [HADOLINT, "--no-color", "--failure-threshold=style", DOCKERFILE],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

        assert (done.returncode, done.stdout) == (0, "")

    def test_bases_are_pinned_to_a_patch_release(self) -> None:
        """The same build next month is the same Python."""
        assert [stage.base for stage in stages() if not PINNED.match(stage.base)] == []

    def test_all_stages_have_one_base(self) -> None:
        """A virtual environment works only beside the Python that it was made by."""
        assert len({stage.base for stage in stages()}) == 1

    def test_the_builder_gets_what_is_copied(self) -> None:
        """And nothing of the repository that is not copied."""
        copied = {
            source
            for stage in stages()
            for step in stage.all("COPY")
            if step.flag("from") is None
            for source in step.words[:-1]
        }

        assert [source for source in copied if not (ROOT / source).exists()] == []
        assert {source.partition("/")[0] for source in copied} == allowed()

    def test_every_package_is_one_of_constraints(self) -> None:
        """No version is left to the day of the build."""
        installs = [
            step.value
            for stage in stages()
            for step in stage.all("RUN")
            if " install " in step.value and "pip" in step.value
        ]

        assert len(installs) == 2
        assert [
            run for run in installs if "--constraint constraints.txt" not in run
        ] == []

    def test_version_is_that_of_the_package(self) -> None:
        """The tag that the first lines tell to build."""
        assert f"--tag answerprobe:{__version__} ." in DOCKERFILE.read_text("utf-8")


class TestImage:
    """What the last stage says of the image."""

    def test_nothing_is_fetched_into_it(self, image: Stage) -> None:
        """It comes from the stage before, which is thrown away."""
        assert [run for run in image.all("RUN") if FETCHES.search(run.value)] == []
        assert image.all("ADD") == ()

    def test_user_is_a_number_and_not_root(self, image: Stage) -> None:
        """So that `runAsNonRoot` can be checked, and holds."""
        assert image.last("USER").value == "10001:10001"

    def test_nothing_runs_as_root_after_that(self, image: Stage) -> None:
        """What follows only describes."""
        names = [step.name for step in image.instructions]

        assert not {"RUN", "COPY", "ADD"} & set(names[names.index("USER") :])

    def test_its_program_is_started_without_a_shell(self, image: Stage) -> None:
        """Signals reach it."""
        assert image.last("ENTRYPOINT").value.startswith("[")
        assert image.last("CMD").value.startswith("[")

    def test_health_is_asked_with_python(self, image: Stage) -> None:
        """There is no curl, and no shell is needed."""
        _, _, command = image.last("HEALTHCHECK").value.partition("CMD ")

        assert command.startswith('["/opt/answerprobe/bin/python"')
        assert FETCHES.search(command) is None

    def test_it_says_where_it_writes_and_listens(self, image: Stage) -> None:
        """The volume is the folder of the store."""
        assert image.last("VOLUME").value == "/var/lib/answerprobe"
        assert image.last("EXPOSE").value == "10099"
        assert image.environment["ANSWERPROBE_STORAGE_URL"] == (
            "sqlite:////var/lib/answerprobe/answerprobe.db"
        )

    def test_chart_runs_it_as_the_same_user(self, image: Stage) -> None:
        """What is in the image's own folders belongs to that user."""
        values = yaml.safe_load((CHART / "values.yaml").read_text("utf-8"))
        context = values["podSecurityContext"]

        user = f"{context['runAsUser']}:{context['runAsGroup']}"
        assert user == image.last("USER").value
