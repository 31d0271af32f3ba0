import pytest

from answerprobe.errors import ConfigError, Problem
from web.serving import World, said, serving


class TestMetrics:
    async def test_headers_reach_the_exposition_whole(self) -> None:
        """Several header lines are one list, as HTTP says."""
        world = World()
        async with serving(world) as client:
            await client.get(
                "/metrics",
                headers=[
                    ("Accept", "text/plain;q=0.5"),
                    ("Accept", "application/openmetrics-text"),
                    ("Accept-Encoding", "gzip"),
                ],
            )

        wanted = "text/plain;q=0.5, application/openmetrics-text"
        assert world.exposition.asked == [(wanted, "gzip")]

    async def test_the_answer_is_as_rendered(self) -> None:
        """Content type and body come from the exposition, with what caches need."""
        async with serving(World()) as client:
            response = await client.get("/metrics")

            assert await response.read() == b"up 1\n"
            assert response.headers["Content-Type"] == "text/plain; version=0.0.4"
            assert response.headers["Vary"] == "Accept, Accept-Encoding"
            assert "Content-Encoding" not in response.headers

    async def test_a_packed_body_says_so(self) -> None:
        """The bytes are passed on as they are, with the encoding's name."""
        world = World()
        world.exposition.encoding = "identity"
        async with serving(world) as client:
            response = await client.get("/metrics")

            assert response.headers["Content-Encoding"] == "identity"


class TestHealth:
    @pytest.mark.parametrize("path", ["/-/healthy", "/-/ready"])
    async def test_all_is_well(self, path: str) -> None:
        """200 and a short sentence."""
        async with serving(World()) as client:
            response = await client.get(path)

            assert response.status == 200
            assert len(await response.text()) < 100

    async def test_not_ready_is_503_and_still_healthy(self) -> None:
        """A daemon that ends takes no work and needs no restart."""
        world = World()
        world.lifecycle.ready = False
        async with serving(world) as client:
            assert (await client.get("/-/ready")).status == 503
            assert (await client.get("/-/healthy")).status == 200

    async def test_a_dead_task_is_unhealthy(self) -> None:
        """What must run and does not makes the daemon unhealthy."""
        world = World()
        world.lifecycle.healthy = False
        async with serving(world) as client:
            assert (await client.get("/-/healthy")).status == 503


class TestReload:
    async def test_it_reloads(self) -> None:
        """A POST loads the configuration again."""
        world = World()
        async with serving(world) as client:
            response = await client.post("/-/reload")

            assert response.status == 200
            assert world.lifecycle.reloads == 1

    async def test_a_refused_config_is_500_with_every_error(self) -> None:
        """Who asked gets what `check` would have said."""
        problems = tuple(
            Problem(file="a.yml", line=n, column=1, path="x", message=f"wrong {n}")
            for n in (1, 2)
        )
        world = World()
        world.lifecycle.refusal = ConfigError(problems)
        async with serving(world) as client:
            response = await client.post("/-/reload")

            message = await said(response)
            assert response.status == 500
            assert "a.yml:1:1: x: wrong 1" in message
            assert "a.yml:2:1: x: wrong 2" in message
            assert "old configuration goes on" in message
