import base64

from collections.abc import Mapping

import pytest

from answerprobe.config import ApiToken, Scope
from answerprobe.secret import Secret
from answerprobe.web import Door, WebSettings
from answerprobe.web._limits import Limiter
from answerprobe.web._users import Users
from web.serving import FakeLifecycle, World, said, serving
from web.test_users import hashed


USERS = {"ann": hashed("ann's secret"), "bob": hashed("bob's secret")}
READER = ApiToken(name="r", token=Secret("r-token"), scopes=frozenset({Scope.READ}))
RUNNER = ApiToken(name="x", token=Secret("x-token"), scopes=frozenset({Scope.RUNS}))
RUNS = "/v1/monitors/shop/runs"


def basic(name: str = "ann", password: str | None = None) -> dict[str, str]:
    """Return the header of a login, by default the right one."""
    secret = f"{name}'s secret" if password is None else password
    text = f"{name}:{secret}"
    return {"Authorization": f"Basic {base64.b64encode(text.encode()).decode()}"}


def bearer(value: str) -> dict[str, str]:
    """Return the header that shows a token."""
    return {"Authorization": f"Bearer {value}"}


def closed(
    *,
    admins: frozenset[str] | None = None,
    tokens: tuple[ApiToken, ...] = (),
    failures: Limiter | None = None,
    on_loopback: bool = True,
) -> World:
    """Return a world that only web users and tokens may enter."""
    door = Door(
        on_loopback=on_loopback,
        open_evidence=True,
        settings=WebSettings(users=Users(USERS)),
        failures=failures or Limiter(burst=100, per_second=1),
    )
    lifecycle = FakeLifecycle(api_tokens=tokens, api_admins=admins)
    return World(lifecycle=lifecycle, door=door)


class TestUsersOnly:
    @pytest.mark.parametrize(
        "path",
        [
            pytest.param("/metrics", id="metrics"),
            pytest.param("/v1/monitors", id="api"),
            pytest.param("/nothing/here", id="no-such-path"),
            pytest.param("/-/reload", id="wrong-method"),
            pytest.param("/-/healthy/../../v1/runs", id="dots"),
        ],
    )
    @pytest.mark.parametrize(
        "headers",
        [
            pytest.param({}, id="nothing"),
            pytest.param(basic("ann", "x"), id="wrong-password"),
            pytest.param(basic("eve"), id="no-user"),
            pytest.param({"Authorization": "Basic !!!"}, id="no-base64"),
            pytest.param({"Authorization": "Basic bm9jb2xvbg=="}, id="no-colon"),
            pytest.param(bearer("ann's secret"), id="as-a-token"),
        ],
    )
    async def test_everything_is_closed_to_others(
        self, path: str, headers: Mapping[str, str]
    ) -> None:
        """What there is and what there isn't; --web.open-evidence opens nothing."""
        async with serving(closed()) as client:
            response = await client.get(path, headers=headers)

            assert response.status == 401
            assert response.headers["WWW-Authenticate"].startswith("Basic realm=")
            assert "secret" not in await said(response)

    async def test_every_route_there_is_is_closed(self) -> None:
        """However many will be added."""
        world = closed()
        routes = [
            (route.method, route.resource.canonical)
            for route in world.app().router.routes()
            if route.resource is not None and "/-/healthy" not in str(route.resource)
        ]
        async with serving(world) as client:
            opened = [
                (method, path)
                for method, path in routes
                if (await client.request(method, path)).status != 401
            ]

        assert sorted(opened) == [("GET", "/-/ready"), ("HEAD", "/-/ready")]

    @pytest.mark.parametrize("path", ["/-/healthy", "/-/ready"])
    async def test_health_is_open(self, path: str) -> None:
        """The kubelet knows no password."""
        async with serving(closed()) as client:
            assert (await client.get(path)).status == 200
            wrong = await client.get(path, headers=basic("ann", "x"))
            assert wrong.status == 200

    async def test_a_user_may_read_and_post(self) -> None:
        """All of them, where api.admins is not written."""
        world = closed(on_loopback=False)
        async with serving(world) as client:
            for path in ("/metrics", "/v1/monitors"):
                assert (await client.get(path, headers=basic())).status == 200
            assert (await client.post(RUNS, headers=basic("bob"))).status == 202
        assert len(world.fleet.ordered) == 1

    async def test_another_site_cannot_use_their_password(self) -> None:
        """Browsers send it with every request, also with one that others caused."""
        world = closed()
        async with serving(world) as client:
            headers = {**basic(), "Origin": "https://evil.example"}
            response = await client.post(RUNS, headers=headers)

            assert response.status == 403
            assert world.fleet.untouched


