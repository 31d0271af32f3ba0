"""What real Prometheus programs make of a web configuration of ours."""

import asyncio
import shutil
import subprocess

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
import pytest
import yaml

from answerprobe.config import load_web
from certificates import Authority
from cli.program import end, serving_agent, start
from e2e.program import eventually, free_port


ANN = "$2y$04$zyxwvutsrqponmlkjihgfepuImc17WOG24zaPlCPvVszVbzvHIfqi"
PASSWORD = "observer-pass-71"
TLS = "tls_server_config:\n  cert_file: server.crt\n  key_file: server.key\n"
MUTUAL = "  client_auth_type: RequireAndVerifyClientCert\n  client_ca_file: ca.crt\n"
# Debian's promtool is older than this key.
NAMES = "  client_allowed_sans: [scraper.example]\n"


def program(name: str) -> str:
    """Return where the program *name* is."""
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"{name} is not installed; make test does that as root")
    return found


class TestFormat:
    @pytest.mark.parametrize(
        "more",
        [
            pytest.param("", id="tls"),
            pytest.param(MUTUAL, id="client-certificates"),
            pytest.param("  min_version: TLS12\n  max_version: TLS13\n", id="versions"),
            pytest.param(
                "  cipher_suites: [TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256]\n"
                "  prefer_server_cipher_suites: true\n"
                "  curve_preferences: [CurveP256]\n",
                id="suites-and-curve",
            ),
            pytest.param(
                "http_server_config:\n  http2: true\n  headers:\n"
                "    X-Frame-Options: deny\n    X-XSS-Protection: '1'\n"
                "    X-Content-Type-Options: nosniff\n"
                "    Strict-Transport-Security: max-age=31536000\n"
                "    Content-Security-Policy: frame-ancestors 'self'\n",
                id="headers",
            ),
            pytest.param(f"basic_auth_users:\n  ann: {ANN}\n", id="users"),
        ],
    )
    def test_promtool_reads_what_we_read(self, tmp_path: Path, more: str) -> None:
        """One file serves both."""
        Authority(tmp_path).issue("server")
        path = tmp_path / "web.yml"
        path.write_text(TLS + more)
        load_web(path)
        command = [program("promtool"), "check", "web-config", str(path)]
        done = subprocess.run(  # noqa: S603  the real program, on our own file
            command, capture_output=True, text=True, check=False
        )

        assert done.returncode == 0, done.stderr + done.stdout


@asynccontextmanager
async def prometheus(folder: Path, port: int) -> AsyncIterator[str]:
    """Run Prometheus, which scrapes *port* as ann, with a certificate; give its URL."""
    own = free_port()
    scrape = {
        "job_name": "answerprobe",
        "scheme": "https",
        "scrape_interval": "1s",
        "scrape_timeout": "1s",
        "basic_auth": {"username": "ann", "password": PASSWORD},
        "tls_config": {
            "ca_file": str(folder / "ca.crt"),
            "cert_file": str(folder / "scraper.crt"),
            "key_file": str(folder / "scraper.key"),
        },
        "static_configs": [{"targets": [f"127.0.0.1:{port}"]}],
    }
    config = folder / "prometheus.yml"
    config.write_text(yaml.safe_dump({"scrape_configs": [scrape]}))
    process = await asyncio.create_subprocess_exec(
        program("prometheus"),
        f"--config.file={config}",
        f"--storage.tsdb.path={folder / 'tsdb'}",
        f"--web.listen-address=127.0.0.1:{own}",
        "--log.level=error",
    )
    try:
        yield f"http://127.0.0.1:{own}"
    finally:
        process.terminate()
        await process.wait()


async def is_up(url: str) -> bool | None:
    """Return True once the Prometheus at *url* has scraped the daemon."""
    parameters = {"query": 'up{job="answerprobe"} == 1'}
    try:
        async with (
            aiohttp.ClientSession() as session,
            session.get(f"{url}/api/v1/query", params=parameters) as response,
        ):
            return True if (await response.json())["data"]["result"] else None
    except (aiohttp.ClientError, KeyError):
        return None


class TestScrape:
    async def test_prometheus_comes_in_with_its_certificate_and_password(
        self, tmp_path: Path
    ) -> None:
        """By the settings that docs/web-config.md shows."""
        authority = Authority(tmp_path)
        authority.issue("server")
        authority.issue("scraper", "scraper.example")
        web = tmp_path / "web.yml"
        web.write_text(f"{TLS}{MUTUAL}{NAMES}basic_auth_users: {{ann: {ANN}}}\n")
        port = free_port()
        async with serving_agent() as agent:
            daemon = await start(
                "serve",
                f"--config.file={agent.config(tmp_path)}",
                f"--storage.url=sqlite:///{tmp_path}/kept.db",
                f"--web.listen-address=127.0.0.1:{port}",
                f"--web.config.file={web}",
                cwd=tmp_path,
            )
            try:
                async with prometheus(tmp_path, port) as url:
                    assert await eventually(lambda: is_up(url), 40)
            finally:
                daemon.terminate()
                done = await end(daemon)

        assert done.status == 0, done.stderr
