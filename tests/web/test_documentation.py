from pathlib import Path

import pytest

from aiohttp.web import Application

from answerprobe.metrics import PROBE_FAMILIES
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


@pytest.mark.parametrize("name", [family.name for family in PROBE_FAMILIES])
def test_every_metric_of_a_probe_is_documented(name: str) -> None:
    """By its name."""
    assert f"`{name}`" in DOCUMENT.read_text("utf-8")
