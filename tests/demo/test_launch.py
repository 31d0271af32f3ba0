"""How the demo finds its ports, moves its config and handles its children."""

import asyncio
import os
import socket
import sys

from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from answerprobe.demo.__main__ import AGENT_PORT, CONFIG_FILE
from answerprobe.demo.launch import DemoError, Serve, check_free, child, moved_config
from answerprobe.demo.llm import CONFIG_FILE as LLM_CONFIG_FILE
from answerprobe.demo.llm import LLM_PORT


@pytest.fixture
def taken() -> Iterator[int]:
    """Return a port that somebody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


class TestCheckFree:
    """Ports are looked at before anything starts."""

    def test_names_port_and_flag(self, taken: int) -> None:
        """A port in use is named, with the flag that chooses another."""
        expected = rf"^127\.0\.0\.1:{taken} is not free .*another port with --web\.port"

        with pytest.raises(DemoError, match=expected):
            check_free(taken, "--web.port")

    def test_free_port_is_fine(self) -> None:
        """Nothing happens to a port nobody listens on."""
        with socket.create_server(("127.0.0.1", 0)) as server:
            port = server.getsockname()[1]

        check_free(port, "--web.port")


class TestMovedConfig:
    """The shipped configs follow the agent to another port."""

    @pytest.mark.parametrize(
        ("shipped", "port"),
        [
            pytest.param(CONFIG_FILE, AGENT_PORT, id="agent"),
            pytest.param(LLM_CONFIG_FILE, LLM_PORT, id="language model"),
        ],
    )
    def test_every_address_moves(
        self, shipped: Path, port: int, tmp_path: Path
    ) -> None:
        """No address in the copy has the default port, and all else is the same."""
        copy = moved_config(shipped, tmp_path, port, 4711).read_text(encoding="utf-8")

        assert f":{port}" not in copy
        assert copy.replace(":4711", f":{port}") == shipped.read_text(encoding="utf-8")

    def test_is_still_yaml(self, tmp_path: Path) -> None:
        """The demo's three monitors are in the copy."""
        copy = moved_config(CONFIG_FILE, tmp_path, AGENT_PORT, 4711)

        monitors = yaml.safe_load(copy.read_text(encoding="utf-8"))["monitors"]
        assert [monitor["name"] for monitor in monitors] == [
            "Shop chat",
            "Shop assistant",
            "Shop assistant, streamed",
            "Shop desk",
        ]


class TestServe:
    """The daemon's command line."""

    def test_flags(self, tmp_path: Path) -> None:
        """Config, address and storage are what was asked for."""
        serve = Serve(
            config_file=tmp_path / "a.yml", port=4711, storage_file=tmp_path / "a.db"
        )

        assert serve.command()[3:] == [
            "serve",
            f"--config.file={tmp_path}/a.yml",
            "--web.listen-address=127.0.0.1:4711",
            f"--storage.url=sqlite:///{tmp_path}/a.db",
        ]


class TestChild:
    """A process that lives as long as a block."""

    async def test_is_terminated_at_the_end(self) -> None:
        """Leaving the block ends a process that would wait for ever."""
        forever = [sys.executable, "-c", "import signal; signal.pause()"]

        async with child(forever, os.environ) as process:
            assert process.returncode is None

        assert process.returncode == -15

    async def test_may_have_ended_before(self) -> None:
        """A process that ended by itself keeps its status."""
        command = [sys.executable, "-c", "raise SystemExit(3)"]

        async with child(command, os.environ) as process:
            await process.wait()

        assert process.returncode == 3

    async def test_gets_the_environment(self) -> None:
        """The process sees what it is given, and nothing else."""
        command = [sys.executable, "-c", "import os; print(os.environ['WHO'])"]

        async with child(
            command, {"WHO": "me"}, stdout=asyncio.subprocess.PIPE
        ) as process:
            output, _ = await process.communicate()

        assert output == b"me\n"
