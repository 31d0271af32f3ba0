"""
What answerprobe costs beside the least that such a program can cost.

`make bench` prints a table of ratios, all measured in one go: absolute times belong to
the machine of the day. `make bench ARGS="--only cost --rounds 1"` runs a part.
"""

import gzip
import json
import resource
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import click
import yaml

from prometheus_client import CollectorRegistry, Gauge, generate_latest


HERE = Path(__file__).parent
PYTHON = sys.executable
ANSWERPROBE = str(Path(PYTHON).with_name("answerprobe"))
CASES, SAMPLES, IN_FLIGHT = 100, 10, 50
SLOW_MILLISECONDS = 200
EXPECT = [{"contains": "30 days"}, {"regex": r"SB-\d{4}\b"}]
_BARE_LOAD = "import sys, yaml; yaml.load(open(sys.argv[1]), yaml.CSafeLoader)"


class Spelled(yaml.CSafeDumper):
    """Writes everything in full, as people do: no anchors for what occurs twice."""

    def ignore_aliases(self, _data: object) -> bool:
        """Return that nothing shall be an alias."""
        return True


class Row(NamedTuple):
    """One line of the table: what is measured, of us and of the least, and a bar."""

    what: str
    ours: float
    least: float
    unit: str
    bar: float


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
        return port


def cpu_seconds(command: list[str]) -> tuple[float, str]:
    """Run *command*; return the CPU seconds it took, start included, and its output."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603  # ours
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        raise SystemExit(f"{command[:2]} ended with {done.returncode}: {done.stderr}")
    user = after.ru_utime - before.ru_utime
    return user + after.ru_stime - before.ru_stime, done.stdout


@contextmanager
def started(command: list[str], ready: str) -> Iterator[subprocess.Popen[bytes]]:
    """Run *command* while the block runs, once *ready* is answered at all."""
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as process:  # noqa: S603  # ours
        try:
            while not answers(ready):
                if process.poll() is not None:
                    raise SystemExit(f"{command[:2]} ended with {process.returncode}")
                time.sleep(0.05)
            yield process
        finally:
            process.terminate()


def answers(url: str) -> bool:
    """Say whether something at *url* answers, and not that it is not ready."""
    try:
        with urllib.request.urlopen(url, timeout=10):  # noqa: S310  # ours
            return True
    except urllib.error.HTTPError as exc:
        return exc.code < 500
    except OSError:
        return False


@contextmanager
def agent(delay_milliseconds: int) -> Iterator[str]:
    """Run the agent; give its URL."""
    port = free_port()
    url = f"http://127.0.0.1:{port}/api/chat"
    command = [PYTHON, str(HERE / "agent.py"), str(port), str(delay_milliseconds)]
    with started(command, url):
        yield url


def config(url: str, monitors: int, cases: int, samples: int) -> dict[str, object]:
    """Return a config of so many monitors with so many cases each."""
    limits = {"in_flight": IN_FLIGHT, "per_monitor": IN_FLIGHT, "per_host": IN_FLIGHT}
    made = [
        {
            "name": f"monitor {m}",
            "type": "agent",
            "endpoint": url,
            "every": "1d",
            "samples": samples,
            "pass_at_least": samples,
            "cases": [
                {"id": f"case-{c}", "ask": f"{c}: how to return?", "expect": EXPECT}
                for c in range(cases)
            ],
        }
        for m in range(monitors)
    ]
    return {"limits": limits, "monitors": made}


def write(folder: Path, made: Mapping[str, object]) -> str:
    """Write *made* as YAML; return the file."""
    file = folder / "answerprobe.yml"
    file.write_text(yaml.dump(made, Dumper=Spelled), encoding="utf-8")
    return str(file)


def run_once(folder: Path, url: str) -> tuple[float, list[float]]:
    """Return CPU seconds and reported durations of `answerprobe run`."""
    file = write(folder, config(url, 1, CASES, SAMPLES))
    for old in folder.glob("run.db*"):
        old.unlink()
    storage = f"--storage.url=sqlite:///{folder / 'run.db'}"
    command = [ANSWERPROBE, "run", file, "--format", "json", storage]
    cpu, output = cpu_seconds(command)
    (run,) = json.loads(output)["runs"]
    return cpu, [sample["duration_seconds"] for sample in run["samples"]]


def cost(folder: Path, rounds: int) -> list[Row]:
    """1,000 samples, CPU of the whole process."""
    ours, least = [], []
    with agent(0) as url:
        for number in range(rounds):
            own = folder / f"round{number}"
            own.mkdir()
            least.append(
                cpu_seconds([PYTHON, str(HERE / "floor.py"), url, str(own)])[0]
            )
            ours.append(run_once(own, url)[0])
    middle = statistics.median
    return [Row("1,000 samples, CPU", middle(ours), middle(least), "s", 2.5)]


def latency(folder: Path, _rounds: int) -> list[Row]:
    """The median duration we report of an agent whose duration is known."""
    with agent(SLOW_MILLISECONDS) as url:
        _, durations = run_once(folder, url)
    reported = statistics.median(durations) * 1000
    what = f"median reported, {IN_FLIGHT} at once"
    return [Row(what, reported, SLOW_MILLISECONDS, "ms", 1.05)]


def load(folder: Path, rounds: int) -> list[Row]:
    """10,000 cases checked, beside YAML's own C loader."""
    file = write(folder, config("http://127.0.0.1:9/", 100, 100, 3))
    ours, least = [], []
    for _ in range(rounds):
        least.append(cpu_seconds([PYTHON, "-c", _BARE_LOAD, file])[0])
        ours.append(cpu_seconds([ANSWERPROBE, "check", file])[0])
    middle = statistics.median
    return [Row("10,000 cases checked, CPU", middle(ours), middle(least), "s", 2.0)]


