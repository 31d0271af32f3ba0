"""Web users: passwords compared with their bcrypt hashes, beside the event loop."""

import asyncio
import hashlib
import hmac
import secrets

from collections import OrderedDict
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor

import bcrypt

from answerprobe.errors import RequestError


# bcrypt looks at no more.
_LONGEST_PASSWORD_BYTES = 72
_REMEMBERED = 1024
# bcrypt is slow on purpose: this many comparisons wait, or run, at once.
_MOST_WAITING = 32
_THREADS = 2


class Users:
    """
    Who may come in with a password.

    What was compared once is remembered, by a keyed hash; what was right and what was
    wrong apart, so that guesses cannot push out those who know.
    """

    def __init__(self, hashes: Mapping[str, str] | None = None) -> None:
        self._hashes: Mapping[str, str] = dict(hashes or {})
        self._key = secrets.token_bytes(32)
        self._right: OrderedDict[bytes, None] = OrderedDict()
        self._wrong: OrderedDict[bytes, None] = OrderedDict()
        self._pending: dict[bytes, asyncio.Future[bool]] = {}
        self._pool = ThreadPoolExecutor(_THREADS, thread_name_prefix="bcrypt")

    def __bool__(self) -> bool:
        return bool(self._hashes)

    def replace(self, hashes: Mapping[str, str]) -> None:
        """Let in those of *hashes* from now on, and nobody else."""
        self._hashes = dict(hashes)

    def hash_of(self, name: str) -> bytes:
        """Return a secret that belongs to *name* and its password; empty: no user."""
        return self._hashes.get(name, "").encode()

    def recall(self, name: str, password: str) -> bool | None:
        """Return whether *password* was right before; None where nobody knows."""
        mark = self._mark(name, password)
        for known, answer in ((self._right, True), (self._wrong, False)):
            if mark in known:
                known.move_to_end(mark)
                return answer
        return None

    async def verify(self, name: str, password: str) -> bool:
        """
        Return whether *name* is a user and *password* is theirs.

        It takes as long for a name that is none.

        Raises:
            RequestError: too many others are being compared (429).
        """
        known = self.recall(name, password)
        if known is not None:
            return known
        mark = self._mark(name, password)
        # Who asks for the same at the same time waits for the same answer.
        future = self._pending.get(mark)
        if future is None:
            if len(self._pending) >= _MOST_WAITING:
                message = "too many passwords are being compared; try again"
                raise RequestError(429, message, retry_after_seconds=1)
            future = asyncio.ensure_future(self._compare(name, password, mark))
            self._pending[mark] = future
            future.add_done_callback(lambda _: self._pending.pop(mark, None))
        return await asyncio.shield(future)

    async def _compare(self, name: str, password: str, mark: bytes) -> bool:
        """Compare *password* in a thread, and remember what came of it."""
        stored = self._hashes.get(name) or self._stand_in(name)
        loop = asyncio.get_running_loop()
        same = await loop.run_in_executor(self._pool, _matches, password, stored)
        right = same and name in self._hashes
        known = self._right if right else self._wrong
        known[mark] = None
        if len(known) > _REMEMBERED:
            known.popitem(last=False)
        return right

    def _stand_in(self, name: str) -> str:
        """Return some user's hash, always the same for *name*, which is no user."""
        stored = sorted(self._hashes.values())
        number = int.from_bytes(self._mark(name, "")[:8], "big")
        return stored[number % len(stored)] if stored else ""

    def _mark(self, name: str, password: str) -> bytes:
        """Return what stands for *name*, *password* and the hash stored for it."""
        parts = (name, self._hashes.get(name, ""), password)
        said = b"\0".join(part.encode("utf-8", "surrogatepass") for part in parts)
        return hmac.new(self._key, said, hashlib.sha256).digest()


def _matches(password: str, stored: str) -> bool:
    """Whether *stored* is the bcrypt hash of *password*."""
    raw = password.encode("utf-8", "surrogatepass")[:_LONGEST_PASSWORD_BYTES]
    try:
        return bcrypt.checkpw(raw, stored.encode())
    except ValueError:  # a NUL in the password, or no user at all
        return False
