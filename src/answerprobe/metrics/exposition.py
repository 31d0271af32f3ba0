"""The whole of /metrics: the monitors' series, then the exporter's own."""

import asyncio

from typing import NamedTuple

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.openmetrics import exposition as openmetrics

from answerprobe.metrics.deflate import Deflated, Deflater, gzip_body, inflated
from answerprobe.metrics.negotiation import Format, negotiate
from answerprobe.metrics.rendition import Rendition
from answerprobe.metrics.store import SeriesStore


# Inflating this much takes about a millisecond.
_INLINE_BYTES = 500_000


class Rendered(NamedTuple):
    """A scrape's answer; *content_encoding* is None where the body is plain text."""

    body: bytes
    content_type: str
    content_encoding: str | None


class Exposition:
    """Answers scrapes of *store* and *registry*; on the event loop's thread."""

    def __init__(self, store: SeriesStore, registry: CollectorRegistry) -> None:
        self._store = store
        self._registry = registry
        self._renditions: dict[Format, Rendition] = {}

    async def render(self, accept: str | None, accept_encoding: str | None) -> Rendered:
        """Return all metrics, in the format and encoding that the headers ask for."""
        wanted = negotiate(accept, accept_encoding)
        # A format that nobody ever asks for is never rendered.
        if wanted.format not in self._renditions:
            self._renditions[wanted.format] = Rendition(self._store, wanted.format)
        monitors = await self._renditions[wanted.format].body()
        own = own_text(self._registry, wanted.format)
        if wanted.gzip:
            body = gzip_body(monitors, Deflater().piece(own))
            return Rendered(body, wanted.content_type, "gzip")
        return Rendered(await _plain(monitors) + own, wanted.content_type, None)


def own_text(registry: CollectorRegistry, text_format: Format) -> bytes:
    """Return *registry* in *text_format*; in OpenMetrics it ends with `# EOF`."""
    if text_format is Format.OPENMETRICS:
        # The library leaves this one without types.
        text: bytes = openmetrics.generate_latest(registry)  # type: ignore[no-untyped-call]
        return text
    return generate_latest(registry)


async def _plain(monitors: Deflated) -> bytes:
    """Return the text of *monitors*."""
    if monitors.size <= _INLINE_BYTES:
        return inflated(monitors)
    return await asyncio.to_thread(inflated, monitors)
