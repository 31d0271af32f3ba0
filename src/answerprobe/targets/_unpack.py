"""Content codings undone, piece by piece, in bounded memory."""

import zlib

from collections.abc import Iterator

from answerprobe.errors import ReplyError
from answerprobe.sample import ErrorReason


_PIECE_BYTES = 1 << 16
_GZIP_WINDOW = 16 + zlib.MAX_WBITS
_NONE = frozenset({"", "identity"})
_GZIP = frozenset({"gzip", "x-gzip"})
_ZLIB_HEADER_BYTES = 2


def unpacker(coding: str) -> "Unpacker | None":
    """
    Return what undoes the *coding* of a Content-Encoding header, None for no coding.

    Raises:
        ReplyError: decode: a coding that we did not ask for.
    """
    name = coding.strip().lower()
    if name in _NONE:
        return None
    if name in _GZIP or name == "deflate":
        return Unpacker(name)
    message = f"the body has content coding {name[:40]!r}, asked for were gzip, deflate"
    raise ReplyError(ErrorReason.DECODE, message)


class Unpacker:
    """Decompresses a body as it comes."""

    def __init__(self, coding: str) -> None:
        self._coding = coding
        self._pending = b""
        self._inflater: zlib._Decompress | None = None
        self._fed = False

    def feed(self, data: bytes) -> Iterator[bytes]:
        """
        Yield what *data* decompresses to, never more than 64 KiB at once.

        Raises:
            ReplyError: decode: *data* is not in the coding that the headers say.
        """
        self._fed = True
        data, self._pending = self._pending + data, b""
        while data:
            inflater = self._inflater or self._start(data)
            if inflater is None:
                self._pending = data
                return
            try:
                piece = inflater.decompress(data, _PIECE_BYTES)
            except zlib.error as exc:
                raise self._broken(f"is no {self._coding}") from exc
            if piece:
                yield piece
            data = inflater.unconsumed_tail
            if inflater.eof:
                data = self._next_member(inflater)

    def finish(self) -> None:
        """
        Make sure that nothing is missing.

        Raises:
            ReplyError: decode: the compressed data ends in the middle.
        """
        if self._fed and (self._pending or self._inflater is not None):
            raise self._broken(f"is {self._coding} cut in the middle")

    def _start(self, data: bytes) -> "zlib._Decompress | None":
        """Return a new inflater, None while too little came to know the format."""
        if self._coding in _GZIP:
            self._inflater = zlib.decompressobj(_GZIP_WINDOW)
        elif len(data) < _ZLIB_HEADER_BYTES:
            return None
        else:
            # "deflate" means zlib's format (RFC 9110), but servers send bare deflate.
            wrapped = data[0] & 0x0F == zlib.DEFLATED and (
                int.from_bytes(data[:_ZLIB_HEADER_BYTES]) % 31 == 0
            )
            window = zlib.MAX_WBITS if wrapped else -zlib.MAX_WBITS
            self._inflater = zlib.decompressobj(window)
        return self._inflater

    def _next_member(self, inflater: "zlib._Decompress") -> bytes:
        """Return what follows a finished stream: a gzip file may have several."""
        self._inflater = None
        rest = inflater.unused_data
        return rest if self._coding in _GZIP and rest.strip(b"\0") else b""

    def _broken(self, what: str) -> ReplyError:
        """Return the failure of a body that *what* says more of."""
        message = f"the headers say Content-Encoding: {self._coding}, the body {what}"
        return ReplyError(ErrorReason.DECODE, message)
