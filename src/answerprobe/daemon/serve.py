"""A daemon from its start to its end, and the signals it obeys."""

import asyncio
import gc
import signal

from answerprobe.daemon._books import open_books, utc_now
from answerprobe.daemon.daemon import Daemon
from answerprobe.daemon.options import ServeOptions, load_config
from answerprobe.evidence import Store
from answerprobe.scheduler import Membership


class _Signals:
    """SIGTERM and SIGINT end the daemon, SIGHUP reloads it; from the start on."""

    def __init__(self) -> None:
        self.stopped = asyncio.Event()
        self._daemon: Daemon | None = None
        self._asked_to_reload = False
        self._reloads: set[asyncio.Task[None]] = set()
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self.stopped.set)
        loop.add_signal_handler(signal.SIGHUP, self._reload)

    def connect(self, daemon: Daemon) -> None:
        """Let *daemon* be what is reloaded, also by what came before it was there."""
        self._daemon = daemon
        if self._asked_to_reload:
            self._reload()

    def _reload(self) -> None:
        """Reload the daemon, or remember to."""
        if self._daemon is None:
            self._asked_to_reload = True
            return
        task = asyncio.create_task(self._daemon.try_reload())
        self._reloads.add(task)
        task.add_done_callback(self._reloads.discard)


async def serve(options: ServeOptions) -> None:
    """
    Run a daemon until SIGTERM or SIGINT; SIGHUP reloads.

    Raises:
        ConfigError: the configuration is refused.
        StoreError: the store cannot be used.
        ListenError: the address cannot be had.
    """
    signals = _Signals()
    config = load_config(options.config_file, options.secrets)
    store = await Store.open(options.storage_url, exclusive=True, clock=utc_now)
    membership = (
        Membership(store.cluster, address=str(options.listen))
        if store.cluster
        else None
    )
    try:
        daemon = Daemon(options, config, await open_books(store, membership))
        web_runner = await daemon.start()
    except BaseException:
        await store.close()
        raise
    # What was made so far stays: the collector need not look at it again and again.
    gc.freeze()
    signals.connect(daemon)
    await signals.stopped.wait()
    await daemon.stop(web_runner)
