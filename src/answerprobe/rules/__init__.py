"""Rules: deterministic checks of a sample, a file for each rule or family."""

from answerprobe.rules._base import ParsedRule, Rule


__all__ = ["RULES", "ParsedRule", "Rule"]

# Name in the configuration -> class.
RULES: dict[str, type[ParsedRule]] = {}
