"""Work that ends in order when the program is told to end."""

import asyncio
import signal

from collections.abc import Coroutine
from typing import Any, TypeVar


_T = TypeVar("_T")


def carry_out(work: Coroutine[Any, Any, _T]) -> _T:
    """
    Return what *work* returns; SIGTERM cancels it, as Ctrl-C does.

    Raises:
        KeyboardInterrupt: it was told to end, and has.
    """
    # Not the task's own result: asyncio.run asks for the handler of SIGINT, twice, and
    # signal writes out its repr for that, the task's result and so every answer in it.
    results: list[_T] = []
    try:
        asyncio.run(_heeding(work, results))
    except asyncio.CancelledError as exc:
        raise KeyboardInterrupt from exc
    return results[0]


async def _heeding(work: Coroutine[Any, Any, _T], results: list[_T]) -> None:
    """Add what *work* returns to *results*; the first SIGTERM cancels it."""
    doing = asyncio.ensure_future(work)

    def end() -> None:
        # What is written down at the end is not cut short by a second one.
        if not doing.cancelling():
            doing.cancel()

    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, end)
    results.append(await doing)
