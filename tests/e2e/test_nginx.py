"""The real program behind a real nginx that ends TLS."""

import asyncio
import shutil
import ssl

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import aiohttp
import pytest

from certificates import Authority
from cli.program import Agent, end, serving_agent, start
from e2e.program import eventually, free_port


ANN = {"Authorization": aiohttp.encode_basic_auth("observer", "observer-pass-71")}
USERS = """\
basic_auth_users:
  observer: $2y$04$zyxwvutsrqponmlkjihgfepuImc17WOG24zaPlCPvVszVbzvHIfqi
"""
RUNS = "/answers/v1/monitors/shop/runs"
CONFIG = """
daemon off;
pid {folder}/nginx.pid;
error_log stderr error;
worker_processes 1;
events {{ worker_connections 64; }}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    server {{
        listen 127.0.0.1:{port} ssl;
        server_name ops.example;
        ssl_certificate {folder}/ops.example.crt;
        ssl_certificate_key {folder}/ops.example.key;
        location /answers/ {{
            proxy_pass http://127.0.0.1:{daemon}{stripped};
            proxy_set_header Host $http_host;
            proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
        }}
    }}
}}
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Proxied:
    """The daemon as a browser sees it, and the agent that it watches."""

    session: aiohttp.ClientSession
    agent: Agent
    origin: str

    async def status(
        self, method: str, path: str, headers: Mapping[str, str] | None = None
    ) -> int:
        """Return the status of a request through nginx."""
        async with self.session.request(
            method, path, headers=headers, allow_redirects=False
        ) as response:
            return response.status


def nginx() -> str:
    """Return the program."""
    found = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
    if found is None:
        pytest.skip("nginx is not installed; make test does that")
    return found


@asynccontextmanager
async def proxied(
    folder: Path, *flags: str, stripped: str = "", web: str = USERS
) -> AsyncIterator[Proxied]:
    """Run the daemon with *flags* below https://ops.example:PORT/answers/."""
    port, daemon = free_port(), free_port()
    origin = f"https://ops.example:{port}"
    authority = Authority(folder)
    authority.issue("ops.example", "ops.example")
    (folder / "web.yml").write_text(web, "utf-8")
    config = folder / "nginx.conf"
    config.write_text(
        CONFIG.format(folder=folder, port=port, daemon=daemon, stripped=stripped)
    )
    proxy = await asyncio.create_subprocess_exec(
        nginx(), "-p", folder, "-e", "stderr", "-c", config
    )
    async with serving_agent() as agent:
        program = await start(
            "serve",
            f"--config.file={agent.config(folder)}",
            f"--storage.url=sqlite:///{folder}/kept.db",
            f"--web.listen-address=127.0.0.1:{daemon}",
            f"--web.config.file={folder}/web.yml",
            f"--web.external-url={origin}/answers/",
            *flags,
            cwd=folder,
        )
        try:
            async with connected(origin, port, authority.file) as session:
                seen = Proxied(session=session, agent=agent, origin=origin)
                await eventually(lambda: ready(seen), 30)
                yield seen
        finally:
            for process in (program, proxy):
                if process.returncode is None:
                    process.terminate()
            done = await end(program)
            await proxy.wait()
    assert done.status == 0, done.stderr


@asynccontextmanager
async def connected(
    origin: str, port: int, trust: Path
) -> AsyncIterator[aiohttp.ClientSession]:
    """Return a session for *origin*, which is on this machine."""

    class Here(aiohttp.abc.AbstractResolver):
        """Finds every name on this machine."""

        async def resolve(
            self, host: str, _port: int = 0, family: int = 0
        ) -> list[aiohttp.abc.ResolveResult]:
            return [
                aiohttp.abc.ResolveResult(
                    hostname=host,
                    host="127.0.0.1",
                    port=port,
                    family=family,
                    proto=0,
                    flags=0,
                )
            ]

        async def close(self) -> None:
            """Nothing is open."""

    context = ssl.create_default_context(cafile=str(trust))
    connector = aiohttp.TCPConnector(resolver=Here(), ssl=context)
    async with aiohttp.ClientSession(origin, connector=connector) as session:
        yield session


async def ready(seen: Proxied) -> bool | None:
    """Return True once the daemon answers through nginx."""
    try:
        status = await seen.status("GET", "/answers/-/ready")
    except aiohttp.ClientError:
        return None
    return True if status == 200 else None


class TestBehindNginx:
    async def test_a_user_reads_and_runs_by_the_external_url(
        self, tmp_path: Path
    ) -> None:
        """As a browser does: with the origin that it sees, and the prefix."""
        async with proxied(tmp_path) as seen:
            assert await seen.status("GET", "/answers/metrics") == 401
            assert await seen.status("GET", "/answers/metrics", ANN) == 200
            own = {"Origin": seen.origin, "Sec-Fetch-Site": "same-origin"}
            assert await seen.status("POST", RUNS, {**ANN, **own}) == 202
            async with asyncio.timeout(20):
                await seen.agent.reached.wait()

    async def test_others_cannot(self, tmp_path: Path) -> None:
        """Without a user, or from another site with a user's password."""
        async with proxied(tmp_path) as seen:
            plain = seen.origin.replace("https:", "http:")
            others = [
                {},
                {**ANN, "Origin": "https://evil.example"},
                {**ANN, "Origin": plain},
                {**ANN, "Sec-Fetch-Site": "cross-site"},
            ]
            statuses = [await seen.status("POST", RUNS, each) for each in others]

            assert statuses == [401, 403, 403, 403]
            assert seen.agent.asked == []

    async def test_without_users_nobody_may_post_through_it(
        self, tmp_path: Path
    ) -> None:
        """A proxy on this machine speaks for others; reading is open on loopback."""
        async with proxied(tmp_path, web="") as seen:
            assert await seen.status("GET", "/answers/v1/monitors") == 200
            assert await seen.status("POST", RUNS) == 403
            assert seen.agent.asked == []

    async def test_it_may_take_the_path_away(self, tmp_path: Path) -> None:
        """Then the daemon serves without it, and still knows its own origin."""
        flag = "--web.route-prefix=/"
        async with proxied(tmp_path, flag, stripped="/") as seen:
            own = {**ANN, "Origin": seen.origin}
            assert await seen.status("GET", "/answers/metrics", ANN) == 200
            assert await seen.status("POST", RUNS, own) == 202
