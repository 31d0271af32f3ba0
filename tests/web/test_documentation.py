from pathlib import Path

import pytest

from aiohttp.web import Application

from web.serving import World


DOCUMENT = Path(__file__).parents[2] / "docs" / "api.md"


def routes() -> list[str]:
    """Return everything that is served, as `GET /path`."""
    app: Application = World().app()
    return sorted(
        f"{route.method} {route.resource.canonical}"
        for route in app.router.routes()
        if route.resource is not None and route.method != "HEAD"
    )


@pytest.mark.parametrize("route", routes())
def test_every_route_is_documented(route: str) -> None:
    """Under its method and path."""
    assert f"`{route}`" in DOCUMENT.read_text("utf-8")
