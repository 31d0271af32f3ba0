"""What goes on beside the runs as long as the daemon does."""

import asyncio

from collections.abc import Callable, Coroutine, Iterable

import structlog


_log = structlog.get_logger()


class Chores:
    """Tasks that must not end by themselves; one that does is counted as a *fault*."""

    def __init__(self, fault: Callable[[], None]) -> None:
        self._fault = fault
        self._tasks: list[asyncio.Task[None]] = []

    @property
    def dead(self) -> bool:
        """Whether one has ended."""
        return any(task.done() for task in self._tasks)

    def start(self, jobs: Iterable[Coroutine[object, object, None]]) -> None:
        """Start *jobs*."""
        for job in jobs:
            task = asyncio.create_task(job)
            task.add_done_callback(self._report)
            self._tasks.append(task)

    def _report(self, task: asyncio.Task[None]) -> None:
        """Say that a task which must not end did, by a fault of ours."""
        if not task.cancelled() and (error := task.exception()):
            self._fault()
            _log.error("task.failed", exc_info=error)

    async def end(self) -> None:
        """End them all."""
        for task in self._tasks:
            task.remove_done_callback(self._report)
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._tasks = []
