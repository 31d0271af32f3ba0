"""Processes, started and looked at from outside, and what they answer."""

import gzip
import resource
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


HERE = Path(__file__).parent
PYTHON = sys.executable
ANSWERPROBE = str(Path(PYTHON).with_name("answerprobe"))
_TICKS_PER_SECOND = 100
_GZIP = b"\x1f\x8b"


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
        return port


def finished(command: list[str]) -> tuple[float, str]:
    """Run *command*; return the CPU seconds it took, start included, and its output."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603  # ours
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        raise SystemExit(f"{command[:2]} ended with {done.returncode}: {done.stderr}")
    user = after.ru_utime - before.ru_utime
    return user + after.ru_stime - before.ru_stime, done.stdout


@contextmanager
def started(command: list[str], ready: str) -> Iterator[int]:
    """Run *command* while the block runs, once *ready* is answered; give its pid."""
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as process:  # noqa: S603  # ours
        try:
            while not answers(ready):
                if process.poll() is not None:
                    raise SystemExit(f"{command[:2]} ended with {process.returncode}")
                time.sleep(0.05)
            yield process.pid
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


def fetch(url: str, body: bytes | None = None) -> str:
    """Return what *url* answers, asked for as Prometheus does; post *body* if any."""
    raw = sent(url, body)
    return (gzip.decompress(raw) if raw.startswith(_GZIP) else raw).decode()


def sent(url: str, body: bytes | None = None) -> bytes:
    """Return what *url* answers as it comes, gzipped or not; post *body* if any."""
    headers = {"Accept-Encoding": "gzip", "Content-Type": "application/json"}
    request = urllib.request.Request(url, body, headers)  # noqa: S310  # ours
    with urllib.request.urlopen(request, timeout=60) as response:  # noqa: S310  # ours
        raw: bytes = response.read()
        return raw


def cpu_seconds(pid: int) -> float:
    """Return the CPU seconds that the process has used so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS_PER_SECOND


def memory_megabytes(pid: int) -> float:
    """Return the resident memory of the process."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0]) / 1024


def waited_seconds(pid: int) -> float:
    """Return how long the main thread has waited for a core that others had."""
    return int(Path(f"/proc/{pid}/schedstat").read_text().split()[1]) / 1e9
