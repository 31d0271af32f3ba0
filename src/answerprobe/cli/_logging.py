"""Logs on standard error: one line an event, logfmt or JSON, without secrets."""

import contextlib
import json
import logging
import re
import sys

from collections.abc import Callable, MutableMapping
from typing import TextIO

import structlog


LEVELS = ("debug", "info", "warn", "error")
FORMATS = ("logfmt", "json")
_LEVEL_NAMES = {"warn": "warning"}
_FIRST_KEYS = ("ts", "level", "event")
# What a logfmt value may be without quotes.
_PLAIN = re.compile(r'[^\s"=\\]+')

_Event = MutableMapping[str, object]


class _Lines:
    """Writes lines to *stream*; structlog calls it by the names of levels."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, line: str) -> None:
        """Write *line*; who reads the log no more must not end the daemon."""
        with contextlib.suppress(OSError, ValueError):
            self._stream.write(line + "\n")
            self._stream.flush()

    debug = info = warning = error = critical = msg = write


class _Handler(logging.Handler):
    """Writes what libraries log as lines of ours."""

    def __init__(self, lines: _Lines) -> None:
        super().__init__()
        self._lines = lines

    def emit(self, record: logging.LogRecord) -> None:
        """Write *record*."""
        self._lines.write(self.format(record))


class _Scrub:
    """A processor that masks secrets in every value of an event."""

    def __init__(self, scrub: Callable[[str], str]) -> None:
        self._scrub = scrub

    def __call__(self, _logger: object, _method: str, event: _Event) -> _Event:
        """Return *event* without secrets, its values texts, numbers or nothing."""
        for key, value in event.items():
            if not isinstance(value, bool | int | float | None):
                event[key] = self._scrub(str(value))
        return event


def configure(
    level: str, form: str, scrub: Callable[[str], str], stream: TextIO | None = None
) -> None:
    """
    Send our events, and what libraries log, to *stream*: standard error if None.

    Whatever a value holds, an event is one line, and a terminal acts on nothing in it.
    """
    lines = _Lines(stream or sys.stderr)
    number = logging.getLevelNamesMapping()[_LEVEL_NAMES.get(level, level).upper()]
    shared: list[structlog.types.Processor] = [
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True, key="ts"),
        structlog.processors.StackInfoRenderer(),
        structlog.processors.format_exc_info,
        _Scrub(scrub),
    ]
    renderer = _as_json if form == "json" else _as_logfmt
    structlog.configure(
        processors=[*shared, renderer],
        wrapper_class=structlog.make_filtering_bound_logger(number),
        logger_factory=lambda *_: lines,
        cache_logger_on_first_use=True,
    )
    handler = _Handler(lines)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[structlog.stdlib.add_logger_name, *shared],
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                renderer,
            ],
        )
    )
    root = logging.getLogger()
    root.handlers = [handler]
    # Libraries speak of every request at info; what goes wrong is enough.
    root.setLevel(max(number, logging.WARNING))
    # It warns of cookies that it cannot read, in the agent's words, at every sample.
    logging.getLogger("aiohttp.client").setLevel(logging.ERROR)
    logging.captureWarnings(capture=True)


def _as_json(_logger: object, _method: str, event: _Event) -> str:
    """Return *event* as one line of JSON."""
    return _visible(json.dumps(_ordered(event), ensure_ascii=False))


def _as_logfmt(_logger: object, _method: str, event: _Event) -> str:
    """Return *event* as one line of logfmt."""
    return " ".join(f"{key}={_value(value)}" for key, value in _ordered(event).items())


def _ordered(event: _Event) -> dict[str, object]:
    """Return *event* with what every event has in front."""
    first = {key: event[key] for key in _FIRST_KEYS if key in event}
    return first | dict(event)


def _value(value: object) -> str:
    """Return *value* as logfmt has it: bare where nothing can be mistaken."""
    if isinstance(value, bool):
        return "true" if value else "false"
    text = "" if value is None else str(value)
    if _PLAIN.fullmatch(text) and text.isprintable():
        return text
    return _visible(json.dumps(text, ensure_ascii=False))


def _visible(written: str) -> str:
    """Return the JSON *written* with everything that is not printed escaped."""
    if written.isprintable():
        return written
    return "".join(
        char if char.isprintable() else json.dumps(char)[1:-1] for char in written
    )
