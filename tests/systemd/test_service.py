"""The systemd unit: by systemd's own tools, and by running what it runs."""

import asyncio
import os
import re
import shutil
import signal
import subprocess
import sys

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
import pytest

from answerprobe.durations import parse
from e2e.program import eventually, free_port


FOLDER = Path(__file__).parents[2] / "deploy" / "systemd"
UNIT = FOLDER / "answerprobe.service"
UNIT_TEXT = UNIT.read_text("utf-8")
SYSUSERS = FOLDER / "answerprobe.sysusers"
DOCUMENT = Path(__file__).parents[2] / "docs" / "deploying.md"
PROGRAM = Path(sys.executable).with_name("answerprobe")
# As `systemd-analyze` of Debian 12 (252) counts: 0 is none, 10 is all.
EXPOSURE = "1.1"
OFFLINE = ("--offline=yes", "--no-pager")
CONFIG = """\
monitors:
  - name: shop
    endpoint: http://127.0.0.1:9/api/chat
    every: manual
    cases: [{ask: When do you open?, expect: [{contains: "9"}]}]
"""
# What MemoryDenyWriteExecute=, NoNewPrivileges= and CapabilityBoundingSet= forbid.
CONFINED = """\
import ctypes, os, sys
PR_SET_NO_NEW_PRIVS, PR_SET_MDWE, PR_MDWE_REFUSE_EXEC_GAIN = 38, 65, 1
libc = ctypes.CDLL(None, use_errno=True)
assert libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
assert libc.prctl(PR_SET_MDWE, PR_MDWE_REFUSE_EXEC_GAIN, 0, 0, 0) == 0
os.execv(sys.argv[1], sys.argv[1:])
"""


def settings() -> dict[str, str]:
    """Return the unit's settings; of one that is written twice, the last."""
    text = UNIT_TEXT.replace("\\\n", " ")
    return dict(re.findall(r"^(\w+)=(.*)$", text, re.MULTILINE))


def ran(program: str, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Run *program*, one of systemd's."""
    found = shutil.which(program)
    if found is None:
        pytest.skip(f"{program} is not installed; make test does that as root")
    return subprocess.run(  # noqa: S603  # a program of systemd's and files of ours
        [found, *arguments], capture_output=True, text=True, timeout=60, check=False
    )


class TestUnit:
    """What systemd says of it."""

    def test_systemd_understands_every_line(self, tmp_path: Path) -> None:
        """With the program that is installed here in place of /opt's."""
        unit = tmp_path / UNIT.name
        text = UNIT_TEXT.replace("/opt/answerprobe/bin/", f"{PROGRAM.parent}/")
        unit.write_text(text, "utf-8")

        done = ran("systemd-analyze", "verify", unit)

        assert (done.returncode, done.stderr) == (0, "")

    def test_exposure_is_low(self) -> None:
        """Below 1.5, where 10 is open."""
        done = ran("systemd-analyze", "security", *OFFLINE, "--threshold=15", UNIT)

        assert done.returncode == 0, done.stdout

    def test_exposure_is_what_the_document_says(self) -> None:
        """No line of it may be lost unseen."""
        if "systemd 252 " not in ran("systemd-analyze", "--version").stdout:
            pytest.skip("other versions of systemd count otherwise")

        done = ran("systemd-analyze", "security", *OFFLINE, UNIT)

        assert f"for answerprobe.service: {EXPOSURE} OK" in done.stdout
        assert f"**{EXPOSURE}**" in DOCUMENT.read_text("utf-8")

    def test_account_can_be_made(self) -> None:
        """The one that it runs as."""
        done = ran("systemd-sysusers", "--dry-run", SYSUSERS)

        assert done.returncode == 0, done.stderr
        assert (
            SYSUSERS.read_text("utf-8").splitlines()[-1].split()[1]
            == settings()["User"]
        )

    def test_is_not_killed_within_its_grace(self) -> None:
        """Systemd waits longer than the daemon does."""
        (grace,) = re.findall(r"--shutdown\.grace=(\S+)", settings()["ExecStart"])

        assert parse(settings()["TimeoutStopSec"]) > parse(grace)


class Service:
    """What ExecStart says, with folders of a test."""

    def __init__(self, folder: Path, port: int) -> None:
        self.config_file = folder / "etc" / "answerprobe.yml"
        self.store = folder / "var" / "answerprobe.db"
        self.port = port
        (folder / "etc" / "secrets").mkdir(parents=True)
        (folder / "var").mkdir()
        self.config_file.write_text(CONFIG, "utf-8")
        moved = {
            "/opt/answerprobe/bin/answerprobe": str(PROGRAM),
            "/etc/answerprobe": str(folder / "etc"),
            "/var/lib/answerprobe": str(folder / "var"),
            "127.0.0.1:10099": f"127.0.0.1:{port}",
        }
        command = settings()["ExecStart"]
        variables = " ".join(re.findall(r"^Environment=(.*)$", UNIT_TEXT, re.MULTILINE))
        for installed, here in moved.items():
            command = command.replace(installed, here)
            variables = variables.replace(installed, here)
        self.command = command.split()
        self.environment = dict(word.split("=", 1) for word in variables.split())

    @asynccontextmanager
    async def running(self) -> AsyncIterator[asyncio.subprocess.Process]:
        """Run it, as confined as a process can confine itself."""
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", CONFINED, *self.command), env=self.environment
        )
        try:
            await eventually(self.metrics, 30)
            yield process
        finally:
            if process.returncode is None:
                process.kill()
            await process.wait()

    async def metrics(self) -> str | None:
        """Return what it exports; None while it does not answer."""
        try:
            async with (
                aiohttp.ClientSession() as session,
                session.get(f"http://127.0.0.1:{self.port}/metrics") as response,
            ):
                return await response.text()
        except aiohttp.ClientError:
            return None

    async def reloaded(self) -> str | None:
        """Return what it exports once its second monitor is there."""
        text = await self.metrics()
        return text if text and 'monitor="second"' in text else None


@pytest.fixture(name="service")
def _service(tmp_path: Path) -> Service:
    """Return the service, not running."""
    return Service(tmp_path, free_port())


def confinable() -> bool:
    """Whether this kernel can forbid memory that is writable and executable (6.3)."""
    found = os.uname().release.split(".")
    return (int(found[0]), int(found[1])) >= (6, 3)


@pytest.mark.skipif(not confinable(), reason="PR_SET_MDWE needs Linux 6.3")
class TestService:
    """What it runs, under what systemd would forbid it."""

    async def test_starts_reloads_and_ends(self, service: Service) -> None:
        """ExecReload's SIGHUP is obeyed, SIGTERM ends it with 0."""
        async with service.running() as process:
            second = CONFIG.partition("\n")[2].replace("name: shop", "name: second")
            service.config_file.write_text(CONFIG + second, "utf-8")
            process.send_signal(signal.SIGHUP)
            await eventually(service.reloaded, 30)
            process.send_signal(signal.SIGTERM)

            assert await asyncio.wait_for(process.wait(), 30) == 0

    async def test_exports_its_own_process(self, service: Service) -> None:
        """These metrics need /proc/stat, so ProcSubset= is not `pid`."""
        async with service.running():
            text = await service.metrics() or ""

        assert "\nprocess_start_time_seconds " in text
        assert settings()["ProcSubset"] == "all"

    async def test_keeps_its_evidence_in_its_state_directory(
        self, service: Service
    ) -> None:
        """Where the unit's environment says."""
        async with service.running():
            assert service.store.exists()

        assert settings()["StateDirectory"] == "answerprobe"
