"""Words of agents and judges as a page shows them: only text, nothing in it hidden."""

import re
import unicodedata

from markupsafe import Markup, escape


# What has no picture of its own, or changes the order of what has: control, format and
# bidi characters, fillers, tags, variation selectors, lone surrogates. Line feed and
# tab stay, and so does what emoji are made of (U+FE0F, and U+200D within one).
_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5"
    "\u180b-\u180f\u200b\u200c\u200e\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164"
    "\ud800-\udfff\ufe00-\ufe0e\ufeff\uffa0\ufff0-\ufffb"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
    "|(?<![\u2600-\u27bf\ufe0f\U0001f000-\U0001faff])\u200d"
    "|\u200d(?![\u2600-\u27bf\U0001f000-\U0001faff])"
)
_RUN = re.compile(r"(.)\1*", re.DOTALL)
# Beyond so many a text is an attack on the page, and only told of.
_MOST_MARKS = 200
_DELETE = "\x7f"
_CONTROLS = (
    "NUL SOH STX ETX EOT ENQ ACK BEL BS HT LF VT FF CR SO SI "
    "DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC FS GS RS US"
)


def shown(text: str) -> Markup:
    """Return *text* as HTML that reads as *text* does, hidden characters marked."""
    parts: list[Markup] = []
    at = marks = 0
    for found in _HIDDEN.finditer(text):
        if found.start() < at:
            continue
        run = _RUN.match(text, found.start())
        end = run.end() if run else found.end()
        parts.append(escape(text[at : found.start()]))
        parts.append(_mark(found[0], end - found.start()))
        at = end
        marks += 1
        if marks == _MOST_MARKS:
            rest = _HIDDEN.sub("\ufffd", text[at:])
            return Markup("").join([*parts, escape(rest)])
    parts.append(escape(text[at:]))
    return Markup("").join(parts)


def plain(text: str) -> str:
    """Return *text* on one line for a title or an attribute, nothing hidden in it."""
    return " ".join(_HIDDEN.sub(lambda found: _sign(found[0]), text).split())


def _mark(char: str, count: int) -> Markup:
    """Return the mark for *count* times the hidden *char*."""
    times = f"\u00d7{count}" if count > 1 else ""
    name = unicodedata.name(char, "control character")
    return Markup('<span class="hidden-char" title="{}">{}{}</span>').format(
        f"U+{ord(char):04X} {name}", _sign(char), times
    )


def _sign(char: str) -> str:
    """Return what stands for the hidden *char*: `⟨ESC⟩`, or `⟨U+202E⟩`."""
    if char < " ":
        # Unicode's pictures of them are in few fonts.
        return f"⟨{_CONTROLS.split()[ord(char)]}⟩"
    return "⟨DEL⟩" if char == _DELETE else f"⟨U+{ord(char):04X}⟩"
