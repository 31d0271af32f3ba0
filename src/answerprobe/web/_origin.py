"""Where a request comes from: this machine, a proxy, a page of ours, another site."""

import ipaddress

from urllib.parse import urlsplit

from aiohttp import hdrs, web


# A request with one of these headers came through a proxy, whoever sent it there.
_PROXIED = frozenset({"forwarded", "via"})
_PROXIED_PREFIX = "x-forwarded-"
# What a browser says of a page of ours, and of an address that was typed in.
_SAME_SITE = frozenset({"same-origin", "none"})
_DEFAULT_PORTS = {"http": 80, "https": 443}


def is_loopback(host: str) -> bool:
    """Whether *host* names this machine's loopback interface."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def from_this_machine(request: web.Request) -> bool:
    """Whether *request* was made on this machine, for it, and by no proxy."""
    return (
        is_loopback(request.remote or "")
        and not any(_of_a_proxy(name) for name in request.headers)
        # Not `request.host`: without the header it would be our own address.
        and all(map(_names_loopback, request.headers.getall(hdrs.HOST, [""])))
    )


def from_another_site(request: web.Request, external_url: str) -> bool:
    """Whether a browser says that neither we nor *external_url* made *request*."""
    own = {origin(external_url)} if external_url else set()
    # Behind a proxy that ends TLS, a page of http://HOST is none of https://HOST.
    if request.host.lower() != urlsplit(external_url).netloc.lower():
        own.add(origin(f"{request.scheme}://{request.host}"))
    origins = request.headers.getall(hdrs.ORIGIN, [])
    sites = request.headers.getall("Sec-Fetch-Site", [])
    return any(origin(each) not in own for each in origins) or (
        not _SAME_SITE.issuperset(sites)
    )


def origin(url: str) -> str | None:
    """Return scheme, host and port of *url* as browsers mean them, if it has any."""
    try:
        parts = urlsplit(url.strip().lower())
        port = parts.port or _DEFAULT_PORTS.get(parts.scheme)
    except ValueError:
        return None
    if not parts.hostname or port is None:
        return None
    return f"{parts.scheme}://{parts.hostname}:{port}"


def _of_a_proxy(header: str) -> bool:
    """Whether only a proxy adds the *header* of this name."""
    name = header.lower()
    return name in _PROXIED or name.startswith(_PROXIED_PREFIX)


def _names_loopback(host: str) -> bool:
    """Whether the Host header *host*, with or without a port, is a loopback name."""
    if host.startswith("["):
        return is_loopback(host[1:].partition("]")[0])
    return is_loopback(host.partition(":")[0])


def path_of(url: str) -> str:
    """Return the path of *url* without a slash at its end: empty, or `/path`."""
    path = urlsplit(url).path.strip("/")
    return f"/{path}" if path else ""
