"""The configuration on show: written in a thread, once for each that is loaded."""

import asyncio

from collections.abc import Callable

from answerprobe.config import Written


class Showcase:
    """Shows configurations without their secrets; remembers the last whole one."""

    def __init__(self, scrub: Callable[[str], str]) -> None:
        self._scrub = scrub
        self._whole: tuple[Written, str] | None = None
        # One at a time: a big configuration takes seconds of a thread.
        self._writing = asyncio.Lock()

    async def text(self, written: Written, monitor: str | None = None) -> str:
        """Return *written*, or one *monitor* of it, as YAML."""
        async with self._writing:
            if monitor is not None:
                return await asyncio.to_thread(written.as_yaml, self._scrub, monitor)
            if self._whole is None or self._whole[0] is not written:
                text = await asyncio.to_thread(written.as_yaml, self._scrub)
                self._whole = (written, text)
            return self._whole[1]
