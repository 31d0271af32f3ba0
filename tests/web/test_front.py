import pytest

from answerprobe.web import Door, WebSettings
from web.serving import World, serving


def below(prefix: str) -> World:
    """Return a world that is served below *prefix*."""
    return World(door=Door(on_loopback=True, open_evidence=False, prefix=prefix))


class TestPrefix:
    @pytest.mark.parametrize(
        "path",
        ["/-/healthy", "/-/ready", "/metrics", "/v1/monitors", "/v1/monitors/shop"],
    )
    async def test_everything_is_below_it(self, path: str) -> None:
        """Health too, as in Prometheus; nothing is left beside it."""
        async with serving(below("/ops/answers")) as client:
            assert (await client.get(f"/ops/answers{path}")).status == 200
            assert (await client.get(path)).status == 404

    def test_no_route_was_left_beside_it(self) -> None:
        """Whatever is served; only what leads there is."""
        routes = {
            route.resource.canonical
            for route in below("/ops").app().router.routes()
            if route.resource is not None
        }

        assert {path for path in routes if not path.startswith("/ops/")} == {
            "/",
            "/ops",
        }

    @pytest.mark.parametrize("path", ["/", "/ops"])
    async def test_what_is_above_leads_there(self, path: str) -> None:
        """So that an address without the path finds it too."""
        async with serving(below("/ops")) as client:
            response = await client.get(path, allow_redirects=False)

            assert response.status == 302
            assert response.headers["Location"] == "/ops/"

    async def test_a_post_works_there(self) -> None:
        """With the rules that hold everywhere."""
        world = below("/ops")
        async with serving(world) as client:
            own = await client.post("/ops/v1/monitors/shop/runs")
            headers = {"Origin": "https://evil.example"}
            foreign = await client.post("/ops/v1/monitors/shop/runs", headers=headers)

            assert [own.status, foreign.status] == [202, 403]

    async def test_it_closes_what_is_closed(self) -> None:
        """A path is no way around the door."""
        door = Door(on_loopback=False, open_evidence=False, prefix="/ops")
        async with serving(World(door=door)) as client:
            statuses = [
                (await client.get(f"/ops{path}")).status
                for path in ("/-/healthy", "/metrics", "/v1/runs", "/nope")
            ]

            assert statuses == [200, 200, 403, 403]

    @pytest.mark.parametrize(
        ("external_url", "prefix", "base"),
        [
            pytest.param("", "", "", id="neither"),
            pytest.param("", "/ops", "/ops", id="prefix"),
            pytest.param("https://h/ops/", "/ops", "/ops", id="both"),
            pytest.param("https://h/ops", "", "/ops", id="stripped-by-a-proxy"),
            pytest.param("https://h", "/ops", "", id="added-by-a-proxy"),
        ],
    )
    def test_links_begin_as_browsers_see_it(
        self, external_url: str, prefix: str, base: str
    ) -> None:
        """What a proxy changes is what the external URL is for."""
        door = Door(
            on_loopback=True,
            open_evidence=False,
            external_url=external_url,
            prefix=prefix,
        )

        assert door.base == base


class TestHeaders:
    @pytest.mark.parametrize("path", ["/metrics", "/v1/monitors", "/nope"])
    async def test_every_response_is_careful(self, path: str) -> None:
        """Nothing is run, framed, guessed at or kept."""
        async with serving(World()) as client:
            headers = (await client.get(path)).headers

            policy = "default-src 'none'; frame-ancestors 'none'"
            assert headers["Content-Security-Policy"] == policy
            assert headers["X-Content-Type-Options"] == "nosniff"
            assert headers["Cache-Control"] == "no-store"

    async def test_those_of_the_web_config_are_on_every_response(self) -> None:
        """Errors too; a policy of one's own never loosens ours."""
        settings = WebSettings(
            headers={"X-Frame-Options": "deny", "Content-Security-Policy": "img-src *"}
        )
        door = Door(on_loopback=True, open_evidence=False, settings=settings)
        async with serving(World(door=door)) as client:
            for path in ("/metrics", "/nope"):
                headers = (await client.get(path)).headers

                assert headers["X-Frame-Options"] == "deny"
                policies = headers.getall("Content-Security-Policy")
                own = "default-src 'none'; frame-ancestors 'none'"
                assert policies == [own, "img-src *"]
