"""The daemon with the chart's own arguments, on folders as a kubelet mounts them."""

import asyncio
import os
import sys

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import aiohttp
import bcrypt

from chart.rendering import container, one, render, secret
from e2e.program import ANSWERPROBE, Daemon, eventually, free_port


MOUNTS = {
    "/etc/answerprobe/config": "-config",
    "/etc/answerprobe/secrets": "-secrets",
    "/etc/answerprobe/web": "-web",
}


def config(*names: str, word: str = "sesame") -> dict[str, object]:
    """Return values that watch monitors of these *names*, on demand only."""
    hashed = bcrypt.hashpw(word.encode(), bcrypt.gensalt(4)).decode()
    return {
        "web": {
            "externalUrl": "https://tools.example.com/answers",
            "config": {"basic_auth_users": {"ann": hashed}},
        },
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


@dataclass(frozen=True, slots=True, kw_only=True)
class InPod(Daemon):
    """A daemon below a prefix, whose metrics want a user."""

    async def text(self, path: str) -> str | None:
        """Return the body at *path* below the prefix; None: it is not to be had."""
        return await self.as_user("sesame", path)

    async def as_user(self, password: str, path: str) -> str | None:
        """Return the body at *path* for the user with *password*."""
        headers = {"Authorization": aiohttp.encode_basic_auth("ann", password)}
        url = f"{self.url}/answers{path}"
        try:
            async with (
                aiohttp.ClientSession(headers=headers) as session,
                session.get(url) as response,
            ):
                return await response.text() if response.status == 200 else None
        except aiohttp.ClientError:
            assert self.process.returncode is None, self.log()
            return None


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
async def running(root: Path, values: Mapping[str, object]) -> AsyncIterator[InPod]:
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
    daemon = InPod(port=port, process=process, log_file=log_file)
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

    async def test_a_changed_password_is_the_one_that_counts(
        self, tmp_path: Path
    ) -> None:
        """The web configuration is loaded again, too."""
        async with running(tmp_path, config("one")) as daemon:
            assert await daemon.as_user("other", "/metrics") is None
            mount(tmp_path, config("one", word="other"), 2)

            await eventually(lambda: daemon.as_user("other", "/metrics"), 20)
            assert await daemon.as_user("sesame", "/metrics") is None

    async def test_helm_test_finds_it_ready(self, tmp_path: Path) -> None:
        """By the script that the chart's test pod runs, without any user."""
        values = config("one")
        (only,) = one(render(values), "Pod")["spec"]["containers"]
        script, _host, _port, url = only["args"]

        async with running(tmp_path, values) as daemon:
            here = url.replace("demo-answerprobe:10099", f"127.0.0.1:{daemon.port}")
            process = await asyncio.create_subprocess_exec(
                sys.executable, "-c", script, "127.0.0.1", str(daemon.port), here
            )
            assert await process.wait() == 0

        assert url == "http://demo-answerprobe:10099/answers/-/ready"
