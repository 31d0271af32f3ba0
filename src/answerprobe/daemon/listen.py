"""The address that the daemon serves on."""

import os
import socket
import ssl

from dataclasses import dataclass

from aiohttp import web

from answerprobe.errors import ListenError
from answerprobe.web import is_loopback


@dataclass(frozen=True, slots=True, kw_only=True)
class ListenAddress:
    """Where to listen; an empty *host* is every interface."""

    host: str
    port: int

    @classmethod
    def parse(cls, text: str) -> "ListenAddress":
        """
        Return the address that *text* spells: `HOST:PORT`, `[::1]:PORT` or `:PORT`.

        Raises:
            ListenError: it spells none.
        """
        host, colon, port = text.rpartition(":")
        if host.startswith("[") and host.endswith("]"):
            host = host[1:-1]
        elif ":" in host:
            colon = ""
        if not colon or not port.isascii() or not port.isdigit() or int(port) > 65535:
            message = f"listen address {text!r}: write HOST:PORT, such as 0.0.0.0:10099"
            raise ListenError(message)
        return cls(host=host, port=int(port))

    @property
    def on_loopback(self) -> bool:
        """Whether only this machine can reach it."""
        return is_loopback(self.host)

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"


async def listen(
    runner: web.AppRunner, address: ListenAddress, tls: ssl.SSLContext | None = None
) -> None:
    """
    Serve *runner* at *address* from now on, by *tls* where there is one.

    Raises:
        ListenError: the address cannot be had.
    """
    site = web.TCPSite(
        runner, address.host or None, address.port, backlog=1024, ssl_context=tls
    )
    try:
        await site.start()
    except OSError as exc:
        raise ListenError(f"cannot listen on {address}: {_fault(exc)}") from exc
    except UnicodeError as exc:
        raise ListenError(f"cannot listen on {address}: no host name") from exc


def told(runner: web.AppRunner, address: ListenAddress) -> str:
    """Return *address*, which *runner* serves at; of port 0, what the system chose."""
    if address.port:
        return str(address)
    chosen = (
        ListenAddress(host=host, port=port) for host, port, *_ in runner.addresses
    )
    return ", ".join(map(str, chosen))


def _fault(exc: OSError) -> str:
    """Return what is wrong, in the system's words."""
    # The loop's own words repeat the address.
    if isinstance(exc, socket.gaierror) or exc.errno is None:
        return exc.strerror or str(exc)
    return os.strerror(exc.errno)
