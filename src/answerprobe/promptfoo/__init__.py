"""Configurations of promptfoo read as configurations of answerprobe."""

from answerprobe.promptfoo._convert import Imported, import_promptfoo
from answerprobe.promptfoo._source import Note


__all__ = ["Imported", "Note", "import_promptfoo"]
