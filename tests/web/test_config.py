from web.serving import FakeLifecycle, World, serving


class TestConfig:
    async def test_it_is_shown_as_plain_text(self) -> None:
        """A browser must not take it for a page."""
        world = World(lifecycle=FakeLifecycle(written="a: <b>é</b>\n"))
        async with serving(world) as client:
            response = await client.get("/config")

            assert (response.status, await response.text()) == (200, "a: <b>é</b>\n")
        assert response.headers["Content-Type"] == "text/plain; charset=utf-8"
        assert response.headers["X-Content-Type-Options"] == "nosniff"
