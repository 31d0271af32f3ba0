"""Where an answer says whence it has what it says."""

from answerprobe.rules._citation._finder import Citation, CitationKind, find
from answerprobe.rules._citation._named import named_patterns
from answerprobe.rules._citation._text import LONGEST_READ


__all__ = ["LONGEST_READ", "Citation", "CitationKind", "find", "named_patterns"]
