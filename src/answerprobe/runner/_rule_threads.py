"""Rules that may take their time: in threads of our own, within a deadline."""

import asyncio
import threading

from collections.abc import Callable
from concurrent.futures import Future
from queue import SimpleQueue


RULE_SECONDS = 10.0
_AT_ONCE = 4
_MOST_LEFT = 4


class RuleThreads:
    """
    Runs work in threads, a few at once, and leaves what overruns its deadline.

    Python cannot end a thread. One that was left goes on until it ends by itself; while
    *most_left* of them do, nothing more is started.
    """

    def __init__(
        self,
        *,
        deadline_seconds: float = RULE_SECONDS,
        at_once: int = _AT_ONCE,
        most_left: int = _MOST_LEFT,
    ) -> None:
        self.deadline_seconds = deadline_seconds
        # Bounds the threads that somebody waits for; those left are counted apart.
        self._places = asyncio.Semaphore(at_once)
        self._most_left = most_left
        self._left = 0
        self._idle: list[_Worker] = []

    async def run(self, work: Callable[[], None]) -> bool:
        """
        Return whether *work* ended within the deadline, counted from its start.

        What it raises is raised here.
        """
        async with self._places:
            if self._left >= self._most_left:
                return False
            worker = self._idle.pop() if self._idle else _Worker()
            ended = asyncio.wrap_future(worker.start(work))
            try:
                await asyncio.wait({ended}, timeout=self.deadline_seconds)
            finally:
                if ended.done():
                    self._idle.append(worker)
                else:
                    self._leave(worker, ended)
            if not ended.done():
                return False
            ended.result()
            return True

    def _leave(self, worker: "_Worker", ended: asyncio.Future[None]) -> None:
        """Wait no more for *worker*, but have it back once it is done."""

        def returned(_: asyncio.Future[None]) -> None:
            self._left -= 1
            self._idle.append(worker)
            # However that went, nobody wants to know any more.
            if not ended.cancelled():
                ended.exception()

        self._left += 1
        ended.add_done_callback(returned)


class _Worker:
    """
    A thread that does one piece of work after the other.

    It is a daemon, unlike those of an executor: work that never ends does not keep the
    program from ending.
    """

    def __init__(self) -> None:
        self._todo: SimpleQueue[tuple[Callable[[], None], Future[None]]] = SimpleQueue()
        threading.Thread(target=self._go_on, name="rules", daemon=True).start()

    def start(self, work: Callable[[], None]) -> Future[None]:
        """Start *work* and return what it comes to."""
        future: Future[None] = Future()
        self._todo.put((work, future))
        return future

    def _go_on(self) -> None:
        """Work for as long as the program runs."""
        while True:
            _carry_out(*self._todo.get())


def _carry_out(work: Callable[[], None], future: Future[None]) -> None:
    """Do *work*; *future* has what it raises, as with an executor."""
    try:
        work()
    except BaseException as exc:  # noqa: BLE001  it goes to who waits
        future.set_exception(exc)
    else:
        future.set_result(None)
