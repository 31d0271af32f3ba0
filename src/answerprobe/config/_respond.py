"""How a tool answers: `success`, `{value: …}`, `{error: …}` or `{live: …}`."""

from collections.abc import Mapping

from answerprobe.config._connection import read_connection
from answerprobe.config._findings import Path
from answerprobe.config._reading import Reading, mapping, text
from answerprobe.config._show import quote
from answerprobe.tool import Fault, Live, LiveMethod, Response, Success, Value


LIVE = "live"


def read_response(written: object, path: Path, reading: Reading) -> Response:
    """Return the answer that is *written*, a generic success where none is."""
    if not isinstance(written, dict):
        return Success()
    if "value" in written:
        return Value(value=written["value"])
    if LIVE in written:
        return _live(mapping(written, LIVE), (*path, LIVE), reading)
    fault = text(written, "error")
    return Success() if fault is None else Fault(text=fault)


def check_harmless(
    name: str, response: Response, path: Path, reading: Reading, *, writes: bool
) -> None:
    """Refuse that the tool *name*, which *writes*, is called for real."""
    if writes and isinstance(response, Live):
        message = (
            f"the tool {quote(name)} writes: only one with `writes: false` is ever "
            "called for real"
        )
        reading.findings.add((*path, LIVE), message, at_key=True)


def _live(raw: Mapping[str, object], path: Path, reading: Reading) -> Live:
    """Return where the real tool is, and how to get in there."""
    return Live(
        connection=read_connection(raw, "url", path, reading),
        method=LiveMethod(text(raw, "method") or LiveMethod.POST),
    )
