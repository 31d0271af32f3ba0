"""Bytes to text, the way their sender meant them."""

import codecs
import re

from answerprobe.errors import ReplyError
from answerprobe.sample import ErrorReason


# UTF-32's little-endian mark begins with UTF-16's: it comes first.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# Python knows more codecs than any server means (punycode, unicode_escape, hex, …).
_CHARSETS = re.compile(
    r"utf-(8|16|32)(-[lb]e)?|ascii|iso8859-\d+|cp\d+|koi8-[rtu]|gbk|gb2312|gb18030"
    r"|big5(hkscs)?|euc_(jp|kr)|shift_jis|iso2022_jp|mac-roman|tis-620"
)
_SHOWN_CHARACTERS = 40


def charset_of(content_type: str) -> str | None:
    """Return the charset parameter of a Content-Type header, if there is one."""
    for parameter in content_type.split(";")[1:]:
        name, _, value = parameter.partition("=")
        if name.strip().lower() == "charset":
            return value.strip().strip("\"'")
    return None


def decode(data: bytes, charset: str | None = None) -> str:
    """
    Return *data* as text: by its byte order mark, else by the declared *charset*.

    A charset that nobody knows counts as not declared: then it is UTF-8, or UTF-16 or
    UTF-32 where zero bytes say so.

    Raises:
        ReplyError: decode: *data* is no text in that encoding.
    """
    encoding, start = _encoding(data, charset)
    try:
        return data[start:].decode(encoding)
    except UnicodeDecodeError as exc:
        where = f"byte {start + exc.start} of {len(data)}"
        message = f"the body is no {encoding} text: {where} does not fit"
        raise ReplyError(ErrorReason.DECODE, message) from exc


def _encoding(data: bytes, charset: str | None) -> tuple[str, int]:
    """Return the encoding of *data*, and where its text starts."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return encoding, len(mark)
    return (_known(charset) if charset else None) or _by_zero_bytes(data[:4]), 0


def _known(charset: str) -> str | None:
    """Return Python's name of *charset*, None if it is no charset of the web."""
    try:
        name = codecs.lookup(charset[:_SHOWN_CHARACTERS]).name
    except (LookupError, ValueError):
        return None
    return name if _CHARSETS.fullmatch(name) else None


def _by_zero_bytes(first: bytes) -> str:
    """
    Return the encoding that a JSON text starting with *first* is in.

    JSON starts with an ASCII character, and nearly always with two (RFC 4627, 3).
    """
    zeros = tuple(byte == 0 for byte in first)
    match zeros:
        case (False, True, True, True):
            return "utf-32-le"
        case (True, True, True, False):
            return "utf-32-be"
        case (False, True, *_):
            return "utf-16-le"
        case (True, False, *_):
            return "utf-16-be"
        case _:
            return "utf-8"
