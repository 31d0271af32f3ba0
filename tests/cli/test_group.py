import asyncio
import importlib
import sys

import click
import pytest

from answerprobe import __version__
from answerprobe.cli._group import COMMANDS
from cli.calling import call
from cli.program import ANSWERPROBE


async def loaded_by(statement: str) -> set[str]:
    """Return the top-level modules that *statement* loads in a fresh Python."""
    code = f"import sys; {statement}; print(*{{m.split('.')[0] for m in sys.modules}})"
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", code, stdout=asyncio.subprocess.PIPE
    )
    stdout, _ = await process.communicate()
    assert process.returncode == 0
    return set(stdout.decode().split())


class TestHelp:
    def test_all_commands_are_listed(self) -> None:
        """In the order a newcomer needs them."""
        result = call("--help")

        assert result.exit_code == 0
        lines = result.stdout.partition("Commands:")[2].splitlines()
        assert [line.split()[0] for line in lines if line] == list(COMMANDS)

    @pytest.mark.parametrize("name", [name for name in COMMANDS if name != "demo"])
    def test_each_explains_itself(self, name: str) -> None:
        """What it does, every flag, and how it exits."""
        result = call(name, "-h")

        assert result.exit_code == 0
        assert "Exit status:" in result.stdout
        command = importlib.import_module(COMMANDS[name].module).command
        for param in command.params:
            if isinstance(param, click.Option):
                assert param.help, param.name

    def test_the_version_is_told(self) -> None:
        """As other programs do."""
        assert call("--version").stdout == f"answerprobe, version {__version__}\n"

    @pytest.mark.parametrize("args", [["nosuch"], ["--nosuch"], ["check", "--nosuch"]])
    def test_what_is_not_there_is_2(self, args: list[str]) -> None:
        """With a pointer to the help."""
        result = call(*args)

        assert result.exit_code == 2
        assert "nosuch" in result.stderr
        assert "--help" in result.stderr

    async def test_an_output_without_room_is_told_in_one_line(self) -> None:
        """As a full disk is, when the output goes into a file."""
        process = await asyncio.create_subprocess_exec(
            "sh",
            *("-c", 'exec "$@" >/dev/full', "sh"),
            *(ANSWERPROBE, "power", "--samples=3"),
            stderr=asyncio.subprocess.PIPE,
        )
        _, stderr = await process.communicate()

        assert process.returncode == 2
        said = stderr.decode()
        assert said == "the output cannot be written: no space left on device\n"


class TestWhatIsLoaded:
    async def test_the_list_of_commands_loads_none(self) -> None:
        """`--help` is there at once."""
        loaded = await loaded_by("import answerprobe.cli")

        assert loaded.isdisjoint({"yaml", "aiohttp", "sqlalchemy", "structlog"})

    async def test_check_loads_no_network_and_no_store(self) -> None:
        """It reads a file and prints."""
        loaded = await loaded_by("import answerprobe.cli.check")

        assert loaded.isdisjoint({"aiohttp", "sqlalchemy", "alembic", "openai"})

    @pytest.mark.parametrize("name", COMMANDS)
    async def test_the_slow_ones_wait_until_they_are_needed(self, name: str) -> None:
        """A judge's library takes a second, migrations half of one."""
        loaded = await loaded_by(f"import {COMMANDS[name].module}")

        assert loaded.isdisjoint({"openai", "pydantic", "asyncpg"})
