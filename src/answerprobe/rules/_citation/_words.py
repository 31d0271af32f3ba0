"""Lists of words as data."""


def words(text: str) -> frozenset[str]:
    """Return the words of *text*, which white space parts."""
    return frozenset(text.split())


def alternatives(text: str) -> str:
    """Return an RE2 group of the lines of *text*, each an alternative."""
    lines = (line.strip() for line in text.split("\n"))
    return "(?:" + "|".join(line for line in lines if line) + ")"
