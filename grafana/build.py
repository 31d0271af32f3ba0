"""`python -m grafana.build`: write the dashboards' JSON, the same bytes every time."""

from collections.abc import Callable
from pathlib import Path

from grafana_foundation_sdk.builders.dashboard import Dashboard
from grafana_foundation_sdk.cog.encoder import JSONEncoder

from grafana.exporter import exporter
from grafana.fleet import fleet
from grafana.monitor import monitor


FOLDER = Path(__file__).parent
DASHBOARDS: dict[str, Callable[[], Dashboard]] = {
    "fleet.json": fleet,
    "monitor.json": monitor,
    "exporter.json": exporter,
}


def rendered(name: str) -> str:
    """Return the text of the file *name*."""
    board = DASHBOARDS[name]().build()
    return JSONEncoder(sort_keys=True, indent=2).encode(board) + "\n"


def main() -> None:
    """Write every file beside this one."""
    for name in DASHBOARDS:
        (FOLDER / name).write_text(rendered(name), encoding="utf-8")


if __name__ == "__main__":
    main()
