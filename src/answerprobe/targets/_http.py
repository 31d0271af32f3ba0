"""A target that is asked over HTTP, whatever its dialect."""

import aiohttp

from answerprobe.targets._dialogue import HttpDialogue, Line
from answerprobe.targets._resolver import ThreadResolver


# Long enough for the samples of one run, short enough to follow a failover.
_DNS_SECONDS = 5


class HttpTarget:
    """An agent behind HTTP. Connections are not kept: each sample is a new visitor."""

    def __init__(self, line: Line) -> None:
        self._line = line
        self._connections: aiohttp.TCPConnector | None = None

    @property
    def host(self) -> str:
        """`scheme://host:port`: what a limit per host counts by."""
        return self._line.endpoint.host

    def dialogue(self, traceparent: str) -> HttpDialogue:
        """Return a new sample's dialogue."""
        return HttpDialogue(self._line, self._connector, traceparent)

    def _connector(self) -> aiohttp.TCPConnector:
        """Return the maker of connections; limits are elsewhere, nothing waits here."""
        if self._connections is None:
            self._connections = aiohttp.TCPConnector(
                limit=0,
                force_close=True,
                ttl_dns_cache=_DNS_SECONDS,
                resolver=ThreadResolver(),
            )
        return self._connections

    async def close(self) -> None:
        """Drop every connection."""
        if self._connections is not None:
            await self._connections.close()
