"""What commands cost that end by themselves."""

import json
import statistics

from pathlib import Path

from bench.configs import IN_FLIGHT, config, write
from bench.process import ANSWERPROBE, HERE, PYTHON, agent, finished
from bench.table import Row


CASES, SAMPLES = 100, 10
SLOW_MILLISECONDS = 200
_BARE_LOAD = "import sys, yaml; yaml.load(open(sys.argv[1]), yaml.CSafeLoader)"


def cost(folder: Path, rounds: int) -> list[Row]:
    """1,000 samples, CPU of the whole process."""
    ours, least = [], []
    with agent(0) as url:
        for number in range(rounds):
            own = folder / f"round{number}"
            own.mkdir()
            least.append(finished([PYTHON, str(HERE / "floor.py"), url, str(own)])[0])
            ours.append(_run(folder, url)[0])
    middle = statistics.median
    return [Row("1,000 samples, CPU", middle(ours), "s", 2.0, middle(least))]


def latency(folder: Path, _rounds: int) -> list[Row]:
    """The median duration we report of an agent whose duration is known."""
    with agent(SLOW_MILLISECONDS) as url:
        _, durations = _run(folder, url)
    reported = statistics.median(durations) * 1000
    what = f"median duration reported, {IN_FLIGHT} at once"
    return [Row(what, reported, "ms", 1.05, SLOW_MILLISECONDS)]


def check(folder: Path, rounds: int) -> list[Row]:
    """10,000 cases checked, beside YAML's own C loader."""
    made = config("http://127.0.0.1:9/", monitors=100, cases=100, samples=3)
    file = write(folder, made)
    ours, least = [], []
    for _ in range(rounds):
        least.append(finished([PYTHON, "-c", _BARE_LOAD, file])[0])
        ours.append(finished([ANSWERPROBE, "check", file])[0])
    middle = statistics.median
    return [Row("10,000 cases checked, CPU", middle(ours), "s", 2.0, middle(least))]


def _run(folder: Path, url: str) -> tuple[float, list[float]]:
    """Return CPU seconds and reported durations of `answerprobe run`."""
    file = write(folder, config(url, monitors=1, cases=CASES, samples=SAMPLES))
    for old in folder.glob("run.db*"):
        old.unlink()
    storage = f"--storage.url=sqlite:///{folder / 'run.db'}"
    command = [ANSWERPROBE, "run", file, "--format", "json", storage]
    cpu, output = finished(command)
    (run,) = json.loads(output)["runs"]
    return cpu, [sample["duration_seconds"] for sample in run["samples"]]
