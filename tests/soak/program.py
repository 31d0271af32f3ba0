"""The daemon of a soak: its process, what it exports, what its API says."""

import json
import subprocess
import urllib.error
import urllib.request

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from prometheus_client.parser import text_string_to_metric_families


_TIMEOUT_SECONDS = 30.0


class Series(NamedTuple):
    """One sample of a scrape."""

    name: str
    labels: dict[str, str]
    value: float


class Scrape:
    """What /metrics said at one time."""

    def __init__(self, text: str) -> None:
        self.series = [
            Series(sample.name, sample.labels, sample.value)
            for family in text_string_to_metric_families(text)
            for sample in family.samples
        ]

    def total(self, name: str, **labels: str) -> float:
        """Return the sum of the series of *name* with these *labels*."""
        return sum(
            series.value
            for series in self.series
            if series.name == name and labels.items() <= series.labels.items()
        )

    def by_monitor(self, name: str, **labels: str) -> dict[str, float]:
        """Return *name* of each monitor, added up."""
        sums: dict[str, float] = {}
        for series in self.series:
            if series.name == name and labels.items() <= series.labels.items():
                monitor = series.labels["monitor"]
                sums[monitor] = sums.get(monitor, 0.0) + series.value
        return sums

    def buckets(self, name: str) -> dict[float, float]:
        """Return the cumulative buckets of the histogram *name*."""
        return {
            float(series.labels["le"]): series.value
            for series in self.series
            if series.name == f"{name}_bucket"
        }


class Program:
    """A running `answerprobe serve`, seen from outside."""

    def __init__(self, process: subprocess.Popen[bytes], url: str) -> None:
        self.process = process
        self.url = url

    def get(self, path: str) -> str:
        """Return the text at *path*."""
        with urllib.request.urlopen(  # noqa: S310  ours
            self.url + path, timeout=_TIMEOUT_SECONDS
        ) as response:
            text: str = response.read().decode()
            return text

    def post(self, path: str) -> int:
        """POST nothing to *path*; return the status."""
        request = urllib.request.Request(self.url + path, method="POST", data=b"")  # noqa: S310  ours
        try:
            with urllib.request.urlopen(request, timeout=_TIMEOUT_SECONDS) as response:  # noqa: S310
                response.read()
                status: int = response.status
                return status
        except urllib.error.HTTPError as exc:
            exc.close()
            return exc.code

    def scrape(self) -> Scrape:
        """Scrape it."""
        return Scrape(self.get("/metrics"))

    def runs(self) -> Iterator[dict[str, object]]:
        """Return every run that its API lists, newest first."""
        path = "/v1/runs?limit=100"
        while path:
            page = json.loads(self.get(path))
            yield from page["runs"]
            path = f"/v1/runs?limit=100&before={page['next']}" if page["next"] else ""

    def resident_bytes(self) -> int:
        """Return how much memory it holds."""
        lines = self._proc("status").read_text(encoding="ascii").splitlines()
        (resident,) = (line for line in lines if line.startswith("VmRSS:"))
        return int(resident.split()[1]) * 1024

    def descriptors(self) -> int:
        """Return how many file descriptors it has open."""
        return len(list(self._proc("fd").iterdir()))

    def _proc(self, name: str) -> Path:
        """Return what Linux says of it under *name*."""
        return Path("/proc") / str(self.process.pid) / name


@contextmanager
def running(command: list[str], log_file: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Run *command* while the block runs; its output goes to *log_file*."""
    with (
        log_file.open("ab") as log,
        subprocess.Popen(command, stdout=log, stderr=log) as process,  # noqa: S603  ours
    ):
        try:
            yield process
        finally:
            process.terminate()
            try:
                process.wait(40)
            except subprocess.TimeoutExpired:
                process.kill()
