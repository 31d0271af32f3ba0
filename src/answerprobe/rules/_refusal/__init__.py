"""How much an answer reads like a refusal: a scored lexicon in many languages."""

from answerprobe.rules._refusal._scoring import Finding, lexicon, read, unknown
from answerprobe.rules._refusal._sentences import LONGEST_READ


__all__ = ["LONGEST_READ", "Finding", "lexicon", "read", "unknown"]
