"""The daemon: everything put together, started, reloaded and ended."""

import asyncio
import contextlib
import random

from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import structlog

from aiohttp import web

from answerprobe import __version__
from answerprobe import config as configuration
from answerprobe.actions import LiveCaller
from answerprobe.config import ApiToken, Config
from answerprobe.daemon._board import MetricsBoard
from answerprobe.daemon._books import utc_now
from answerprobe.daemon._calibration import Calibrator
from answerprobe.daemon._estimator import Estimator
from answerprobe.daemon._fleet import Fleet
from answerprobe.daemon._front import Front
from answerprobe.daemon._judge_room import JudgeRoom
from answerprobe.daemon._replica import Replica, make_replica
from answerprobe.daemon._showcase import Showcase
from answerprobe.daemon._telemetry import Telemetry
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
from answerprobe.daemon._workshop import Workshop
from answerprobe.daemon.listen import ListenAddress, listen
from answerprobe.errors import ConfigError, StoreError
from answerprobe.evidence import History, Journal, Store
from answerprobe.ledger import Ledger
from answerprobe.monitor import Retention
from answerprobe.run import RunState
from answerprobe.runner import Executor, Runner, Slots
from answerprobe.scheduler import (
    Membership,
    Queued,
    Remembered,
    Scheduler,
    SoleDuties,
)
from answerprobe.secret import SecretSource
from answerprobe.web import Door, Services, make_app


_log = structlog.get_logger()
# A caller who never ends its request must not hold up the daemon's end.
_GOODBYE_SECONDS = 1.0
# Others are to go on within ten seconds: a look and a claim come after it.
_HAND_OVER_SECONDS = 6.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ServeOptions:
    """What the command line says."""

    config_file: Path
    auto_reload: bool
    storage_url: str
    secrets: SecretSource
    scrub: Callable[[str], str]
    grace_seconds: float
    listen: ListenAddress
    external_url: str
    open_evidence: bool
    route_prefix: str = ""
    web_config_file: Path | None = None


def load_config(path: Path, secrets: SecretSource) -> Config:
    """
    Return the configuration at *path*.

    Raises:
        ConfigError: it is refused, or breaks the lock beside it.
    """
    return configuration.load(path, secrets=secrets)


