"""Where a number ends and a longer code would go on."""


def stands_alone(text: str, start: int, end: int) -> bool:
    """Whether no ASCII letter, digit, or sign of a longer code touches the number."""
    before, after = text[max(0, start - 1) : start], text[end : end + 1]
    if before and (is_code(before) or before in "_#*."):
        return False
    return not (after and (is_code(after) or after in "_*"))


def is_code(char: str) -> bool:
    """Whether *char* is an ASCII letter or digit; は after a number ends it."""
    return char.isascii() and char.isalnum()
