"""Rows of text, one below the other."""

from collections.abc import Collection, Sequence


def columns(rows: Sequence[Sequence[str]], numbers: Collection[int] = ()) -> list[str]:
    """Return *rows* as lines whose cells stand below each other, *numbers* at right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell.rjust(width) if place in numbers else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def one_line(text: str) -> str:
    """Return *text* on one line, without anything that a terminal would act on."""
    return " ".join(
        "".join(char if char.isprintable() else " " for char in text).split()
    )
