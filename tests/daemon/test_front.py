import asyncio
import ssl

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import aiohttp
import pytest

from aiohttp import web

from answerprobe.daemon._front import Front
from answerprobe.daemon.listen import ListenAddress, listen
from answerprobe.errors import ConfigError
from certificates import Authority, Pair
from e2e.program import free_port


ANN = "$2y$04$zyxwvutsrqponmlkjihgfepuImc17WOG24zaPlCPvVszVbzvHIfqi"
ANNS_PASSWORD = "observer-pass-71"
TLS = "tls_server_config:\n  cert_file: server.crt\n  key_file: server.key\n"
MUTUAL = f"{TLS}  client_ca_file: ca.crt\n  client_auth_type: "


class Reloads:
    """Tells how reading again went."""

    def __init__(self) -> None:
        self._told: asyncio.Queue[bool] = asyncio.Queue()

    def web_config_read(self, *, good: bool) -> None:
        """Remember it."""
        self._told.put_nowait(good)

    async def until(self, *, good: bool) -> None:
        """Wait until it went so."""
        async with asyncio.timeout(20):
            while await self._told.get() is not good:
                pass


@asynccontextmanager
async def watched(front: Front) -> AsyncIterator[Reloads]:
    """Let *front* watch its files while the block runs."""
    reloads = Reloads()
    watch = asyncio.create_task(front.watch(reloads, look_seconds=0.01))
    try:
        yield reloads
    finally:
        watch.cancel()


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """Calls a server as the test's certificates let it."""

    url: str
    trust: Path

    def context(self, shows: Pair | None = None) -> ssl.SSLContext:
        """Return a context that trusts the test's authority, and may show a pair."""
        context = ssl.create_default_context(cafile=str(self.trust))
        if shows:
            context.load_cert_chain(shows.certificate, shows.key)
        return context

    async def status(
        self, shows: Pair | None = None, *, most: ssl.TLSVersion | None = None
    ) -> int:
        """Return the status of a request, 0 where the handshake failed."""
        context = self.context(shows)
        if most:
            context.maximum_version = most
        try:
            async with (
                aiohttp.ClientSession() as session,
                session.get(self.url, ssl=context) as response,
            ):
                return response.status
        except (aiohttp.ClientError, OSError):
            return 0

    async def serial(self) -> str:
        """Return the serial number of the certificate that the server shows."""
        context = self.context()
        port = int(self.url.rpartition(":")[2])
        _, writer = await asyncio.open_connection("127.0.0.1", port, ssl=context)
        serial = str(writer.get_extra_info("peercert")["serialNumber"])
        writer.close()
        await writer.wait_closed()
        return serial


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    """Return an authority that issued the server's certificate."""
    authority = Authority(tmp_path)
    authority.issue("server")
    return authority


def written(folder: Path, text: str) -> Path:
    """Return a web configuration that says *text*."""
    path = folder / "web.yml"
    path.write_text(text, "utf-8")
    return path


@asynccontextmanager
async def served(front: Front, trust: Path) -> AsyncIterator[Client]:
    """Serve what tells whether the client showed a certificate, as *front* says."""

    async def tell(request: web.Request) -> web.Response:
        shown = bool(request.get_extra_info("peercert"))
        return web.Response(status=200 if shown else 204)

    app = web.Application()
    app.router.add_get("/", tell)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    port = free_port()
    await listen(runner, ListenAddress(host="127.0.0.1", port=port), front.tls)
    try:
        yield Client(url=f"https://127.0.0.1:{port}", trust=trust)
    finally:
        await runner.cleanup()


class TestClientCertificates:
    @pytest.mark.parametrize(
        ("policy", "without", "signed", "stranger"),
        [
            pytest.param("NoClientCert", 204, 204, 204, id="none"),
            pytest.param("RequestClientCert", 204, 204, 204, id="request"),
            pytest.param("VerifyClientCertIfGiven", 204, 200, 0, id="if-given"),
            pytest.param("RequireAndVerifyClientCert", 0, 200, 0, id="required"),
        ],
    )
    async def test_a_policy_lets_in_whom_it_says(
        self,
        tmp_path: Path,
        authority: Authority,
        policy: str,
        without: int,
        signed: int,
        stranger: int,
    ) -> None:
        """200: with a certificate that was verified; 204: without; 0: not at all."""
        text = f"{MUTUAL}{policy}\n"
        if policy == "NoClientCert":
            text = text.replace("  client_ca_file: ca.crt\n", "")
        front = Front(written(tmp_path, text))
        mine = authority.issue("client")
        others = Authority(tmp_path, "others").issue("other")
        async with served(front, authority.file) as client:
            found = [await client.status(shows) for shows in (None, mine, others)]

        assert found == [without, signed, stranger]

    @pytest.mark.parametrize(
        ("names", "allowed", "status"),
        [
            pytest.param(("scraper.example",), "scraper.example", 200, id="host"),
            pytest.param(("a.example", "b.example"), "b.example", 200, id="second"),
            pytest.param(("::1",), "'0:0:0:0:0:0:0:1'", 200, id="address"),
            pytest.param(("scraper.example",), "other.example", 0, id="another"),
            pytest.param(("scraper.example",), "client", 0, id="only-the-subject"),
        ],
    )
    async def test_only_allowed_names_come_in(
        self,
        tmp_path: Path,
        authority: Authority,
        names: tuple[str, ...],
        allowed: str,
        status: int,
    ) -> None:
        """Of those whose certificate is good."""
        text = (
            f"{MUTUAL}RequireAndVerifyClientCert\n  client_allowed_sans: [{allowed}]\n"
        )
        front = Front(written(tmp_path, text))
        async with served(front, authority.file) as client:
            assert await client.status(authority.issue("client", *names)) == status


