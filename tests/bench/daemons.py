"""What the daemon costs: to start, to wait, to be scraped, to keep time."""

import gzip
import os
import statistics
import time

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from prometheus_client import CollectorRegistry, Gauge, generate_latest

from bench.configs import config, write
from bench.process import (
    ANSWERPROBE,
    agent,
    cpu_seconds,
    fetch,
    free_port,
    memory_megabytes,
    sent,
    started,
    waited_seconds,
)
from bench.table import Row


_SCRAPES = 200
_IDLE_SECONDS = 60
_LOAD_SECONDS = 10
_PROMPT = "answerprobe_schedule_lag_seconds_bucket"


@dataclass(frozen=True, slots=True, kw_only=True)
class Daemon:
    """A daemon that is ready."""

    pid: int
    base: str
    start_cpu_seconds: float

    def metrics(self) -> str:
        """Return a scrape."""
        return fetch(f"{self.base}/metrics")

    def await_first_runs(self, monitors: int) -> None:
        """Return once every monitor has a status, and its writing is done."""
        while self.metrics().count("\nanswerprobe_up{") < monitors:
            time.sleep(1)
        time.sleep(3)


@contextmanager
def daemon(folder: Path, made: Mapping[str, object]) -> Iterator[Daemon]:
    """Run a daemon of this config on a new store while the block runs."""
    port = free_port()
    for old in folder.glob("serve.db*"):
        old.unlink()
    command = [
        *(ANSWERPROBE, "serve", f"--config.file={write(folder, made)}"),
        f"--web.listen-address=127.0.0.1:{port}",
        f"--storage.url=sqlite:///{folder / 'serve.db'}",
        "--log.level=error",
    ]
    base = f"http://127.0.0.1:{port}"
    with started(command, f"{base}/-/ready") as pid:
        yield Daemon(pid=pid, base=base, start_cpu_seconds=cpu_seconds(pid))


def start(folder: Path, rounds: int) -> list[Row]:
    """From start to ready: CPU, since wall time is what others leave us."""
    took = []
    for _ in range(rounds):
        made = config("http://127.0.0.1:9/", monitors=1, cases=3)
        with daemon(folder, made) as ready:
            took.append(ready.start_cpu_seconds)
    return [Row("start to ready, CPU", statistics.median(took), "s", 1.5)]


def scrape(folder: Path, rounds: int) -> list[Row]:
    """Scrapes of 10,000 cases, quiet beside the plain client, and while probing."""
    with (
        agent(0) as url,
        daemon(folder, config(url, monitors=100, cases=100)) as probing,
    ):
        probing.await_first_runs(100)
        series = sum(line[:1] != "#" for line in probing.metrics().splitlines())
        before = cpu_seconds(probing.pid)
        for _ in range(_SCRAPES):
            probing.metrics()
        ours = (cpu_seconds(probing.pid) - before) / _SCRAPES
        slowest = min(_slowest(probing) for _ in range(rounds))
        memory = memory_megabytes(probing.pid)
    plain = _plain_client_seconds(series)
    what = f"scrape of {series:,} series, CPU"
    return [
        Row(what, ours * 1000, "ms", 1 / 50, plain * 1000),
        Row("the same while probing, p99", slowest * 1000, "ms", 10),
        Row("10,000 cases, memory", memory, "MB", 500),
    ]


def _slowest(probing: Daemon) -> float:
    """
    Return the p99 of scrapes while one monitor after the other runs.

    Without what daemon and scraper waited for a core: that is the machine's.
    """
    took = []
    for number in range(_SCRAPES):
        if number % 10 == 0:
            name = quote(f"monitor {number // 10}")
            fetch(f"{probing.base}/v1/monitors/{name}/runs", b"{}")
        waited, began = _waited(probing), time.perf_counter()
        sent(f"{probing.base}/metrics")
        spent = time.perf_counter() - began
        took.append(max(0.0, spent - (_waited(probing) - waited)))
        time.sleep(0.05)
    return statistics.quantiles(took, n=100)[-1]


def _waited(probing: Daemon) -> float:
    """Return how long the daemon and we have waited for a core."""
    return waited_seconds(probing.pid) + waited_seconds(os.getpid())


def _plain_client_seconds(series: int) -> float:
    """Return the CPU seconds of one exposition of as many gauges."""
    registry = CollectorRegistry()
    gauge = Gauge("bench", "…", ["monitor", "case"], registry=registry)
    for number in range(series):
        gauge.labels(f"monitor {number // 100}", f"case-{number % 100}").set(number)
    began = time.process_time()
    for _ in range(3):
        gzip.compress(generate_latest(registry))
    return (time.process_time() - began) / 3


def idle(folder: Path, _rounds: int) -> list[Row]:
    """1,000 monitors that wait."""
    with (
        agent(0) as url,
        daemon(folder, config(url, monitors=1000, cases=1)) as waiting,
    ):
        waiting.await_first_runs(1000)
        before, began = cpu_seconds(waiting.pid), time.monotonic()
        time.sleep(_IDLE_SECONDS)
        spent = cpu_seconds(waiting.pid) - before
        share = spent / (time.monotonic() - began) * 100
        memory = memory_megabytes(waiting.pid)
    return [
        Row("1,000 idle monitors, of a core", share, "%", 1),
        Row("1,000 idle monitors, memory", memory, "MB", 150),
    ]


def lag(folder: Path, rounds: int) -> list[Row]:
    """How late runs begin at 100 samples a second, when others leave us a core."""
    with agent(200) as url:
        made = config(url, monitors=500, cases=1, every="5s", in_flight=500)
        with daemon(folder, made) as busy:
            busy.await_first_runs(500)
            windows = [_window(busy) for _ in range(rounds)]
    p99, cpu = min(windows)
    return [
        Row("100 samples a second, lag p99 at most", p99 * 1000, "ms", 100),
        Row("the same, CPU a sample", cpu * 1000, "ms", 10),
    ]


def _window(busy: Daemon) -> tuple[float, float]:
    """Return the bucket of the lag's p99 and CPU a run, in seconds, of a while."""
    before, cpu = _late(busy.metrics()), cpu_seconds(busy.pid)
    time.sleep(_LOAD_SECONDS)
    after, cpu = _late(busy.metrics()), cpu_seconds(busy.pid) - cpu
    seen = {bound: count - before.get(bound, 0.0) for bound, count in after.items()}
    runs = max(seen.values())
    p99 = min(bound for bound, count in seen.items() if count >= 0.99 * runs)
    return p99, cpu / runs


def _late(metrics: str) -> dict[float, float]:
    """Return how many runs were at most so late, by seconds."""
    counts: dict[float, float] = {}
    for line in metrics.splitlines():
        if line.startswith(_PROMPT):
            name, _, value = line.rpartition(" ")
            bound = float(name.partition('le="')[2].partition('"')[0])
            counts[bound] = counts.get(bound, 0.0) + float(value)
    return counts
