"""The command line: a file for each command, loaded when it is called."""

from answerprobe.cli._group import main


__all__ = ["main"]
