"""
Hostile input for loaders, parsers and rules, led by coverage: `make fuzz MINUTES=5`.

What breaks a promise is kept in tests/fuzz/found/NAME-…, where `make test` tries it
ever after. The corpus grows in .fuzz/, so that the next time goes on from there.
"""

import shutil
import subprocess
import sys

from pathlib import Path

import click

from fuzz.hostile import FUZZED
from fuzz.seeds import SEEDS


HERE = Path(__file__).parent
_CORPUS = HERE.parents[1] / ".fuzz"
_SLOWEST_SECONDS = 10
_MOST_MEGABYTES = 2048
_LONGEST_BYTES = 4096


@click.command()
@click.option("--minutes", type=float, default=5.0, show_default=True, help="In all.")
@click.option(
    "--only", type=click.Choice(sorted(FUZZED)), multiple=True, help="Just these."
)
def main(minutes: float, only: tuple[str, ...]) -> None:
    """Fuzz one after the other; exit 1 where one broke."""
    names = only or tuple(FUZZED)
    seconds = max(1, int(minutes * 60 / len(names)))
    broken = [name for name in names if not _holds(name, seconds)]
    for name in broken:
        click.echo(f"BROKEN: {name}; its input is in {HERE / 'found'}")
    click.echo(f"{len(names) - len(broken)} of {len(names)} held for {seconds} s each")
    sys.exit(bool(broken))


def _holds(name: str, seconds: int) -> bool:
    """Fuzz *name* for so many seconds; return whether nothing broke."""
    corpus = _CORPUS / name
    corpus.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(SEEDS[name]):
        (corpus / f"seed-{number}").write_bytes(seed)
    for kept in (HERE / "found").glob(f"{name}-*"):
        shutil.copyfile(kept, corpus / kept.name)
    done = subprocess.run(  # noqa: S603  ourselves
        [
            sys.executable,
            "-m",
            "fuzz.one",
            name,
            str(corpus),
            f"-max_total_time={seconds}",
            f"-timeout={_SLOWEST_SECONDS}",
            f"-rss_limit_mb={_MOST_MEGABYTES}",
            f"-max_len={_LONGEST_BYTES}",
            f"-artifact_prefix={HERE / 'found' / name}-",
            "-print_final_stats=1",
        ],
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    output = done.stdout + done.stderr
    tried = [line for line in output.splitlines() if "number_of_executed_units" in line]
    click.echo(f"{name}: {tried[-1].split()[-1] if tried else '?'} inputs tried")
    if done.returncode:
        click.echo(output[-3000:])
    return done.returncode == 0


if __name__ == "__main__":
    main()
