from collections.abc import Mapping

import pytest

from answerprobe.config import ApiToken, Scope
from answerprobe.secret import Secret, SecretSource
from answerprobe.web import Door
from web.serving import ON_LOOPBACK, FakeLifecycle, World, said, serving


EVERYWHERE = Door(on_loopback=False, open_evidence=False)
POSTS = (
    "/v1/deploys",
    "/v1/monitors/shop/runs",
    "/v1/monitors/shop/pause",
    "/v1/monitors/shop/resume",
    "/-/reload",
)
DEPLOY = b'{"version": "1"}'


def token(
    name: str = "ci", value: str = "s3cret-token", *scopes: Scope, source: bool = False
) -> ApiToken:
    """Return a token with *scopes*, all of them where none is given."""
    secret = Secret(value, SecretSource(environment={})) if source else Secret(value)
    return ApiToken(name=name, token=secret, scopes=frozenset(scopes or Scope))


def with_tokens(*tokens: ApiToken, door: Door = ON_LOOPBACK) -> World:
    """Return a world that knows *tokens*."""
    return World(lifecycle=FakeLifecycle(api_tokens=tokens), door=door)


def bearer(value: str = "s3cret-token") -> dict[str, str]:
    """Return the header that shows a token."""
    return {"Authorization": f"Bearer {value}"}


class TestLoopback:
    @pytest.mark.parametrize("path", POSTS)
    async def test_this_machine_may_post_without_a_token(self, path: str) -> None:
        """With no tokens configured, loopback is enough."""
        async with serving(World()) as client:
            response = await client.post(
                path, data=DEPLOY if "deploys" in path else b""
            )

            assert response.status in (200, 202)

    @pytest.mark.parametrize(
        "headers",
        [
            pytest.param({"Forwarded": "for=1.2.3.4"}, id="forwarded"),
            pytest.param({"X-Forwarded-For": "1.2.3.4"}, id="x-forwarded-for"),
            pytest.param({"x-forwarded-host": "a"}, id="x-forwarded-host"),
            pytest.param({"Via": "1.1 proxy"}, id="via"),
            pytest.param({"Host": "evil.example"}, id="foreign-host"),
            pytest.param({"Host": "127.0.0.1.evil.example"}, id="looks-like-loopback"),
            pytest.param({"Host": ""}, id="empty-host"),
        ],
    )
    async def test_what_came_from_elsewhere_may_not_post(
        self, headers: Mapping[str, str]
    ) -> None:
        """A proxy on this machine, or a name that was rebound, opens nothing."""
        world = World()
        async with serving(world) as client:
            response = await client.post("/v1/deploys", data=DEPLOY, headers=headers)

            assert response.status == 403
            assert "from this machine" in await said(response)
            assert world.fleet.untouched

    @pytest.mark.parametrize(
        "host",
        [
            pytest.param("localhost", id="name"),
            pytest.param("localhost:10099", id="name-and-port"),
            pytest.param("127.0.0.1", id="address"),
            pytest.param("[::1]:10099", id="ipv6-and-port"),
        ],
    )
    async def test_loopback_names_are_fine(self, host: str) -> None:
        """Every usual way to say 'this machine' is one."""
        async with serving(World()) as client:
            response = await client.post(
                "/v1/deploys", data=DEPLOY, headers={"Host": host}
            )

            assert response.status == 202

    async def test_an_unrelated_header_is_no_proxy(self) -> None:
        """Only the headers of proxies count, not those that begin alike."""
        async with serving(World()) as client:
            response = await client.post(
                "/v1/deploys", data=DEPLOY, headers={"Viable": "yes"}
            )

            assert response.status == 202

    async def test_another_listen_address_needs_a_token(self) -> None:
        """Where others can reach the daemon, nobody may post without one."""
        world = World(door=EVERYWHERE)
        async with serving(world) as client:
            response = await client.post("/v1/deploys", data=DEPLOY)

            assert response.status == 403
            assert world.fleet.untouched


class TestReadiness:
    @pytest.mark.parametrize("path", POSTS)
    async def test_nothing_is_taken_while_it_starts_or_ends(self, path: str) -> None:
        """Who sends it work then is told to try again; reading goes on."""
        world = World(lifecycle=FakeLifecycle(ready=False))
        async with serving(world) as client:
            response = await client.post(path, data=DEPLOY)

            assert response.status == 503
            assert "try again" in await said(response)
            assert (await client.get("/v1/monitors")).status == 200
        assert world.fleet.untouched
        assert not world.lifecycle.reloads


class TestOtherSites:
    @pytest.mark.parametrize("path", POSTS)
    @pytest.mark.parametrize(
        "headers",
        [
            pytest.param({"Origin": "https://evil.example"}, id="another-site"),
            pytest.param({"Origin": "null"}, id="sandboxed"),
            pytest.param({"Origin": "http://127.0.0.1:1"}, id="another-port"),
            pytest.param({"Sec-Fetch-Site": "cross-site"}, id="cross-site"),
            pytest.param({"Sec-Fetch-Site": "same-site"}, id="sibling"),
        ],
    )
    async def test_they_cannot_post_whatever_they_know(
        self, path: str, headers: Mapping[str, str]
    ) -> None:
        """A browser's say-so outweighs a right token."""
        world = with_tokens(token())
        async with serving(world) as client:
            response = await client.post(
                path, data=DEPLOY, headers={**headers, **bearer()}
            )

            assert response.status == 403
            assert "another site" in await said(response)
            assert world.fleet.untouched
            assert not world.lifecycle.reloads

    async def test_our_own_pages_may(self) -> None:
        """The daemon's own origin is none of another site."""
        async with serving(World()) as client:
            own = f"http://127.0.0.1:{client.port}"
            headers = {"Origin": own, "Sec-Fetch-Site": "same-origin"}
            response = await client.post("/v1/deploys", data=DEPLOY, headers=headers)

            assert response.status == 202


