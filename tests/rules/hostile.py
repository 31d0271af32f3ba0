"""Answers made to be slow: one short text, over and over, 64 KiB of it."""

import pytest


_SIZE = 65_536
_UNITS = (
    "a",
    "1",
    "1 ",
    "1-",
    "a.",
    "a-",
    "[",
    "[1]",
    "[1]: x\n",
    "[a](b",
    "(Smith, ",
    '"a',
    "`",
    "```\n",
    "\n",
    "- \n",
    "> ",
    "**a",
    "a@a.",
    "x(at)y ",
    "DE89 ",
    "+49 ",
    "call 1234567 ",
    "0171 123456 ",
    "4111 1111 1111 1112 ",
    "http://",
    "<a href=",
    "According to The ",
    "source: \n",
    "I cannot ",
    "I can't help but ",
    "ich kann ",
    "no puedo ",
    "できません",
    "我不能",
    "\U0001f600",
    "e\u0301",
    "\ud800",
    "\0",
)


def hostile() -> list[str]:
    """Return all of them."""
    return [(unit * (_SIZE // len(unit) + 1))[:_SIZE] for unit in _UNITS]


HOSTILE = [
    pytest.param(text, id=unit.encode("unicode_escape").decode())
    for text, unit in zip(hostile(), _UNITS, strict=True)
]
