"""The daemon with the chart's own arguments, on folders as a kubelet mounts them."""

import asyncio
import os

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from chart.rendering import container, render, secret
from e2e.program import ANSWERPROBE, Daemon, eventually, free_port


MOUNTS = {
    "/etc/answerprobe/config": "-config",
    "/etc/answerprobe/secrets": "-secrets",
}


def config(*names: str) -> dict[str, object]:
    """Return values that watch monitors of these *names*, on demand only."""
    return {
        "secrets": {"TOKEN": "t0ken-of-ours"},
        "config": {
            "api": {"tokens": {"ci": "secret.TOKEN"}},
            "monitors": [
                {
                    "name": name,
                    "type": "agent",
                    "endpoint": "http://127.0.0.1:9/chat",
                    "every": "manual",
                    "cases": [{"ask": "?", "expect": [{"contains": "x"}]}],
                }
                for name in names
            ],
        },
    }


def mount(root: Path, values: Mapping[str, object], version: int) -> None:
    """
    Mount the Secrets of *values* below *root*, in place of those before.

    As the kubelet does it: a folder for each version, a link `..data` that is replaced
    at once, and links through it that never change.
    """
    documents = render(values)
    for path, suffix in MOUNTS.items():
        folder = root / path.lstrip("/")
        new = folder / f"..version_{version}"
        new.mkdir(parents=True)
        for name, text in secret(documents, suffix).items():
            (new / name).write_text(text, encoding="utf-8")
            if not (folder / name).is_symlink():
                (folder / name).symlink_to(Path("..data") / name)
        (folder / "..data_tmp").symlink_to(new.name)
        (folder / "..data_tmp").rename(folder / "..data")


@asynccontextmanager
async def running(root: Path, values: Mapping[str, object]) -> AsyncIterator[Daemon]:
    """Run what the chart's container of *values* would, with its paths below *root*."""
    mount(root, values, 1)
    (root / "var/lib/answerprobe").mkdir(parents=True)
    port, log_file = free_port(), root / "daemon.log"
    arguments = [
        argument.replace("=/etc/", f"={root}/etc/")
        .replace("sqlite:////", f"sqlite:///{root}/")
        .replace("0.0.0.0:10099", f"127.0.0.1:{port}")
        for argument in container(render(values))["args"]
    ]
    with log_file.open("wb") as log:
        process = await asyncio.create_subprocess_exec(
            ANSWERPROBE, *arguments, cwd="/", stdout=log, stderr=log, env=os.environ
        )
    daemon = Daemon(port=port, process=process, log_file=log_file)
    try:
        await eventually(lambda: daemon.text("/-/ready"), 30)
        yield daemon
    finally:
        process.terminate()
        await process.wait()
    assert process.returncode == 0, daemon.log()


class TestMounts:
    """A daemon in a pod."""

    async def test_it_starts_as_the_chart_says(self, tmp_path: Path) -> None:
        """Arguments, mounted folders and store fit together."""
        async with running(tmp_path, config("one")) as daemon:
            metrics = await daemon.metrics()

        assert metrics.total("answerprobe_paused", monitor="one") == 0
        assert (tmp_path / "var/lib/answerprobe/answerprobe.db").exists()

    async def test_a_new_configuration_is_loaded_by_itself(
        self, tmp_path: Path
    ) -> None:
        """As soon as the kubelet has put it in place, the process going on."""
        async with running(tmp_path, config("one")) as daemon:
            mount(tmp_path, config("one", "two"), 2)

            await daemon.until("answerprobe_paused", 0, seconds=20, monitor="two")
            assert daemon.process.returncode is None

    async def test_a_bad_one_is_refused_and_the_old_goes_on(
        self, tmp_path: Path
    ) -> None:
        """And the metric that pages says so."""
        bad = {**config("one"), "config": {"monitors": [{"name": "x"}]}}

        async with running(tmp_path, config("one")) as daemon:
            mount(tmp_path, bad, 2)

            metrics = await daemon.until(
                "answerprobe_config_last_reload_successful", 0, seconds=20
            )
            assert metrics.total("answerprobe_paused", monitor="one") == 0
