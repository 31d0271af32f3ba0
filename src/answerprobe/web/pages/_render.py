"""Templates rendered to responses, off the event loop, under a strict policy."""

import asyncio

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from importlib import resources

import aiohttp_jinja2
import jinja2

from aiohttp import hdrs, web

from answerprobe import __version__
from answerprobe.web.pages import _when
from answerprobe.web.pages._links import Links
from answerprobe.web.pages._shown import plain, shown


# Everything a page may load comes from us; nothing in it runs that we did not ship as
# a file, so that words of an agent stay words whatever they say.
POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; "
    "connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
PAGE_HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    # Evidence is nobody's to keep: not a proxy's, not a shared browser's.
    hdrs.CACHE_CONTROL: "no-store",
}
_CLOCK: web.AppKey[Callable[[], datetime]] = web.AppKey("pages.clock")
_STATIC_TYPES = {
    ".css": "text/css",
    ".js": "text/javascript",
    ".svg": "image/svg+xml",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class StaticFile:
    """A style sheet, a script or an icon of ours."""

    body: bytes
    content_type: str


def setup(app: web.Application, links: Links, clock: Callable[[], datetime]) -> None:
    """Let *app* render our templates, with addresses by *links*."""
    app[_CLOCK] = clock
    environment = aiohttp_jinja2.setup(
        app,
        loader=jinja2.PackageLoader("answerprobe.web.pages"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    environment.filters.update(
        shown=shown,
        plain=plain,
        duration=_when.duration,
        percent=_when.percent,
        count=_when.count,
    )
    environment.globals.update(
        links=links,
        moment=_when.moment,
        absolute=_when.absolute,
        plural=_when.plural,
        version=__version__,
    )


async def rendered(
    request: web.Request,
    template: str,
    make: Callable[[], Mapping[str, object]],
    *,
    status: int = 200,
) -> web.Response:
    """Return *template* filled in with what *make* gives, both made in a thread."""
    text = await asyncio.to_thread(partial(_rendered, request, template, make))
    return web.Response(
        text=text, status=status, content_type="text/html", headers=PAGE_HEADERS
    )


def _rendered(
    request: web.Request, template: str, make: Callable[[], Mapping[str, object]]
) -> str:
    """Return the text of a page."""
    environment = aiohttp_jinja2.get_env(request.app)
    now = request.app[_CLOCK]()
    return environment.get_template(template).render(now=now, **make())


def static_files() -> dict[str, StaticFile]:
    """Return what pages load, by name."""
    folder = resources.files("answerprobe.web.pages") / "static"
    return {
        file.name: StaticFile(
            body=file.read_bytes(), content_type=_STATIC_TYPES[_suffix(file.name)]
        )
        for file in folder.iterdir()
        if _suffix(file.name) in _STATIC_TYPES
    }


def _suffix(name: str) -> str:
    """Return how *name* ends, from its last dot on."""
    return name[name.rfind(".") :]
