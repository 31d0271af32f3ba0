import importlib

from pathlib import Path

import click
import pytest

from answerprobe.cli._group import COMMANDS


ROOT = Path(__file__).parents[2]
DOCUMENT = ROOT / "docs" / "cli.md"


def flags(name: str) -> list[str]:
    """Return the long flags of the command *name*."""
    command = importlib.import_module(COMMANDS[name].module).command
    return [
        flag
        for param in command.params
        if isinstance(param, click.Option)
        for flag in param.opts
        if flag.startswith("--")
    ]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_and_flag_is_documented(name: str) -> None:
    """A heading for the command, and below it each of its flags."""
    _, found, section = DOCUMENT.read_text("utf-8").partition(f"\n## {name}\n")
    section = section.partition("\n## ")[0]

    assert found
    assert [flag for flag in flags(name) if f"`{flag}" not in section] == []


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_in_the_readme(name: str) -> None:
    """`serve` by its flags, the others in a list."""
    readme = (ROOT / "README.md").read_text("utf-8")

    assert f"`{name}`" in readme or f"`answerprobe {name}`" in readme
