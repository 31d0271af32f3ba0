"""Addresses of pages, made in one place."""

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import quote, urlencode


@dataclass(frozen=True, slots=True, kw_only=True)
class Links:
    """Where things are below *prefix*, which is empty or begins with a slash."""

    prefix: str = ""

    def url(self, path: str) -> str:
        """Return the address of *path*, whose parts are encoded already."""
        return f"{self.prefix}{path}"

    def monitor(self, name: str) -> str:
        """Return the address of a monitor."""
        return self.url(f"/monitors/{segment(name)}")

    def case(self, monitor: str, case_id: str) -> str:
        """Return the address of a case."""
        return f"{self.monitor(monitor)}/cases/{segment(case_id)}"

    def run(self, run_id: int) -> str:
        """Return the address of a run."""
        return self.url(f"/runs/{run_id}")

    def experiment(self, experiment_id: int) -> str:
        """Return the address of an experiment."""
        return self.url(f"/experiments/{experiment_id}")

    def probe(self, monitor: str) -> str:
        """Return the address of a monitor's last run, step by step."""
        return self.url(f"/probe{query({'monitor': monitor, 'debug': 'true'})}")

    def judge(self, name: str) -> str:
        """Return the address of a judge."""
        return self.url(f"/judges/{segment(name)}")

    def static(self, name: str) -> str:
        """Return the address of a style sheet or script."""
        return self.url(f"/static/{name}")


def segment(name: str) -> str:
    """Return *name* as one segment of a path, whatever is in it."""
    return quote(name, safe="")


def query(parameters: Mapping[str, str | int | None]) -> str:
    """Return `?a=b&…` of those *parameters* that say something, or nothing."""
    said = {key: value for key, value in parameters.items() if value not in (None, "")}
    return f"?{urlencode(said)}" if said else ""