class Daemon:
    """A daemon that runs; made by `start`."""

    def __init__(
        self,
        options: ServeOptions,
        config: Config,
        *,
        store: Store,
        ledger: Ledger,
        last_run_id: int,
        membership: Membership | None = None,
    ) -> None:
        self._options = options
        self._config = config
        self._front = Front(options.web_config_file)
        self._store = store
        self._ledger = ledger
        self._clock = membership.now if membership else utc_now
        self._telemetry = Telemetry()
        self._journal = Journal(
            store,
            observer=self._telemetry.exporter,
            last_run_id=last_run_id,
            may_keep=(lambda: membership.alone) if membership else (lambda: True),
        )
        self._slots = Slots(
            in_flight=config.limits.in_flight,
            per_host=config.limits.per_host,
            monotonic=asyncio.get_running_loop().time,
        )
        self._replica = self._make_replica(membership)
        self._duties = self._replica.duties if self._replica else SoleDuties()
        self._calibrator = Calibrator(
            metrics=self._telemetry.judges,
            store=store,
            journal=self._journal,
            ledger=ledger,
            clock=self._clock,
            duties=self._duties,
        )
        self._judges = JudgeRoom(
            after=self._calibrator, calibrations=store, clock=self._clock
        )
        self._workshop = Workshop(observer=self._judges, scrub=options.scrub)
        board = MetricsBoard(
            monitors=self._telemetry.monitors,
            exporter=self._telemetry.exporter,
            ledger=ledger,
            answers=store,
        )
        self._runner = self._make_runner(board)
        self._scheduler = self._make_scheduler(board)
        self._fleet = Fleet(self._scheduler, ledger)
        self._showcase = Showcase(options.scrub)
        # One reload at a time: two would mix their configurations.
        self._reloading = asyncio.Lock()
        self._tasks: list[asyncio.Task[None]] = []
        self._ready = False
        self._config_good = True

    def _make_replica(self, membership: Membership | None) -> Replica | None:
        """Return what makes it one of several, where it has a *membership*."""
        if membership is None or self._store.cluster is None:
            return None
        return make_replica(
            self._store.cluster,
            membership,
            journal=self._journal,
            ledger=self._ledger,
            full=lambda: self._slots.full,
        )

    def _make_runner(self, board: MetricsBoard) -> Runner:
        """Return what carries out runs, and shows on *board* what they spend."""
        return Runner(
            slots=self._slots,
            per_monitor=self._config.limits.per_monitor,
            ledger=self._ledger,
            observer=board,
            scrub=self._options.scrub,
            clock=self._clock,
            monotonic=asyncio.get_running_loop().time,
            rng=random.Random(),  # noqa: S311  trace ids are no secrets
            caller=LiveCaller(version=__version__, scrub=self._options.scrub),
        )

    def _make_scheduler(self, board: MetricsBoard) -> Scheduler:
        """Return what starts runs, and shows on *board* how monitors are."""
        executor = Executor(
            runner=self._runner,
            journal=self._journal,
            ledger=self._ledger,
            clock=self._clock,
        )
        return Scheduler(
            executor=executor,
            journal=self._journal,
            board=board,
            ledger=self._ledger,
            clock=self._clock,
            claims=self._replica.claims if self._replica else None,
        )

    @property
    def ready(self) -> bool:
        """Whether it has started and is not about to end."""
        return self._ready

    @property
    def healthy(self) -> bool:
        """Whether everything that must run in it runs."""
        dead = any(task.done() for task in self._tasks)
        return not dead and not self._scheduler.stalled

    @property
    def api_tokens(self) -> Sequence[ApiToken]:
        """The tokens of the present configuration."""
        return self._config.api_tokens

    @property
    def api_admins(self) -> frozenset[str] | None:
        """The web users who may change something; None: all of them."""
        return self._config.api_admins

    async def written_config(self, monitor: str | None = None) -> str:
        """Return the present configuration, or one *monitor* of it, as YAML."""
        return await self._showcase.text(self._config.written, monitor)

    async def start(self) -> web.AppRunner:
        """
        Serve, take up what an earlier process left, and start to watch.

        Raises:
            ListenError: the address cannot be had.
            StoreError: the store failed.
        """
        asyncio.get_running_loop().set_exception_handler(self._report_loop)
        web_runner = await self._serve()
        self._telemetry.watch_slots(self._slots)
        if self._replica:
            # Not before it listens: in place of one that cannot any more.
            await self._replica.membership.join()
        unfinished = await self._store.interrupt_unfinished()
        await self._apply(self._config)
        await self._scheduler.requeue(
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
        self._keep_up()
        self._ready = True
        _log.info(
            "daemon.started",
            address=str(self._options.listen),
            monitors=len(self._config.monitors),
            cases=sum(len(monitor.cases) for monitor in self._config.monitors),
        )
        return web_runner

    async def _serve(self) -> web.AppRunner:
        """Serve the web application, which says that it isn't ready yet."""
        options = self._options
        door = Door(
            on_loopback=options.listen.on_loopback,
            open_evidence=options.open_evidence,
            external_url=options.external_url,
            prefix=options.route_prefix,
            settings=self._front.settings,
        )
        services = Services(
            fleet=self._fleet,
            evidence=self._journal,
            experiments=self._store.experiments,
            lifecycle=self,
            exposition=self._telemetry.exposition,
            estimator=Estimator(
                config=lambda: self._config, ledger=self._ledger, evidence=self._store
            ),
            history=History(self._store, self._journal.unwritten),
            judges=self._judges,
        )
        app = make_app(
            services,
            door,
            count_internal_error=self._telemetry.exporter.internal_error,
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

    def _keep_up(self) -> None:
        """Start what goes on beside the runs."""
        exporter = self._telemetry.exporter
        jobs: list[Coroutine[object, object, None]] = [
            measure_loop_lag(exporter),
            measure_store(self._store, exporter),
            prune_store(self._store, self._retention, self._duties),
            write_ledger(
                self._ledger,
                self._journal,
                every_seconds=SHARED_LEDGER_SECONDS
                if self._replica
                else LEDGER_SECONDS,
            ),
            notice_forgotten(self._store, self._scheduler.show_again),
            notice_sleep(asleep_seconds, self._scheduler.wake),
            self._calibrator.keep(),
        ]
        if self._options.web_config_file:
            jobs.append(self._front.watch(self))
        if self._replica:
            jobs.append(self._replica.follower(self._scheduler).follow())
        if self._options.auto_reload:
            jobs.append(watch_config(self._options.config_file, self.try_reload))
        self._tasks = [asyncio.create_task(job) for job in jobs]
        for task in self._tasks:
            task.add_done_callback(self._report_end)

    def _report_loop(
        self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]
    ) -> None:
        """Count what went wrong where nobody waits for it, such as in a timer."""
        self._telemetry.exporter.internal_error()
        loop.default_exception_handler(context)

    def _report_end(self, task: asyncio.Task[None]) -> None:
        """Say that a task which must not end did, by a fault of ours."""
        if not task.cancelled() and (error := task.exception()):
            self._telemetry.exporter.internal_error()
            _log.error("task.failed", exc_info=error)

    def _retention(self) -> dict[str, Retention]:
        """Return how long each monitor's texts are kept."""
        return {monitor.name: monitor.retention for monitor in self._config.monitors}

    async def _apply(self, config: Config) -> None:
        """Watch what *config* says."""
        self._telemetry.declare_judges(frozenset(config.judges))
        new = {m.name for m in config.monitors} - self._scheduler.watches.keys()
        known = await self._known() if new else {}
        self._slots.resize(
            in_flight=config.limits.in_flight, per_host=config.limits.per_host
        )
        self._runner.per_monitor = config.limits.per_monitor
        await self._scheduler.apply(
            self._workshop.equip(config),
            known,
            total_token_budget=config.token_budget,
        )
        await self._calibrator.apply(
            self._workshop.judges_of(config),
            at_once=config.limits.judge,
            total_token_budget=config.token_budget,
        )
        self._judges.apply(config)
        self._config = config
        self._show_accepted()

    def _show_accepted(self) -> None:
        """Show the configuration that is in force from now on."""
        self._config_good = True
        self._telemetry.exporter.config_accepted(
            utc_now(),
            sha256=self._config.sha256,
            external_url=self._options.external_url,
        )

    def _show_refused(self) -> None:
        """Show that the last configuration was refused."""
        self._config_good = False
        self._telemetry.exporter.config_refused()

    def web_config_read(self, *, good: bool) -> None:
        """Note whether the web configuration is one that can be obeyed."""
        if not good:
            self._telemetry.exporter.config_refused()
        elif self._config_good:
            self._show_accepted()

    async def _known(self) -> Mapping[str, Remembered]:
        """Return what the store knows of monitors."""
        stored = await self._store.load_monitors()
        ids = {state.status.last_run_id for state in stored.values()}
        runs = await self._store.summaries({i for i in ids if i is not None})
        return {
            name: Remembered(
                state=state, last_run=runs.get(state.status.last_run_id or 0)
            )
            for name, state in stored.items()
        }

    async def reload(self) -> None:
        """
        Load the configuration again and watch what it says.

        Raises:
            ConfigError: it is refused; the old one goes on.
            StoreError: it has monitors that the store cannot tell of now; likewise.
        """
        async with self._reloading:
            path = self._options.config_file
            try:
                await self._front.reload()
            except ConfigError:
                self._telemetry.exporter.config_refused()
                raise
            try:
                config = await asyncio.to_thread(
                    load_config, path, self._options.secrets
                )
            except ConfigError as exc:
                self._show_refused()
                for problem in exc.problems:
                    _log.error("config.refused", problem=str(problem))
                raise
            try:
                await self._apply(config)
            except StoreError as exc:
                # A monitor taken up without its past would overwrite it.
                self._show_refused()
                _log.error("config.refused", problem=f"the store failed: {exc}")
                raise
            _log.info("config.reloaded", monitors=len(config.monitors))

    async def try_reload(self) -> None:
        """Reload where nobody waits for the answer: the log has it."""
        try:
            await self.reload()
        except (ConfigError, StoreError):
            # It is logged, and shown by answerprobe_config_last_reload_successful.
            return

    @property
    def _grace_seconds(self) -> float:
        """How long runs may go on at the end; others wait for what this one has."""
        grace_seconds = self._options.grace_seconds
        if self._replica and not self._replica.membership.alone:
            return min(grace_seconds, _HAND_OVER_SECONDS)
        return grace_seconds

    async def stop(self, web_runner: web.AppRunner) -> None:
        """Let runs end within the grace, write everything, and end."""
        self._ready = False
        grace_seconds = self._grace_seconds
        _log.info("daemon.stopping", grace_seconds=grace_seconds)
        await self._scheduler.drain(grace_seconds)
        for task in self._tasks:
            task.remove_done_callback(self._report_end)
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._tasks = []
        if increments := self._ledger.take_increments():
            await self._journal.add_ledger(increments)
        await web_runner.cleanup()
        await self._workshop.close()
        await self._journal.close()
        if self._replica:
            # Where the store is away, the others see it when the lease is over.
            with contextlib.suppress(StoreError):
                await self._replica.membership.leave()
        await self._store.close()
        _log.info("daemon.stopped")