def scrape(folder: Path, _rounds: int) -> list[Row]:
    """A gzip scrape, beside the plain client with as many series."""
    scrapes, port = 50, free_port()
    with agent(0) as url:
        file = write(folder, config(url, 10, CASES, 1))
        command = [
            *(ANSWERPROBE, "serve", f"--config.file={file}", "--log.level=error"),
            f"--web.listen-address=127.0.0.1:{port}",
            f"--storage.url=sqlite:///{folder / 'serve.db'}",
        ]
        base = f"http://127.0.0.1:{port}"
        with started(command, f"{base}/-/ready") as daemon:
            while fetch(f"{base}/metrics").count(b"answerprobe_up{") < 10:
                time.sleep(1)
            time.sleep(3)
            text, before = b"", process_cpu_seconds(daemon.pid)
            for _ in range(scrapes):
                text = fetch(f"{base}/metrics")
            ours = (process_cpu_seconds(daemon.pid) - before) / scrapes
    series = sum(not line.startswith(b"#") for line in text.splitlines())
    what = f"scrape of {series:,} series, CPU"
    return [Row(what, ours * 1000, plain_client_seconds(series) * 1000, "ms", 1.0)]


def fetch(url: str) -> bytes:
    """Return the body at *url*, asked for as Prometheus does."""
    request = urllib.request.Request(url, headers={"Accept-Encoding": "gzip"})  # noqa: S310  # ours
    with urllib.request.urlopen(request, timeout=60) as response:  # noqa: S310  # ours
        return gzip.decompress(response.read())


def process_cpu_seconds(pid: int) -> float:
    """Return the CPU seconds that the process has used so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()
    ticks: float = int(fields[11]) + int(fields[12])
    return ticks / 100


def plain_client_seconds(series: int) -> float:
    """Return the CPU seconds of one exposition of as many gauges."""
    registry = CollectorRegistry()
    gauge = Gauge("bench", "…", ["monitor", "case"], registry=registry)
    for number in range(series):
        gauge.labels(f"monitor {number // 100}", f"case-{number % 100}").set(number)
    began = time.process_time()
    for _ in range(3):
        gzip.compress(generate_latest(registry), compresslevel=1)
    return (time.process_time() - began) / 3


PARTS: dict[str, Callable[[Path, int], list[Row]]] = {
    "cost": cost,
    "latency": latency,
    "load": load,
    "scrape": scrape,
}


@click.command()
@click.option("--only", type=click.Choice(list(PARTS)), multiple=True)
@click.option("--rounds", type=click.IntRange(1), default=3)
def main(only: tuple[str, ...], rounds: int) -> None:
    """Measure and print."""
    click.echo(f"{'':34}{'ours':>10}{'least':>10}{'ratio':>8}{'aim at':>8}")
    for name in only or PARTS:
        with tempfile.TemporaryDirectory() as folder:
            for row in PARTS[name](Path(folder), rounds):
                ratio = row.ours / row.least
                values = f"{row.ours:8.3g} {row.unit:2}{row.least:7.3g} {row.unit:2}"
                click.echo(f"{row.what:34}{values}{ratio:7.2f}{row.bar:8.2f}")


if __name__ == "__main__":
    main()
