"""Names to addresses, without holding up anything else."""

import asyncio
import socket
import threading

from collections.abc import Sequence
from typing import NamedTuple

from aiohttp.abc import AbstractResolver, ResolveResult


class _Address(NamedTuple):
    """One address of a host."""

    family: int
    protocol: int
    host: str
    port: int


class ThreadResolver(AbstractResolver):
    """
    Asks the system's resolver, in a thread for each lookup.

    `getaddrinfo` cannot be cancelled and takes half a minute where the DNS is dead. In
    the loop's shared pool a few such lookups would hold up all that uses it, and the
    end of the process; a thread of its own holds up nobody.
    """

    async def resolve(
        self, host: str, port: int = 0, family: int = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        """
        Return the addresses of *host*.

        Raises:
            OSError: there is no such host, or no DNS.
        """
        loop = asyncio.get_running_loop()
        found: asyncio.Future[list[_Address]] = loop.create_future()

        def look_up() -> None:
            """Look up and tell; runs in the thread."""
            try:
                addresses = _look_up(host, port, family)
            except OSError as exc:
                _tell(loop, found, exc)
            else:
                _tell(loop, found, addresses)

        threading.Thread(target=look_up, name=f"dns {host}", daemon=True).start()
        return [_result(host, address) for address in await found]

    async def close(self) -> None:
        """Do nothing: lookups end by themselves."""


def _result(host: str, address: _Address) -> ResolveResult:
    """Return *address* the way aiohttp wants it."""
    return ResolveResult(
        hostname=host,
        host=address.host,
        port=address.port,
        family=address.family,
        proto=address.protocol,
        flags=socket.AI_NUMERICHOST | socket.AI_NUMERICSERV,
    )


def _look_up(host: str, port: int, family: int) -> Sequence[_Address]:
    """Return what the system says; blocks."""
    try:
        infos = socket.getaddrinfo(
            host, port, family, socket.SOCK_STREAM, flags=socket.AI_ADDRCONFIG
        )
    except UnicodeError as exc:  # an empty label, or one of more than 63 characters
        raise socket.gaierror(socket.EAI_NONAME, "this is no host name") from exc
    numeric = socket.NI_NUMERICHOST | socket.NI_NUMERICSERV
    return [
        # getnameinfo keeps the zone of link-local IPv6 addresses (fe80::1%eth0).
        _Address(kind, protocol, socket.getnameinfo(address, numeric)[0], port)
        for kind, _, protocol, _, address in infos
    ]


def _tell(
    loop: asyncio.AbstractEventLoop,
    found: asyncio.Future[list[_Address]],
    result: Sequence[_Address] | OSError,
) -> None:
    """Hand *result* to who waits, if its loop is still there."""

    def settle() -> None:
        if found.done():
            return
        if isinstance(result, OSError):
            found.set_exception(result)
        else:
            found.set_result(list(result))

    try:
        loop.call_soon_threadsafe(settle)
    except RuntimeError:
        return  # the loop was closed while the DNS was still thinking
