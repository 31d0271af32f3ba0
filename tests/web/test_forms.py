from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer

from answerprobe.config import ApiToken, Scope
from answerprobe.secret import Secret, SecretSource
from answerprobe.web import Door, WebSettings
from answerprobe.web._errors import make_error_middleware
from answerprobe.web._front import make_door_middleware
from answerprobe.web._guard import API_TOKEN, FORM_TOKEN
from answerprobe.web._users import Users
from web.serving import Client
from web.test_login import USERS, basic


TOKEN = ApiToken(
    name="ci", token=Secret("s3cret-token"), scopes=frozenset({Scope.RUNS})
)


@dataclass(frozen=True, slots=True, kw_only=True)
class FakeCallers:
    """Callers as the test says."""

    ready: bool = True
    api_tokens: Sequence[ApiToken] = ()
    api_admins: frozenset[str] | None = None


@asynccontextmanager
async def page_of(
    callers: FakeCallers,
    *,
    on_loopback: bool = True,
    external_url: str = "",
    users: Mapping[str, str] | None = None,
) -> AsyncIterator[Client]:
    """Serve a page that shows its form token, and takes its form."""
    door = Door(
        on_loopback=on_loopback,
        open_evidence=True,
        external_url=external_url,
        callers=callers,
        settings=WebSettings(users=Users(users)),
    )

    async def show(request: web.Request) -> web.Response:
        shown = f"{door.csrf_token(request)} {door.may_write(request)}"
        return web.Response(text=shown)

    async def take(request: web.Request) -> web.Response:
        door.check_form(request, await request.post(), Scope.RUNS)
        return web.Response(text="taken")

    errors = make_error_middleware(lambda: None)
    app = web.Application(middlewares=[errors, make_door_middleware(door)])
    app.add_routes([web.get("/", show), web.post("/", take)])
    async with TestClient(TestServer(app, host="127.0.0.1")) as client:
        yield client


async def shown(
    client: Client, headers: Mapping[str, str] | None = None
) -> tuple[str, bool]:
    """Return the form token of the page, and whether it shows buttons."""
    page = await client.get("/", headers=headers)
    token, may_write = (await page.text()).split()
    return token, may_write == "True"


class TestForms:
    async def test_a_page_of_ours_may_post(self) -> None:
        """With the token that stands in its form."""
        async with page_of(FakeCallers()) as client:
            token, may_write = await shown(client)
            response = await client.post("/", data={FORM_TOKEN: token})

            assert (may_write, response.status) == (True, 200)

    @pytest.mark.parametrize(
        "form",
        [
            pytest.param({}, id="none"),
            pytest.param({FORM_TOKEN: ""}, id="empty"),
            pytest.param({FORM_TOKEN: "1.2"}, id="guessed"),
        ],
    )
    async def test_nothing_else_may(self, form: Mapping[str, str]) -> None:
        """A form without our token was not made by a page of ours."""
        async with page_of(FakeCallers()) as client:
            response = await client.post("/", data=form)

            assert response.status == 403
            assert "load the page anew" in await response.text()

    async def test_where_others_can_come_in_nobody_may(self) -> None:
        """Without tokens and users there are no buttons there."""
        async with page_of(FakeCallers(), on_loopback=False) as client:
            token, may_write = await shown(client)
            response = await client.post("/", data={FORM_TOKEN: token})

            assert (may_write, response.status) == (False, 403)

    async def test_where_tokens_are_needed_the_form_asks_for_one(self) -> None:
        """The page itself is no way around them."""
        async with page_of(FakeCallers(api_tokens=(TOKEN,))) as client:
            token, may_write = await shown(client)
            form = {FORM_TOKEN: token}
            without = await client.post("/", data=form)
            wrong = await client.post("/", data={**form, API_TOKEN: "x"})
            right = await client.post("/", data={**form, API_TOKEN: "s3cret-token"})

            assert may_write
            assert [r.status for r in (without, wrong, right)] == [401, 401, 200]

    @pytest.mark.parametrize(
        "sent", [pytest.param("\0", id="nul"), pytest.param("lost", id="its name")]
    )
    async def test_a_token_that_cannot_be_had_is_nobodys(
        self, sent: str, tmp_path: Path
    ) -> None:
        """Its file is gone, as in a rotation that went wrong."""
        lost = Secret("secret.LOST", SecretSource(tmp_path, environment={}))
        token = ApiToken(name="lost", token=lost, scopes=frozenset({Scope.RUNS}))
        async with page_of(FakeCallers(api_tokens=(token,))) as client:
            form_token, _ = await shown(client)
            form = {FORM_TOKEN: form_token, API_TOKEN: sent}
            response = await client.post("/", data=form)

            assert response.status == 401

    async def test_nothing_is_taken_while_it_ends(self) -> None:
        """As everywhere."""
        async with page_of(FakeCallers(ready=False)) as client:
            token, _ = await shown(client)

            assert (await client.post("/", data={FORM_TOKEN: token})).status == 503


