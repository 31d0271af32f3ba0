"""
The image, built and run without a container engine.

The instructions of the Dockerfile are followed one by one, with this machine in place
of the base image. Its command then runs as its user, on a root file system that cannot
be written, without privileges, with a network of its own.
"""

import os
import signal
import subprocess
import time

from collections.abc import Iterator
from pathlib import Path

import pytest

from answerprobe.shipped import shipped
from containers.dockerfile import Stage, stages
from containers.rootfs import Layer, build


CONFIG = """\
monitors:
  - name: shop
    endpoint: http://127.0.0.1:9/api/chat
    every: manual
    cases: [{ask: When do you open?, expect: [{contains: "9"}]}]
"""
VOLUME = "/var/lib/answerprobe"
_START_SECONDS = 60.0


def may_mount() -> bool:
    """Whether this process may have a namespace for mounts of its own."""
    command = ["unshare", "--mount", "--net", "true"]
    return os.getuid() == 0 and ran(command).returncode == 0


def ran(command: list[str]) -> subprocess.CompletedProcess[str]:
    """Run *command* to its end."""
    return subprocess.run(  # noqa: S603  # commands of our own
        command, capture_output=True, text=True, timeout=60, check=False
    )


pytestmark = [
    pytest.mark.skipif(
        not may_mount(), reason="it needs root, with the right to mount"
    ),
    pytest.mark.timeout(600),
]


@pytest.fixture(name="image", scope="module")
def _image(tmp_path_factory: pytest.TempPathFactory) -> Layer:
    """Return what the Dockerfile makes, and a configuration where it is looked for."""
    layer = build(stages(), tmp_path_factory.mktemp("image"))
    layer.at("/etc/answerprobe").mkdir(parents=True, exist_ok=True)
    layer.at("/etc/answerprobe/answerprobe.yml").write_text(CONFIG, "utf-8")
    return layer


def unprivileged(stage: Stage, words: list[str]) -> list[str]:
    """Return *words* as the image runs them: its user, its environment, no rights."""
    user, _, group = stage.last("USER").value.partition(":")
    rights = [
        *("setpriv", f"--reuid={user}", f"--regid={group}", "--clear-groups"),
        *("--no-new-privs", "--bounding-set=-all", "--inh-caps=-all"),
    ]
    environment = [f"{key}={text}" for key, text in stage.environment.items()]
    return [*rights, "env", "-i", *environment, *words]


def isolated(layer: Layer, words: list[str]) -> list[str]:
    """Return the command that runs *words* in the image, read-only and offline."""
    return layer.command(
        unprivileged(stages()[-1], words),
        mounts=[
            layer.read_only,
            f"mount -t tmpfs -o mode=0750,uid=10001,gid=10001 none $root{VOLUME}",
        ],
        network=False,
    )


class Container:
    """The image's own command, running."""

    def __init__(self, layer: Layer, process: subprocess.Popen[bytes]) -> None:
        self._layer = layer
        self.process = process

    def health(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run the image's health check beside it, in its namespaces."""
        check = ["/opt/answerprobe/bin/python", "-I", "/opt/answerprobe/healthcheck.py"]
        inside = [
            "nsenter",
            f"--target={self.process.pid}",
            "--mount",
            "--net",
            "--root",
        ]
        return ran([*inside, *unprivileged(stages()[-1], [*check, *arguments])])

    def wait(self) -> None:
        """Wait until it is healthy."""
        end = time.monotonic() + _START_SECONDS
        while self.process.poll() is None and time.monotonic() < end:
            if self.health().returncode == 0:
                return
            time.sleep(0.1)
        raise AssertionError(self.process.poll())

    def status_of(self, name: str) -> str:
        """Return what the kernel says of its process as *name*."""
        lines = Path(f"/proc/{self.process.pid}/status").read_text("utf-8").splitlines()
        return next(line.split(":", 1)[1] for line in lines if line.startswith(name))


@pytest.fixture(name="container", scope="module")
def _container(image: Layer) -> Iterator[Container]:
    """Run what ENTRYPOINT and CMD say; kill it in the end where it still runs."""
    stage = stages()[-1]
    words = [*stage.last("ENTRYPOINT").words, *stage.last("CMD").words]
    with subprocess.Popen(isolated(image, words)) as process:  # noqa: S603  # our own
        container = Container(image, process)
        try:
            container.wait()
            yield container
        finally:
            process.kill()


class TestContainer:
    """What runs."""

    def test_is_neither_root_nor_may_become_it(self, container: Container) -> None:
        """Its user, no capability, none to be had."""
        assert container.status_of("Uid").split() == ["10001"] * 4
        assert container.status_of("NoNewPrivs").strip() == "1"
        assert {container.status_of(name).strip() for name in ("CapEff", "CapBnd")} == {
            "0" * 16
        }

    def test_is_healthy_by_its_own_check(self, container: Container) -> None:
        """As HEALTHCHECK runs it."""
        assert container.health().returncode == 0

    def test_check_fails_where_nobody_answers(self, container: Container) -> None:
        """It says who did not."""
        done = container.health("http://127.0.0.1:1/-/healthy")

        assert done.returncode == 1
        assert "127.0.0.1:1/-/healthy: " in done.stderr

    def test_ends_well_when_it_is_told_to(self, image: Layer) -> None:
        """SIGTERM reaches it, and its exit status is 0."""
        stage = stages()[-1]
        words = [*stage.last("ENTRYPOINT").words, *stage.last("CMD").words]
        with subprocess.Popen(isolated(image, words)) as process:  # noqa: S603  # ours
            try:
                Container(image, process).wait()
                process.send_signal(signal.SIGTERM)
                assert process.wait(30) == 0
            finally:
                process.kill()


class TestTree:
    """What is in the image."""

    def test_can_write_nowhere_but_to_its_volume(self, image: Layer) -> None:
        """The root file system is read-only, and the program is root's besides."""
        tries = (
            "for d in / /opt/answerprobe /etc/answerprobe /tmp /var/lib/answerprobe; do"
        )

        done = ran(
            isolated(image, ["sh", "-c", f"{tries} touch $d/x && echo $d; done"])
        )

        assert done.stdout.split() == ["/var/lib/answerprobe"]

    def test_brings_rules_dashboards_and_examples(self, image: Layer) -> None:
        """`answerprobe assets` writes what a checkout has."""
        folder = "/var/lib/answerprobe/assets"
        script = f"answerprobe assets {folder} >&2 && cd {folder} && find * -type f"

        done = ran(isolated(image, ["sh", "-c", script]))

        assert sorted(done.stdout.split()) == [file.path for file in shipped()]

    def test_speaks_postgresql(self, image: Layer) -> None:
        """The driver is in it."""
        done = ran(isolated(image, ["python", "-c", "import asyncpg"]))

        assert (done.returncode, done.stderr) == (0, "")

    def test_has_no_installer(self, image: Layer) -> None:
        """What built it stayed behind."""
        names = {path.name for path in image.at("/opt").iterdir()}
        programs = {path.name for path in image.at("/opt/answerprobe/bin").iterdir()}

        assert names == {"answerprobe"}
        assert not {"pip", "uv", "hatchling"} & programs

    def test_is_compiled(self, image: Layer) -> None:
        """Nothing is compiled at each start, where nothing can be written."""
        package = next(
            image.at("/opt/answerprobe/lib").glob("*/site-packages/answerprobe")
        )

        assert list(package.glob("__pycache__/*.pyc"))
