"""What it is built of, and what it does when it is merely imported."""

import http.server
import json
import os
import re
import shutil
import subprocess
import sys
import threading
import tomllib

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


ROOT = Path(__file__).parents[2]
_PINNED = re.compile(r"[a-z0-9-]+==[0-9][0-9a-z.!]*")
_IMPORT_ALL = """
import pkgutil, sys

def forbid(event, _arguments):
    if event.startswith("socket.") and event not in {"socket.__new__"}:
        raise SystemExit(f"an import called {event}")

sys.addaudithook(forbid)
import answerprobe
found = pkgutil.walk_packages(answerprobe.__path__, "answerprobe.")
names = [module.name for module in found]
for name in names:
    if not name.endswith((".__main__", "migrations.env", "demo.llm_server")):
        __import__(name)
print(len(names))
"""


def _requirements() -> Iterator[str]:
    """Return the names of everything that pyproject.toml wants."""
    document = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    project = document["project"]
    wanted = list(project["dependencies"])
    for extra in project["optional-dependencies"].values():
        wanted += extra
    for requirement in wanted:
        name = re.match(r"[A-Za-z0-9-]+", requirement)
        assert name is not None
        yield name[0].lower()


class TestImport:
    """The package is imported, nothing more."""

    def test_it_calls_nobody(self) -> None:
        """No socket is bound, connected or asked for a name, by any module."""
        done = subprocess.run(  # noqa: S603  our own words
            [sys.executable, "-c", _IMPORT_ALL],
            env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
            capture_output=True,
            text=True,
            check=False,
        )

        assert done.returncode == 0, done.stderr
        assert int(done.stdout) > 200


class TestConstraints:
    """constraints.txt."""

    def test_every_line_is_one_version(self) -> None:
        """No range, no address."""
        lines = (ROOT / "constraints.txt").read_text("utf-8").splitlines()
        loose = [
            line
            for line in lines
            if not line.startswith("#") and not _PINNED.fullmatch(line)
        ]

        assert loose == []

    def test_whatever_is_wanted_is_pinned(self) -> None:
        """Of the program and of all extras."""
        text = (ROOT / "constraints.txt").read_text("utf-8")
        pinned = {line.partition("==")[0] for line in text.splitlines()}

        assert set(_requirements()) - pinned == set()


def _build(source: Path, target: Path) -> bytes:
    """Return the wheel that is built from *source*."""
    subprocess.run(  # noqa: S603  our own build
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", target],
        cwd=source,
        check=True,
        capture_output=True,
        env={**os.environ, "SOURCE_DATE_EPOCH": "1790000000"},
    )
    (wheel,) = target.glob("*.whl")
    return wheel.read_bytes()


class TestWheel:
    """The wheel of one commit."""

    def test_it_is_the_same_to_the_byte_wherever_it_is_built(
        self, tmp_path: Path
    ) -> None:
        """From another folder, of files with other times."""
        copy = tmp_path / "elsewhere"
        copy.mkdir()
        for name in ("src", "alert_rules", "deploy", "grafana"):
            shutil.copytree(
                ROOT / name,
                copy / name,
                copy_function=shutil.copyfile,
                ignore=shutil.ignore_patterns("__pycache__"),
            )
        for name in ("pyproject.toml", "README.md", "LICENSE"):
            shutil.copyfile(ROOT / name, copy / name)

        assert _build(ROOT, tmp_path / "a") == _build(copy, tmp_path / "b")


class Osv(http.server.BaseHTTPRequestHandler):
    """A database of vulnerabilities that knows one, in *bad*."""

    bad = ""

    def do_POST(self) -> None:
        """Answer a query."""
        length = int(self.headers["Content-Length"])
        asked = json.loads(self.rfile.read(length))
        found = {"id": "PYSEC-1", "summary": "bad", "affected": []}
        known = [found] if asked["package"]["name"] == self.bad else []
        body = json.dumps({"vulns": known}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def _database(bad: str) -> Iterator[str]:
    """Serve a database that knows of one vulnerability, in *bad*."""
    handler = type("Handler", (Osv,), {"bad": bad})
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1/query"
    finally:
        server.shutdown()
        server.server_close()


def _audit(url: str) -> "subprocess.CompletedProcess[str]":
    """Audit by the database at *url*."""
    if not (ROOT / ".venv/bin/pip-audit").exists():
        pytest.skip("pip-audit is not installed: make audit does that")
    return subprocess.run(  # noqa: S603  our own script
        [ROOT / ".ci/audit", "--osv-url", url],
        capture_output=True,
        text=True,
        check=False,
    )


class TestAudit:
    """`make audit`."""

    def test_a_database_that_is_away_is_no_good_news(self) -> None:
        """It says that nothing was audited, and fails."""
        done = _audit("http://127.0.0.1:9/v1/query")

        assert done.returncode == 2
        assert "not audited: the database of vulnerabilities" in done.stderr
        assert "Traceback" not in done.stderr

    @pytest.mark.parametrize(
        ("bad", "status"),
        [
            pytest.param("none-such", 0, id="nothing known"),
            pytest.param("aiohttp", 1, id="something known"),
        ],
    )
    def test_what_is_known_decides(self, bad: str, status: int) -> None:
        """One that is known fails it, and is named."""
        with _database(bad) as url:
            done = _audit(url)

        assert done.returncode == status, done.stderr
        assert ("aiohttp" in done.stdout) == bool(status)
