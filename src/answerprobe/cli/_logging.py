"""Logs on standard error: one line an event, logfmt or JSON, without secrets."""

import logging
import sys

from collections.abc import Callable

import structlog


LEVELS = ("debug", "info", "warn", "error")
FORMATS = ("logfmt", "json")
_LEVEL_NAMES = {"warn": "warning"}


class _Scrub:
    """A processor that masks secrets in every text of an event."""

    def __init__(self, scrub: Callable[[str], str]) -> None:
        self._scrub = scrub

    def __call__(
        self, _logger: object, _method: str, event: structlog.types.EventDict
    ) -> structlog.types.EventDict:
        """Return *event* without secrets."""
        for key, value in event.items():
            if isinstance(value, str):
                event[key] = self._scrub(value)
        return event


def configure(level: str, form: str, scrub: Callable[[str], str]) -> None:
    """Send our events, and what libraries log, to standard error."""
    shared: list[structlog.types.Processor] = [
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True, key="ts"),
        structlog.processors.format_exc_info,
        _Scrub(scrub),
    ]
    renderer: structlog.types.Processor = (
        structlog.processors.JSONRenderer(ensure_ascii=False)
        if form == "json"
        else structlog.processors.LogfmtRenderer(key_order=["ts", "level", "event"])
    )
    number = logging.getLevelNamesMapping()[_LEVEL_NAMES.get(level, level).upper()]
    structlog.configure(
        processors=[*shared, renderer],
        wrapper_class=structlog.make_filtering_bound_logger(number),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
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
