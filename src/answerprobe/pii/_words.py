"""Lists of words as data."""


def words(text: str) -> frozenset[str]:
    """Return the words of *text*, which white space parts."""
    return frozenset(text.split())
