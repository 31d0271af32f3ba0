"""Form tokens: what only a page of ours, shown to the same user, can send back."""

import hashlib
import hmac
import time

from collections.abc import Callable
from dataclasses import dataclass


# A page that stays open over a working day still works.
_LIFETIME_SECONDS = 24 * 3600


@dataclass(frozen=True, slots=True, kw_only=True)
class FormTokens:
    """Issues and recognises form tokens; *clock* gives seconds since 1970."""

    clock: Callable[[], float] = time.time

    def issue(self, user: str, key: bytes) -> str:
        """Return a token for *user*, made with the secret *key*."""
        issued = f"{int(self.clock()):x}"
        return f"{issued}.{_mark(issued, user, key)}"

    def holds(self, token: str, user: str, key: bytes) -> bool:
        """Whether *token* was issued to *user* with *key*, and not too long ago."""
        issued, _, mark = token.partition(".")
        if not hmac.compare_digest(
            mark.encode("utf-8", "replace"), _mark(issued, user, key).encode()
        ):
            return False
        # The mark is ours, so this is a number that we wrote.
        return -60 <= self.clock() - int(issued, 16) <= _LIFETIME_SECONDS


def _mark(issued: str, user: str, key: bytes) -> str:
    """Return what only who knows *key* can make of the time and *user*."""
    said = f"answerprobe form\0{issued}\0{user}".encode("utf-8", "replace")
    return hmac.new(key, said, hashlib.sha256).hexdigest()
