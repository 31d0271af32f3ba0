"""The lock of accepted cases: what was accepted stays as it was, or says why not."""

from answerprobe.lock._file import LOCK_NAME, change, lock_of, read
from answerprobe.lock._lock import Entry, Key, Lock, Standing


__all__ = ["LOCK_NAME", "Entry", "Key", "Lock", "Standing", "change", "lock_of", "read"]
