"""
A daemon under load and trouble for a long time: `make soak MINUTES=30`.

Sixty monitors every ten seconds, of agents that are good, slow, broken or hang; reload
storms, a locked store, silent connections, slow scrapers. Each minute prints what the
daemon takes; the end says what was lost or grew, and is 1 then.
"""

import sys
import tempfile
import time

from pathlib import Path
from urllib.error import URLError

import click

from e2e.program import ANSWERPROBE, free_port
from soak.fleet import Fleet
from soak.program import Program, running
from soak.report import HEADING, Reading, problems
from soak.trouble import Trouble


_START_SECONDS = 60.0
_END_SECONDS = 120.0


@click.command()
@click.option("--minutes", type=float, default=30.0, show_default=True)
@click.option("--keep", type=click.Path(path_type=Path), help="Where the files stay.")
def main(minutes: float, keep: Path | None) -> None:
    """Soak the daemon for so many minutes."""
    with tempfile.TemporaryDirectory() as made:
        folder = keep or Path(made)
        folder.mkdir(exist_ok=True)
        found = _soak(folder, minutes)
        for problem in found:
            click.echo(f"PROBLEM: {problem}")
        if found:
            click.echo((folder / "daemon.log").read_text(encoding="utf-8")[-4000:])
    click.echo("nothing lost, nothing leaked" if not found else "soak failed")
    sys.exit(bool(found))


def _soak(folder: Path, minutes: float) -> list[str]:
    """Soak a daemon that lives in *folder*; return what is wrong at the end."""
    agents, port = free_port(), free_port()
    url, database = f"http://127.0.0.1:{port}", folder / "soak.db"
    fleet = Fleet(folder, f"http://127.0.0.1:{agents}")
    serve = [
        str(ANSWERPROBE),
        "serve",
        f"--config.file={fleet.file}",
        f"--web.listen-address=127.0.0.1:{port}",
        f"--storage.url=sqlite:///{database}",
    ]
    agent = [sys.executable, "-m", "soak.agent", str(agents)]
    with (
        running(agent, folder / "agent.log"),
        running(serve, folder / "daemon.log") as process,
    ):
        program = Program(process, url)
        _wait_ready(program)
        trouble = Trouble(program, fleet, database)
        readings = _watch(program, trouble, minutes)
        _settle(program)
        readings.append(Reading.of(program, minutes))
        click.echo(readings[-1])
        found = problems(readings, program) + trouble.surprises
    if process.returncode:
        found.append(f"the daemon ended with {process.returncode}")
    log = (folder / "daemon.log").read_text(encoding="utf-8", errors="replace")
    return found + (["a traceback in the log"] if "Traceback" in log else [])


def _wait_ready(program: Program) -> None:
    """Wait until *program* is ready."""
    late = time.monotonic() + _START_SECONDS
    while True:
        try:
            program.get("/-/ready")
        except URLError:
            if time.monotonic() > late:
                raise
            time.sleep(0.2)
        else:
            return


def _watch(program: Program, trouble: Trouble, minutes: float) -> list[Reading]:
    """Print how *program* is while *trouble* goes on; return that."""
    click.echo(HEADING)
    began = time.monotonic()
    trouble.start()
    readings = []
    while (minute := (time.monotonic() - began) / 60) < minutes:
        readings.append(Reading.of(program, minute))
        click.echo(readings[-1])
        time.sleep(min(60.0, max(1.0, minutes * 3.0)))
    trouble.stop()
    return readings


def _settle(program: Program) -> None:
    """Start nothing more, and wait until nothing goes on and all is written."""
    for name in program.scrape().by_monitor("answerprobe_runs_total"):
        program.post(f"/v1/monitors/{name}/pause")
    late = time.monotonic() + _END_SECONDS
    while time.monotonic() < late:
        scrape = program.scrape()
        going = any(run["state"] in {"queued", "running"} for run in program.runs())
        if not going and scrape.total("answerprobe_storage_up") == 1:
            return
        time.sleep(2.0)


if __name__ == "__main__":
    main()
