"""What a soak found: memory, descriptors, loop lag, and the books at the end."""

from collections import Counter
from collections.abc import Iterable
from statistics import median
from typing import NamedTuple, Protocol

import click

from soak.program import Program, Scrape


_MEBIBYTE = 2**20
# The first part of a soak fills caches and windows of samples.
_WARM = 0.3
_RESIDENT_GROWTH = 0.15
_RESIDENT_SLACK_BYTES = 24 * _MEBIBYTE
_DESCRIPTOR_SLACK = 64


class Lists(Protocol):
    """Who tells of runs."""

    def runs(self) -> Iterable[dict[str, object]]:
        """Return every run, newest first."""
        ...


class Reading(NamedTuple):
    """How the daemon was at one time."""

    minute: float
    resident_bytes: int
    descriptors: int
    scrape: Scrape

    @classmethod
    def of(cls, program: Program, minute: float) -> "Reading":
        """Look at *program*."""
        return cls(
            minute=minute,
            resident_bytes=program.resident_bytes(),
            descriptors=program.descriptors(),
            scrape=program.scrape(),
        )

    def __str__(self) -> str:
        """Return it as a line of the table."""
        scrape = self.scrape
        cells = (
            f"{self.minute:6.1f}",
            f"{self.resident_bytes / _MEBIBYTE:8.1f}",
            f"{self.descriptors:6d}",
            f"{lag_seconds(scrape, 0.5) * 1000:8.0f}",
            f"{lag_seconds(scrape, 0.99) * 1000:8.0f}",
            f"{scrape.total('answerprobe_runs_total', state='completed'):8.0f}",
            f"{scrape.total('answerprobe_runs_total', state='skipped'):8.0f}",
            f"{scrape.total('answerprobe_storage_errors_total'):8.0f}",
            f"{scrape.total('answerprobe_internal_errors_total'):8.0f}",
        )
        return "".join(cells)


HEADING = "minute RSS MiB   fds lag50 ms lag99 ms    runs skipped store err internal"


def lag_seconds(scrape: Scrape, quantile: float) -> float:
    """Return the upper bound of the loop lag at *quantile* since the start."""
    buckets = scrape.buckets("answerprobe_event_loop_lag_seconds")
    whole = max(buckets.values(), default=0.0)
    return min(
        (bound for bound, count in buckets.items() if count >= quantile * whole),
        default=0.0,
    )


def problems(readings: list[Reading], program: Lists) -> list[str]:
    """Return what is wrong at the end of a soak, when no run goes on any more."""
    last = readings[-1]
    found = [*_lost(last.scrape, program), *_growth(readings)]
    errors = last.scrape.total("answerprobe_internal_errors_total")
    if errors:
        found.append(f"{errors:.0f} internal errors: the log has them")
    return found


def _lost(scrape: Scrape, program: Lists) -> list[str]:
    """Return what the counters and the store do not agree on."""
    stored: Counter[str] = Counter()
    ids = set()
    for run in program.runs():
        if run["id"] in ids:
            return [f"run {run['id']} is listed twice"]
        ids.add(run["id"])
        if run["state"] == "completed":
            stored[str(run["monitor"])] += 1
        elif run["state"] != "interrupted":
            return [f"run {run['id']} is {run['state']} for ever"]
    counted = scrape.by_monitor("answerprobe_runs_total", state="completed")
    lost = sum(max(0.0, count - stored[name]) for name, count in counted.items())
    twice = sum(max(0.0, stored[name] - count) for name, count in counted.items())
    click.echo(f"runs in the store: {sum(stored.values())}, lost: {lost:.0f}")
    found = [f"{lost:.0f} runs are lost"] if lost else []
    if twice:
        found.append(f"{twice:.0f} runs are in the store but were not counted")
    never = [name for name, count in counted.items() if count == 0]
    steady = [name for name in never if not name.startswith("guest-")]
    return found + ([f"never ran: {', '.join(steady)}"] if steady else [])


def _growth(readings: list[Reading]) -> list[str]:
    """Return what grew since it was warm."""
    warm = [r for r in readings if r.minute >= _WARM * readings[-1].minute]
    third = max(1, len(warm) // 3)
    before, after = warm[:third], warm[-third:]
    found = []
    held = median(reading.resident_bytes for reading in before)
    holds = median(reading.resident_bytes for reading in after)
    if holds > held * (1 + _RESIDENT_GROWTH) + _RESIDENT_SLACK_BYTES:
        found.append(
            f"memory grew from {held / _MEBIBYTE:.0f} to {holds / _MEBIBYTE:.0f} MiB"
        )
    opened = median(reading.descriptors for reading in before)
    opens = median(reading.descriptors for reading in after)
    if opens > opened + _DESCRIPTOR_SLACK:
        found.append(f"descriptors grew from {opened:.0f} to {opens:.0f}")
    return found
