"""The daemon: everything put together, started and ended."""

import asyncio
import contextlib

from collections.abc import Coroutine, Sequence
from typing import Any

import structlog

from aiohttp import web

from answerprobe.config import ApiToken, Config
from answerprobe.daemon._books import Books
from answerprobe.daemon._chores import Chores
from answerprobe.daemon._current import CurrentConfig
from answerprobe.daemon._estimator import Estimator
from answerprobe.daemon._fleet import Fleet
from answerprobe.daemon._front import Front
from answerprobe.daemon._parts import make_parts
from answerprobe.daemon._upkeep import (
    LEDGER_SECONDS,
    SHARED_LEDGER_SECONDS,
    asleep_seconds,
    measure_loop_lag,
    measure_store,
    notice_forgotten,
    notice_sleep,
    prune_store,
    watch_config,
    write_ledger,
)
from answerprobe.daemon.listen import listen, told
from answerprobe.daemon.options import ServeOptions
from answerprobe.errors import StoreError
from answerprobe.evidence import History, UnfinishedRun
from answerprobe.run import RunState
from answerprobe.scheduler import Queued
from answerprobe.web import Door, Services, make_app


_log = structlog.get_logger()
# A caller who never ends its request must not hold up the daemon's end.
_GOODBYE_SECONDS = 1.0
# Others are to go on within ten seconds: a look and a claim come after it.
_HAND_OVER_SECONDS = 6.0