class TestAdmins:
    async def test_others_may_only_read(self) -> None:
        """And are told why."""
        world = closed(admins=frozenset({"ann"}))
        async with serving(world) as client:
            assert (await client.get("/v1/runs", headers=basic("bob"))).status == 200
            response = await client.post(RUNS, headers=basic("bob"))

            assert response.status == 403
            assert "api.admins" in await said(response)
            assert world.fleet.untouched
            assert (await client.post(RUNS, headers=basic("ann"))).status == 202


class TestTokensBesideUsers:
    async def test_a_token_does_what_its_scope_says(self) -> None:
        """It needs no user."""
        async with serving(closed(tokens=(READER, RUNNER))) as client:
            read = await client.get("/v1/runs", headers=bearer("r-token"))
            scrape = await client.get("/metrics", headers=bearer("r-token"))
            other = await client.get("/v1/runs", headers=bearer("x-token"))
            run = await client.post(RUNS, headers=bearer("x-token"))
            forbidden = await client.post(RUNS, headers=bearer("r-token"))

            answers = (read, scrape, other, run, forbidden)
            assert [r.status for r in answers] == [200, 200, 403, 202, 403]


class TestFailures:
    async def test_who_guesses_must_wait(self) -> None:
        """And is told how long."""
        limiter = Limiter(burst=3, per_second=0.01)
        async with serving(closed(failures=limiter)) as client:
            guesses = [
                await client.get("/metrics", headers=basic(password=f"{number}"))
                for number in range(5)
            ]

            assert [g.status for g in guesses] == [401, 401, 401, 429, 429]
            assert int(guesses[-1].headers["Retry-After"]) in range(90, 101)

    async def test_who_is_known_never_waits(self) -> None:
        """A scrape goes on while somebody behind the same address guesses."""
        limiter = Limiter(burst=3, per_second=0.01)
        async with serving(closed(failures=limiter, tokens=(READER,))) as client:
            await client.get("/metrics", headers=basic())
            for number in range(5):
                await client.get("/metrics", headers=basic(password=f"{number}"))

            known = await client.get("/metrics", headers=basic())
            token = await client.get("/metrics", headers=bearer("r-token"))
            assert [known.status, token.status] == [200, 200]

    async def test_another_address_never_waits(self) -> None:
        """Guesses count against whom they come from."""
        limiter = Limiter(burst=1, per_second=0.01)
        limiter.count("192.0.2.7")
        async with serving(closed(failures=limiter)) as client:
            assert (await client.get("/metrics", headers=basic())).status == 200

    async def test_a_request_without_a_password_is_no_guess(self) -> None:
        """A browser asks first, and then for the password."""
        limiter = Limiter(burst=1, per_second=0.01)
        async with serving(closed(failures=limiter)) as client:
            for _ in range(5):
                assert (await client.get("/metrics")).status == 401
            assert (await client.get("/metrics", headers=basic())).status == 200

    async def test_guessed_tokens_count_too(self) -> None:
        """Also where there are no users."""
        door = Door(
            on_loopback=False,
            open_evidence=False,
            failures=Limiter(burst=2, per_second=0.01),
        )
        world = World(lifecycle=FakeLifecycle(api_tokens=(READER,)), door=door)
        async with serving(world) as client:
            statuses = [
                (await client.get("/v1/runs", headers=bearer(f"guess {n}"))).status
                for n in range(3)
            ]
            right = await client.get("/v1/runs", headers=bearer("r-token"))

            assert statuses == [401, 401, 429]
            assert right.status == 200


class TestStarts:
    async def test_who_starts_too_much_must_wait(self) -> None:
        """What only looks, pauses or reloads goes on."""
        door = Door(
            on_loopback=True,
            open_evidence=False,
            starts=Limiter(burst=2, per_second=0.1),
        )
        world = World(door=door)
        async with serving(world) as client:
            answers = [await client.post(RUNS) for _ in range(3)]
            others = [
                await client.post("/v1/monitors/shop/pause"),
                await client.post("/-/reload"),
                await client.get("/v1/runs"),
            ]

            assert [r.status for r in answers] == [202, 202, 429]
            assert answers[2].headers["Retry-After"] == "10"
            assert [r.status for r in others] == [202, 200, 200]
        assert len(world.fleet.ordered) == 2

    async def test_a_deploy_starts_runs_too(self) -> None:
        """Whatever it matches."""
        door = Door(
            on_loopback=True,
            open_evidence=False,
            starts=Limiter(burst=1, per_second=0.1),
        )
        async with serving(World(door=door)) as client:
            deploys = [
                await client.post("/v1/deploys", data=b'{"version": "1"}')
                for _ in range(2)
            ]

            assert [r.status for r in deploys] == [202, 429]