class TestTokens:
    async def test_a_wrong_one_is_told_from_none(self) -> None:
        """Who sent one learns that it is unknown, not that one is needed."""
        async with serving(with_tokens(token())) as client:
            wrong = await client.post("/-/reload", headers=bearer("wrong"))
            none = await client.post("/-/reload")

            assert "unknown" in await said(wrong)
            assert "needed" in await said(none)

    @pytest.mark.parametrize("path", POSTS)
    @pytest.mark.parametrize(
        "headers",
        [
            pytest.param({}, id="none"),
            pytest.param(bearer("wrong"), id="wrong"),
            pytest.param(bearer("s3cret-toke"), id="shorter"),
            pytest.param(bearer("s3cret-tokens"), id="longer"),
            pytest.param({"Authorization": "s3cret-token"}, id="bare"),
            pytest.param({"Authorization": "Basic s3cret-token"}, id="basic"),
            pytest.param({"Authorization": "Bearer "}, id="empty"),
        ],
    )
    async def test_a_post_without_a_right_one_is_401(
        self, path: str, headers: Mapping[str, str]
    ) -> None:
        """Once tokens are configured, loopback opens nothing any more."""
        world = with_tokens(token())
        async with serving(world) as client:
            response = await client.post(path, data=DEPLOY, headers=headers)

            assert response.status == 401
            assert response.headers["WWW-Authenticate"].startswith("Bearer")
            assert "s3cret" not in await said(response)
            assert world.fleet.untouched

    @pytest.mark.parametrize(
        ("path", "scope"),
        [
            pytest.param("/v1/deploys", Scope.DEPLOYS, id="deploys"),
            pytest.param("/v1/monitors/shop/runs", Scope.RUNS, id="runs"),
            pytest.param("/v1/monitors/shop/pause", Scope.PAUSE, id="pause"),
            pytest.param("/v1/monitors/shop/resume", Scope.PAUSE, id="resume"),
            pytest.param("/-/reload", Scope.RELOAD, id="reload"),
        ],
    )
    async def test_a_scope_is_needed_and_enough(self, path: str, scope: Scope) -> None:
        """A token may do what its scopes say, and nothing else."""
        others = tuple(other for other in Scope if other is not scope)
        world = with_tokens(token("one", "one", scope), token("rest", "rest", *others))
        data = DEPLOY if "deploys" in path else b""
        async with serving(world) as client:
            right = await client.post(path, data=data, headers=bearer("one"))
            wrong = await client.post(path, data=data, headers=bearer("rest"))

            assert right.status in (200, 202)
            assert wrong.status == 403
            assert scope.value in await said(wrong)

    async def test_one_that_cannot_be_had_matches_nothing(self) -> None:
        """A secret that vanished while the daemon runs lets nobody in."""
        world = with_tokens(token(value="secret.GONE", source=True))
        async with serving(world) as client:
            for value in ("secret.GONE", "GONE", "\\0"):
                response = await client.post("/-/reload", headers=bearer(value))

                assert response.status == 401


class TestReading:
    @pytest.mark.parametrize(
        "path",
        [
            pytest.param("/v1/monitors", id="monitors"),
            pytest.param("/v1/monitors/shop", id="monitor"),
            pytest.param("/v1/runs", id="runs"),
            pytest.param("/v1/runs/1.csv", id="csv"),
            pytest.param("/config", id="config"),
            pytest.param("/probe?monitor=shop", id="probe"),
            pytest.param("/v1/runs/1", id="run"),
        ],
    )
    async def test_evidence_needs_a_token_where_others_can_reach_it(
        self, path: str
    ) -> None:
        """Scope read; a token for something else does not do."""
        reader, other = token("r", "r", Scope.READ), token("d", "d", Scope.DEPLOYS)
        async with serving(with_tokens(reader, other, door=EVERYWHERE)) as client:
            assert (await client.get(path)).status == 401
            assert (await client.get(path, headers=bearer("d"))).status == 403
            assert (await client.get(path, headers=bearer("r"))).status in (200, 404)

    async def test_without_any_token_it_says_what_to_do(self) -> None:
        """Nobody can show a token that was never configured."""
        async with serving(World(door=EVERYWHERE)) as client:
            response = await client.get("/v1/runs")

            assert response.status == 403
            assert "api.tokens" in await said(response)

    async def test_it_can_be_opened(self) -> None:
        """--web.open-evidence lets everybody read, and nobody post."""
        door = Door(on_loopback=False, open_evidence=True)
        async with serving(with_tokens(token(), door=door)) as client:
            assert (await client.get("/v1/runs")).status == 200
            assert (await client.post("/-/reload")).status == 401

    async def test_on_loopback_it_is_open(self) -> None:
        """Also where tokens are configured."""
        async with serving(with_tokens(token())) as client:
            assert (await client.get("/v1/monitors")).status == 200

    @pytest.mark.parametrize("path", ["/metrics", "/-/healthy", "/-/ready"])
    async def test_prometheus_never_needs_one(self, path: str) -> None:
        """Metrics and health are open to who can reach them."""
        async with serving(with_tokens(token(), door=EVERYWHERE)) as client:
            assert (await client.get(path)).status == 200
