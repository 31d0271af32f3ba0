"""What goes on around the daemon of a soak, each at its own pace."""

import socket
import sqlite3
import threading
import time
import urllib.error

from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

from soak.fleet import Fleet
from soak.program import Program


_LOCKED_SECONDS = 8.0
_CONNECTIONS = 500


class Trouble:
    """Makes trouble for *program* until it is told to stop."""

    def __init__(self, program: Program, fleet: Fleet, database: Path) -> None:
        self._program = program
        self._fleet = fleet
        self._database = database
        self._over = threading.Event()
        self.surprises: list[str] = []
        self._threads = [
            threading.Thread(target=self._again, args=(seconds, act), daemon=True)
            for seconds, act in (
                (20.0, self._reload),
                (30.0, self._ask_for_runs),
                (60.0, self._lock_the_store),
                (45.0, self._connect_and_say_nothing),
                (15.0, self._scrape_and_not_read),
                (5.0, self._read_the_api),
            )
        ]

    def start(self) -> None:
        """Begin."""
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """End, and leave a good configuration."""
        self._over.set()
        for thread in self._threads:
            thread.join(60)
        self._fleet.write()
        self._expect(self._program.post("/-/reload"), 200)

    def _again(self, seconds: float, act: Callable[[], None]) -> None:
        """Call *act* every *seconds*; what it did not expect is kept."""
        while not self._over.wait(seconds):
            try:
                act()
            except (OSError, urllib.error.URLError, AssertionError) as exc:
                self.surprises.append(f"{act.__name__}: {exc!r}")

    def _expect(self, status: int, *wanted: int) -> None:
        """Keep a *status* that is none of *wanted*."""
        if status not in wanted:
            self.surprises.append(f"status {status}, expected {wanted}")

    def _reload(self) -> None:
        """Reload ten times; one time in between the file is broken."""
        for number in range(10):
            if number == 5:
                self._fleet.break_it()
                self._expect(self._program.post("/-/reload"), 400, 500)
                continue
            self._fleet.write()
            # 503: a new monitor while the store is locked.
            self._expect(self._program.post("/-/reload"), 200, 500, 503)

    def _ask_for_runs(self) -> None:
        """Ask for a run of thirty monitors at once."""
        for number in range(30):
            self._expect(
                self._program.post(f"/v1/monitors/good-{number}/runs"), 202, 429
            )

    def _lock_the_store(self) -> None:
        """Keep the store's file locked for a while."""
        store = sqlite3.connect(self._database, timeout=5.0, isolation_level=None)
        try:
            store.execute("BEGIN EXCLUSIVE")
            time.sleep(_LOCKED_SECONDS)
            store.execute("ROLLBACK")
        except sqlite3.OperationalError:
            # It is busy: another time.
            return
        finally:
            store.close()

    def _connect_and_say_nothing(self) -> None:
        """Hold many connections open for a while."""
        sockets = [self._connect() for _ in range(_CONNECTIONS)]
        self._over.wait(5.0)
        for one in sockets:
            one.close()

    def _scrape_and_not_read(self) -> None:
        """Ask for the metrics and read nothing of them."""
        sockets = [self._connect() for _ in range(20)]
        for one in sockets:
            one.sendall(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n")
        self._over.wait(5.0)
        for one in sockets:
            one.close()

    def _read_the_api(self) -> None:
        """Look at what people look at."""
        for path in ("/v1/monitors", "/v1/runs?limit=20", "/-/healthy"):
            self._program.get(path)

    def _connect(self) -> socket.socket:
        """Return a connection to the daemon."""
        port = urlsplit(self._program.url).port
        return socket.create_connection(("127.0.0.1", port or 0), timeout=10.0)
