"""
Compare what loading a large configuration costs with merely parsing its YAML.

    python tests/bench/config_load.py [CASES] [ROUNDS]

CPU seconds of this process; the file has five criteria a case, a hundred cases a
monitor. *parse* is `yaml.load(…, CSafeLoader)`, *load* the whole of `load()`.
"""

import statistics
import sys
import time

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import yaml

from answerprobe.config import load
from answerprobe.secret import SecretSource


CASES_A_MONITOR = 100
HEAD = """\
  - name: Assistant {number}
    endpoint: https://assistant-{number}.example/api/chat
    every: 30m
    labels: {{team: support}}
    cases:
"""
CASE = """\
      - id: question-{number}
        ask: "Question {number}: how long can I return my shoes?"
        expect:
          - answered: {{within: 15s}}
          - contains: "30 days"
          - not_contains: sorry
          - regex: 'R-\\d{{5}}\\b'
          - max_words: 90
"""


def text(cases: int) -> str:
    """Return a configuration of so many *cases*."""
    parts = ["monitors:\n"]
    for number in range(cases):
        if number % CASES_A_MONITOR == 0:
            parts.append(HEAD.format(number=number // CASES_A_MONITOR))
        parts.append(CASE.format(number=number))
    return "".join(parts)


def cpu_seconds(work: Callable[[], object]) -> float:
    """Return what *work* takes."""
    began = time.process_time()
    work()
    return time.process_time() - began


def main(cases: int = 10_000, rounds: int = 5) -> None:
    """Print the medians and their ratio."""
    secrets = SecretSource(environment={})
    with TemporaryDirectory() as folder:
        path = Path(folder) / "large.yml"
        path.write_text(text(cases))

        def parse() -> object:
            with path.open() as file:
                return yaml.load(file, yaml.CSafeLoader)  # it is safe

        pairs = [
            (cpu_seconds(parse), cpu_seconds(lambda: load(path, secrets=secrets)))
            for _ in range(rounds)
        ]
        size_bytes = path.stat().st_size
    parsed, loaded = (statistics.median(times) for times in zip(*pairs, strict=True))
    sys.stdout.write(
        f"{cases} cases, {size_bytes / 1e6:.1f} MB: parse {parsed:.2f} s, "
        f"load {loaded:.2f} s, ratio {loaded / parsed:.2f}\n"
    )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:3]))