class TestFormsOfUsers:
    async def test_the_token_of_ones_own_page_is_needed(self) -> None:
        """The password comes by itself, whoever makes the browser send it."""
        async with page_of(FakeCallers(), users=USERS) as client:
            anns, may_write = await shown(client, basic("ann"))
            bobs, _ = await shown(client, basic("bob"))
            answers = [
                await client.post("/", data={FORM_TOKEN: each}, headers=basic("ann"))
                for each in (anns, bobs, "")
            ]

            assert may_write
            assert [r.status for r in answers] == [200, 403, 403]

    async def test_who_is_no_admin_sees_no_buttons(self) -> None:
        """And could not use them."""
        callers = FakeCallers(api_admins=frozenset({"ann"}))
        async with page_of(callers, users=USERS) as client:
            _, anns_buttons = await shown(client, basic("ann"))
            token, bobs_buttons = await shown(client, basic("bob"))
            form = {FORM_TOKEN: token}
            response = await client.post("/", data=form, headers=basic("bob"))

            assert (anns_buttons, bobs_buttons) == (True, False)
            assert response.status == 403
            assert "api.admins" in await response.text()

    async def test_no_token_is_asked_of_a_user(self) -> None:
        """Who is logged in has shown enough."""
        callers = FakeCallers(api_tokens=(TOKEN,))
        async with page_of(callers, users=USERS) as client:
            token, _ = await shown(client, basic())
            response = await client.post("/", data={FORM_TOKEN: token}, headers=basic())

            assert response.status == 200

    async def test_another_replica_takes_it(self) -> None:
        """Behind one address, a form may reach another process than its page did."""
        async with page_of(FakeCallers(), users=USERS) as client:
            token, _ = await shown(client, basic())
        async with page_of(FakeCallers(), users=USERS) as client:
            response = await client.post("/", data={FORM_TOKEN: token}, headers=basic())

            assert response.status == 200


class TestExternalUrl:
    @pytest.mark.parametrize(
        ("origin", "status"),
        [
            pytest.param("https://ops.example", 200, id="external"),
            pytest.param("https://OPS.example:443", 200, id="port-written"),
            pytest.param("http://ops.example", 403, id="another-scheme"),
            pytest.param("https://ops.example:8443", 403, id="another-port"),
            pytest.param("https://ops.example.evil", 403, id="looks-alike"),
            pytest.param("null", 403, id="sandboxed"),
        ],
    )
    async def test_its_origin_is_our_own(self, origin: str, status: int) -> None:
        """A proxy before us changes scheme and host of what the browser sees."""
        url = "https://ops.example/answers/"
        async with page_of(FakeCallers(), external_url=url) as client:
            token, _ = await shown(client)
            response = await client.post(
                "/", data={FORM_TOKEN: token}, headers={"Origin": origin}
            )

            assert response.status == status