class TestVersions:
    @pytest.mark.parametrize(
        ("more", "status"),
        [
            pytest.param("", 204, id="tls12-by-default"),
            pytest.param("  min_version: TLS13\n", 0, id="tls13-at-least"),
        ],
    )
    async def test_older_clients_are_as_welcome_as_written(
        self, tmp_path: Path, authority: Authority, more: str, status: int
    ) -> None:
        """TLS 1.2 is the least there is."""
        front = Front(written(tmp_path, TLS + more))
        async with served(front, authority.file) as client:
            old = await client.status(most=ssl.TLSVersion.TLSv1_2)
            new = await client.status()

        assert [old, new] == [status, 204]


class TestReload:
    async def test_a_new_certificate_is_shown_and_old_connections_stay(
        self, tmp_path: Path, authority: Authority
    ) -> None:
        """Renewal interrupts nobody."""
        front = Front(written(tmp_path, TLS))
        async with (
            served(front, authority.file) as client,
            aiohttp.ClientSession() as session,
        ):
            context = client.context()
            await (await session.get(client.url, ssl=context)).read()
            before = await client.serial()
            authority.issue("server")
            await front.reload()

            assert await client.serial() != before
            async with session.get(client.url, ssl=context) as response:
                assert response.status == 204

    async def test_an_authority_that_was_taken_out_opens_nothing(
        self, tmp_path: Path, authority: Authority
    ) -> None:
        """Trust can be withdrawn, not only given."""
        text = f"{MUTUAL}RequireAndVerifyClientCert\n"
        front = Front(written(tmp_path, text))
        mine = authority.issue("client")
        others = Authority(tmp_path, "others")
        async with served(front, authority.file) as client:
            assert await client.status(mine) == 200
            written(tmp_path, text.replace("ca.crt", "others.crt"))
            await front.reload()

            assert await client.status(mine) == 0
            assert await client.status(others.issue("other")) == 200

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            pytest.param("basic_auth_usrs: {}\n", "is no key here", id="typo"),
            pytest.param(TLS.replace(".key", ".pem"), "cannot read", id="no-key"),
            pytest.param("", "restart the daemon", id="tls-taken-away"),
        ],
    )
    async def test_a_bad_one_is_refused_and_the_old_goes_on(
        self, tmp_path: Path, authority: Authority, text: str, message: str
    ) -> None:
        """Nobody is locked out, and nobody let in, by a typing error."""
        front = Front(written(tmp_path, f"{TLS}basic_auth_users: {{ann: {ANN}}}\n"))
        async with served(front, authority.file) as client:
            written(tmp_path, text)
            with pytest.raises(ConfigError, match=message):
                await front.reload()

            assert await client.status() == 204
            assert await front.settings.users.verify("ann", ANNS_PASSWORD)


class TestWatch:
    async def test_a_change_of_users_is_noticed(self, tmp_path: Path) -> None:
        """Nobody needs to tell the daemon."""
        front = Front(written(tmp_path, f"basic_auth_users: {{bob: {ANN}}}\n"))
        users = front.settings.users
        async with watched(front) as reloads:
            written(tmp_path, f"basic_auth_users: {{ann: {ANN}}}\n")
            await reloads.until(good=True)

        assert await users.verify("ann", ANNS_PASSWORD)
        assert not await users.verify("bob", ANNS_PASSWORD)

    async def test_a_change_for_the_worse_is_noticed(self, tmp_path: Path) -> None:
        """It is told, and changes nothing."""
        front = Front(written(tmp_path, f"basic_auth_users: {{ann: {ANN}}}\n"))
        async with watched(front) as reloads:
            written(tmp_path, "- nonsense\n")
            await reloads.until(good=False)

        assert await front.settings.users.verify("ann", ANNS_PASSWORD)

    async def test_a_renewed_certificate_is_noticed(
        self, tmp_path: Path, authority: Authority
    ) -> None:
        """The configuration itself need not change."""
        front = Front(written(tmp_path, TLS))
        async with served(front, authority.file) as client, watched(front) as reloads:
            before = await client.serial()
            authority.issue("server")
            await reloads.until(good=True)

            assert await client.serial() != before

    async def test_what_was_missing_is_found_when_it_comes(
        self, tmp_path: Path, authority: Authority
    ) -> None:
        """A certificate and its key are never replaced at one instant."""
        front = Front(written(tmp_path, TLS))
        async with served(front, authority.file) as client, watched(front) as reloads:
            before = await client.serial()
            written(tmp_path, TLS.replace("server.", "later."))
            await reloads.until(good=False)
            authority.issue("later")
            await reloads.until(good=True)

            assert await client.serial() != before
