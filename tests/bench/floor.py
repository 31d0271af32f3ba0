"""
The least that 1,000 samples can cost: `python floor.py URL FOLDER`.

One loop, a fresh connection a sample, 50 at once, two checks, and what no prober can do
without: times from the socket, a counter, a histogram, a log line and a row in SQLite.
"""

import asyncio
import re
import sqlite3
import sys
import time

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import aiohttp
import structlog

from prometheus_client import CollectorRegistry, Counter, Histogram


CASES = 100
SAMPLES = 10
IN_FLIGHT = 50
_TABLE = "CREATE TABLE sample (at REAL, name TEXT, outcome TEXT, took REAL, text TEXT)"
_FORM = re.compile(r"SB-\d{4}\b")


@dataclass(slots=True)
class Books:
    """Where the floor writes down what it saw."""

    database: sqlite3.Connection
    outcomes: Counter
    durations: Histogram
    log: structlog.typing.FilteringBoundLogger

    def write(self, name: str, text: str, took_seconds: float) -> None:
        """Record one sample."""
        good = "30 days" in text and _FORM.search(text)
        outcome = "pass" if good else "fail"
        self.outcomes.labels(name, outcome).inc()
        self.durations.observe(took_seconds)
        self.log.info("sample.finished", case=name, outcome=outcome)
        row = (time.time(), name, outcome, took_seconds, text)
        self.database.execute("INSERT INTO sample VALUES (?, ?, ?, ?, ?)", row)


def open_books(folder: Path) -> Books:
    """Return empty books in *folder*."""
    database = sqlite3.connect(folder / "floor.db")
    database.execute("PRAGMA journal_mode = wal")
    database.execute(_TABLE)
    registry = CollectorRegistry()
    structlog.configure(
        processors=[
            structlog.processors.TimeStamper(fmt="iso"),
            structlog.processors.LogfmtRenderer(),
        ],
        logger_factory=structlog.WriteLoggerFactory(
            file=(folder / "floor.log").open("w", encoding="utf-8")
        ),
    )
    return Books(
        database=database,
        outcomes=Counter("samples", "…", ["name", "outcome"], registry=registry),
        durations=Histogram("seconds", "…", registry=registry),
        log=structlog.get_logger(),
    )


def stopwatch() -> aiohttp.TraceConfig:
    """Return what writes down when a question was sent and when its answer came."""

    async def sent(_session: object, context: SimpleNamespace, _: object) -> None:
        context.trace_request_ctx["sent"] = time.perf_counter()

    async def came(_session: object, context: SimpleNamespace, _: object) -> None:
        context.trace_request_ctx["came"] = time.perf_counter()

    trace = aiohttp.TraceConfig()
    trace.on_request_headers_sent.append(sent)
    trace.on_response_chunk_received.append(came)
    return trace


async def ask_all(url: str, books: Books) -> None:
    """Put every case to *url* so many times."""
    work = iter([f"case {number % CASES}" for number in range(CASES * SAMPLES)])
    connector = aiohttp.TCPConnector(limit=IN_FLIGHT, force_close=True)
    async with aiohttp.ClientSession(
        connector=connector, trace_configs=[stopwatch()]
    ) as session:

        async def ask_some(names: Iterator[str]) -> None:
            for name in names:
                times: dict[str, float] = {}
                body = {"message": f"{name}: how do I send something back?"}
                async with session.post(
                    url, json=body, trace_request_ctx=times
                ) as response:
                    text = (await response.json())["answer"]
                books.write(name, text, times["came"] - times["sent"])

        async with asyncio.TaskGroup() as group:
            for _ in range(IN_FLIGHT):
                group.create_task(ask_some(work))


def main() -> None:
    """Run the floor."""
    books = open_books(Path(sys.argv[2]))
    asyncio.run(ask_all(sys.argv[1], books))
    books.database.commit()
    books.database.close()


if __name__ == "__main__":
    main()
