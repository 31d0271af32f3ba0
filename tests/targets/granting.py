"""An agent that wants access tokens, and who grants them."""

import asyncio
import json

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace

from answerprobe.connection import Connection, Oauth2Auth
from answerprobe.monitor import TargetSettings
from answerprobe.sample import Reply
from answerprobe.secret import Scrubber, Secret, SecretSource
from answerprobe.targets import Grants, Target, make_target
from targets import raw


TOKEN = "t-1"


def granted(token: object = TOKEN, **more: object) -> bytes:
    """Return a good reply of a token endpoint."""
    return raw.http(json.dumps({"access_token": token, **more}).encode())


@dataclass(kw_only=True)
class World:
    """An agent, a token endpoint, and the clock by which tokens expire."""

    agent: raw.Server
    tokens: raw.Server
    secrets: SecretSource
    grants: Grants = field(default_factory=Grants)
    now: float = 0.0
    scopes: tuple[str, ...] = ()

    @property
    def settings(self) -> TargetSettings:
        """The agent's, with its credentials."""
        auth = Oauth2Auth(
            client_id=Secret("an id"),
            client_secret=Secret("secret.CLIENT", self.secrets),
            token_url=Secret(self.tokens.url),
            scopes=self.scopes,
        )
        connection = Connection(
            url=Secret(self.agent.url),
            auth=auth,
            headers={"X-Tenant": Secret("probe"), "authorization": Secret("mine")},
        )
        return replace(raw.chat("x"), connection=connection)

    @property
    def sent(self) -> list[str]:
        """The tokens that the agent got, in order."""
        return [asked.headers["authorization"] for asked in self.agent.asked]

    def target(self) -> Target:
        """Return a target of the agent."""
        return make_target(
            self.settings,
            version="1",
            clock=lambda: self.now,
            grants=self.grants,
            scrub=Scrubber(self.secrets).scrub,
        )

    async def ask(self, *, within_seconds: float = 5.0, times: int = 1) -> list[Reply]:
        """Ask the agent, *times* at once, each time as another monitor."""
        targets = [self.target() for _ in range(times)]
        async with AsyncExitStack() as stack, asyncio.TaskGroup() as group:
            tasks = []
            for target in targets:
                stack.push_async_callback(target.close)
                tasks.append(group.create_task(asked(target, within_seconds)))
        return [task.result() for task in tasks]


async def asked(target: Target, within_seconds: float) -> Reply:
    """Return what *target* replies."""
    async with target.dialogue(raw.TRACEPARENT) as dialogue:
        return await dialogue.say(raw.QUESTION, within_seconds=within_seconds)


@asynccontextmanager
async def world(
    tokens: raw.Handler,
    agent: raw.Handler | None = None,
    client: str = "s3cr3t+/",
) -> AsyncIterator[World]:
    """Serve an agent and the *tokens* that it wants; *client* is our secret."""
    secrets = SecretSource(environment={"CLIENT": client} if client else {})
    async with (
        raw.serving(tokens) as token_server,
        raw.serving(agent or raw.sending(raw.answer())) as agent_server,
    ):
        yield World(agent=agent_server, tokens=token_server, secrets=secrets)
