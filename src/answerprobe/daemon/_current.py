"""The configuration in force: taken up at the start, and at every reload."""

import asyncio

from collections.abc import Mapping

import structlog

from answerprobe.config import Config
from answerprobe.daemon._books import utc_now
from answerprobe.daemon._front import Front
from answerprobe.daemon._parts import Parts
from answerprobe.daemon._showcase import Showcase
from answerprobe.daemon.options import ServeOptions, load_config
from answerprobe.errors import ConfigError, StoreError
from answerprobe.monitor import Retention
from answerprobe.scheduler import Remembered


_log = structlog.get_logger()


class CurrentConfig:
    """What the daemon does as, from the last file that was accepted."""

    def __init__(
        self, config: Config, *, options: ServeOptions, parts: Parts, front: Front
    ) -> None:
        self.config = config
        self._options = options
        self._parts = parts
        self._front = front
        self._exporter = parts.telemetry.exporter
        self._showcase = Showcase(options.scrub)
        self._good = True
        # One reload at a time: two would mix their configurations.
        self._reloading = asyncio.Lock()

    async def written(self, monitor: str | None = None) -> str:
        """Return the configuration, or one *monitor* of it, as YAML."""
        return await self._showcase.text(self.config.written, monitor)

    def retention(self) -> dict[str, Retention]:
        """Return how long each monitor's texts are kept."""
        return {monitor.name: monitor.retention for monitor in self.config.monitors}

    async def apply(self, config: Config) -> None:
        """
        Watch what *config* says.

        Raises:
            StoreError: it has monitors that the store cannot tell of now.
        """
        parts = self._parts
        parts.telemetry.declare_judges(frozenset(config.judges))
        new = {m.name for m in config.monitors} - parts.scheduler.watches.keys()
        known = await self._known() if new else {}
        parts.slots.resize(
            in_flight=config.limits.in_flight, per_host=config.limits.per_host
        )
        parts.runner.per_monitor = config.limits.per_monitor
        await parts.scheduler.apply(
            parts.workshop.equip(config),
            known,
            total_token_budget=config.token_budget,
        )
        await parts.calibrator.apply(
            parts.workshop.judges_of(config),
            at_once=config.limits.judge,
            total_token_budget=config.token_budget,
        )
        parts.judges.apply(config)
        self.config = config
        self._show_accepted()

    async def _known(self) -> Mapping[str, Remembered]:
        """Return what the store knows of monitors."""
        store = self._parts.books.store
        stored = await store.load_monitors()
        ids = {state.status.last_run_id for state in stored.values()}
        runs = await store.summaries({i for i in ids if i is not None})
        return {
            name: Remembered(
                state=state, last_run=runs.get(state.status.last_run_id or 0)
            )
            for name, state in stored.items()
        }

    def _show_accepted(self) -> None:
        """Show the configuration that is in force from now on."""
        self._good = True
        self._exporter.config_accepted(
            utc_now(),
            sha256=self.config.sha256,
            external_url=self._options.external_url,
        )

    def _show_refused(self) -> None:
        """Show that the last configuration was refused."""
        self._good = False
        self._exporter.config_refused()

    def web_config_read(self, *, good: bool) -> None:
        """Note whether the web configuration is one that can be obeyed."""
        if not good:
            self._exporter.config_refused()
        elif self._good:
            self._show_accepted()

    async def reload(self) -> None:
        """
        Load the configuration again and watch what it says.

        Raises:
            ConfigError: it is refused; the old one goes on.
            StoreError: it has monitors that the store cannot tell of now; likewise.
        """
        async with self._reloading:
            try:
                await self._front.reload()
            except ConfigError:
                self._exporter.config_refused()
                raise
            try:
                config = await asyncio.to_thread(
                    load_config, self._options.config_file, self._options.secrets
                )
            except ConfigError as exc:
                self._show_refused()
                for problem in exc.problems:
                    _log.error("config.refused", problem=str(problem))
                raise
            try:
                await self.apply(config)
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