class Daemon:
    """A daemon that runs, from `start` to `stop`."""

    def __init__(self, options: ServeOptions, config: Config, books: Books) -> None:
        self._options = options
        self._front = Front(options.web_config_file)
        self._parts = make_parts(books, config.limits, options.scrub)
        self._current = CurrentConfig(
            config, options=options, parts=self._parts, front=self._front
        )
        self._chores = Chores(self._parts.telemetry.exporter.internal_error)
        self._ready = False

    @property
    def ready(self) -> bool:
        """Whether it has started and is not about to end."""
        return self._ready

    @property
    def healthy(self) -> bool:
        """Whether everything that must run in it runs."""
        return not self._chores.dead and not self._parts.scheduler.stalled

    @property
    def api_tokens(self) -> Sequence[ApiToken]:
        """The tokens of the present configuration."""
        return self._current.config.api_tokens

    @property
    def api_admins(self) -> frozenset[str] | None:
        """The web users who may change something; None: all of them."""
        return self._current.config.api_admins

    async def written_config(self, monitor: str | None = None) -> str:
        """Return the present configuration, or one *monitor* of it, as YAML."""
        return await self._current.written(monitor)

    async def reload(self) -> None:
        """Load the configuration again; see CurrentConfig.reload."""
        await self._current.reload()

    async def try_reload(self) -> None:
        """Reload where nobody waits for the answer: the log has it."""
        await self._current.try_reload()

    async def start(self) -> web.AppRunner:
        """
        Serve, take up what an earlier process left, and start to watch.

        Raises:
            ListenError: the address cannot be had.
            StoreError: the store failed.
        """
        parts, config = self._parts, self._current.config
        asyncio.get_running_loop().set_exception_handler(self._report_loop)
        web_runner = await self._serve()
        parts.telemetry.watch_slots(parts.slots)
        if parts.replica:
            # Not before it listens: in place of one that cannot any more.
            await parts.replica.membership.join()
        unfinished = await parts.books.store.interrupt_unfinished()
        await self._current.apply(config)
        await self._take_up(unfinished)
        self._chores.start(self._jobs())
        self._ready = True
        _log.info(
            "daemon.started",
            address=told(web_runner, self._options.listen),
            monitors=len(config.monitors),
            cases=sum(len(monitor.cases) for monitor in config.monitors),
        )
        return web_runner

    async def _take_up(self, unfinished: Sequence[UnfinishedRun]) -> None:
        """Queue again what an earlier process promised; tell of what it left."""
        await self._parts.scheduler.requeue(
            Queued(
                id=run.id,
                request=run.request,
                queued_at=run.queued_at,
                not_before=run.not_before,
            )
            for run in unfinished
            if run.state is RunState.QUEUED
        )
        for run in unfinished:
            if run.state is not RunState.QUEUED:
                _log.warning("run.interrupted", monitor=run.request.monitor, run=run.id)

    async def _serve(self) -> web.AppRunner:
        """Serve the web application, which says that it isn't ready yet."""
        options, parts = self._options, self._parts
        store = parts.books.store
        door = Door(
            on_loopback=options.listen.on_loopback,
            open_evidence=options.open_evidence,
            external_url=options.external_url,
            prefix=options.route_prefix,
            settings=self._front.settings,
        )
        services = Services(
            fleet=Fleet(parts.scheduler, parts.books.ledger),
            evidence=parts.journal,
            experiments=store.experiments,
            lifecycle=self,
            exposition=parts.telemetry.exposition,
            estimator=Estimator(
                config=lambda: self._current.config,
                ledger=parts.books.ledger,
                evidence=store,
            ),
            history=History(store, parts.journal.unwritten),
            judges=parts.judges,
        )
        app = make_app(
            services,
            door,
            count_internal_error=parts.telemetry.exporter.internal_error,
        )
        web_runner = web.AppRunner(
            app,
            access_log=None,
            handle_signals=False,
            shutdown_timeout=_GOODBYE_SECONDS,
        )
        await web_runner.setup()
        await listen(web_runner, options.listen, self._front.tls)
        return web_runner

    def _jobs(self) -> list[Coroutine[object, object, None]]:
        """Return what goes on beside the runs."""
        parts, store = self._parts, self._parts.books.store
        exporter, replica = parts.telemetry.exporter, parts.replica
        ledger_seconds = SHARED_LEDGER_SECONDS if replica else LEDGER_SECONDS
        jobs: list[Coroutine[object, object, None]] = [
            measure_loop_lag(exporter),
            measure_store(store, exporter),
            prune_store(store, self._current.retention, parts.duties),
            write_ledger(
                parts.books.ledger, parts.journal, every_seconds=ledger_seconds
            ),
            notice_forgotten(store, parts.scheduler.show_again),
            notice_sleep(asleep_seconds, parts.scheduler.wake),
            parts.calibrator.keep(),
        ]
        if self._options.web_config_file:
            jobs.append(self._front.watch(self._current))
        if replica:
            jobs.append(replica.follower(parts.scheduler).follow())
        if self._options.auto_reload:
            jobs.append(watch_config(self._options.config_file, self.try_reload))
        return jobs

    def _report_loop(
        self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]
    ) -> None:
        """Count what went wrong where nobody waits for it, such as in a timer."""
        self._parts.telemetry.exporter.internal_error()
        loop.default_exception_handler(context)

    @property
    def _grace_seconds(self) -> float:
        """How long runs may go on at the end; others wait for what this one has."""
        grace_seconds, replica = self._options.grace_seconds, self._parts.replica
        if replica and not replica.membership.alone:
            return min(grace_seconds, _HAND_OVER_SECONDS)
        return grace_seconds

    async def stop(self, web_runner: web.AppRunner) -> None:
        """Let runs end within the grace, write everything, and end."""
        self._ready = False
        parts = self._parts
        grace_seconds = self._grace_seconds
        _log.info("daemon.stopping", grace_seconds=grace_seconds)
        await parts.scheduler.drain(grace_seconds)
        await self._chores.end()
        if increments := parts.books.ledger.take_increments():
            await parts.journal.add_ledger(increments)
        await web_runner.cleanup()
        await parts.workshop.close()
        await parts.journal.close()
        if parts.replica:
            # Where the store is away, the others see it when the lease is over.
            with contextlib.suppress(StoreError):
                await parts.replica.membership.leave()
        await parts.books.store.close()
        _log.info("daemon.stopped")
