import base64

from collections.abc import Mapping
from pathlib import Path

import aiohttp

from cli.program import Agent
from daemon.test_end import Serving, serving
from e2e.program import eventually


ANN = "$2y$04$zyxwvutsrqponmlkjihgfepuImc17WOG24zaPlCPvVszVbzvHIfqi"
REFUSED = "answerprobe_config_last_reload_successful 0.0"


def login(name: str) -> dict[str, str]:
    """Return the header of *name*, whose password is the one behind the hash."""
    shown = base64.b64encode(f"{name}:observer-pass-71".encode()).decode()
    return {"Authorization": f"Basic {shown}"}


async def get(world: Serving, path: str, headers: Mapping[str, str]) -> tuple[int, str]:
    """Return status and body of a request."""
    async with (
        aiohttp.ClientSession() as session,
        session.get(world.url + path, headers=headers) as response,
    ):
        return response.status, await response.text()


async def until_refused(world: Serving, *, refused: bool) -> None:
    """Wait until the metrics show that the last configuration was *refused*."""

    async def look() -> bool | None:
        _, text = await get(world, "/metrics", login("ann"))
        return True if (REFUSED in text) is refused else None

    await eventually(look, 20)


class TestWebConfig:
    async def test_it_is_obeyed_and_followed(
        self, agent: Agent, tmp_path: Path
    ) -> None:
        """Users come and go without a restart; a typing error locks nobody out."""
        web = tmp_path / "web.yml"
        web.write_text(f"basic_auth_users: {{ann: {ANN}}}\n")
        flag = f"--web.config.file={web}"
        async with serving(agent.config(tmp_path), flag) as world:
            assert (await get(world, "/metrics", {}))[0] == 401
            assert (await get(world, "/metrics", login("ann")))[0] == 200
            assert (await get(world, "/metrics", login("bob")))[0] == 401

            web.write_text("basic_auth_usrs: {}\n")
            await until_refused(world, refused=True)
            web.write_text(f"basic_auth_users: {{ann: {ANN}, bob: {ANN}}}\n")
            await until_refused(world, refused=False)

            assert (await get(world, "/metrics", login("bob")))[0] == 200
            assert (await get(world, "/metrics", {}))[0] == 401

    async def test_a_reload_reads_it_too(self, agent: Agent, tmp_path: Path) -> None:
        """And says what is wrong with it."""
        web = tmp_path / "web.yml"
        web.write_text("")
        flag = f"--web.config.file={web}"
        async with (
            serving(agent.config(tmp_path), flag) as world,
            aiohttp.ClientSession() as session,
        ):
            web.write_text("- nonsense\n")
            async with session.post(f"{world.url}/-/reload") as response:
                assert response.status == 500
                assert "web.yml:1:1: is a list" in await response.text()
            web.write_text("http_server_config: {headers: {X-Frame-Options: deny}}\n")
            async with session.post(f"{world.url}/-/reload") as response:
                assert response.status == 200
                assert response.headers["X-Frame-Options"] == "deny"
