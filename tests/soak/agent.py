"""
The agents and the judge of a soak: `python -m soak.agent PORT`.

The path says what kind of agent it is: good, slow, one that hangs, and one that breaks
in another way each time.
"""

import asyncio
import itertools
import random
import sys

from collections.abc import Callable

from aiohttp import web


GOOD = "Parcels can be sent back for 30 days after they arrived."
_PASS = '{"reason": "It names the 30 days.", "verdict": "pass"}'
_VERDICTS = (_PASS, _PASS, _PASS, "I would rather not say.", '{"verdict": "pa')
_BROKEN: tuple[Callable[[], web.Response], ...] = (
    web.Response,
    lambda: web.Response(status=503, text="busy"),
    lambda: web.Response(text='{"answer": "cut', content_type="application/json"),
    lambda: web.Response(text="<html>Please wait</html>", content_type="text/html"),
    lambda: web.json_response({"answer": "\x00\x1b[2J\u202e" * 1000}),
    lambda: web.json_response({"answer": "x" * 2_000_000}),
    lambda: web.json_response({"answer": [[[]]]}),
)


async def good(_request: web.Request) -> web.Response:
    """Answer well, at once."""
    return web.json_response({"answer": GOOD})


async def slow(_request: web.Request) -> web.Response:
    """Answer well, after a while."""
    await asyncio.sleep(random.uniform(0.2, 1.5))  # noqa: S311  no secret
    return web.json_response({"answer": GOOD})


async def hang(_request: web.Request) -> web.Response:
    """Never answer."""
    await asyncio.Event().wait()
    return web.Response()


def application() -> web.Application:
    """Return the agents and the judge."""
    kinds, verdicts = itertools.cycle(_BROKEN), itertools.cycle(_VERDICTS)

    async def broken(request: web.Request) -> web.Response:
        """Do something else wrong each time; now and then leave without a word."""
        if random.random() < 0.1 and request.transport:  # noqa: S311  no secret
            request.transport.abort()
        return next(kinds)()

    async def judge(_request: web.Request) -> web.Response:
        """Judge, mostly; hang now and then."""
        if random.random() < 0.02:  # noqa: S311  no secret
            await asyncio.Event().wait()
        message = {"role": "assistant", "content": next(verdicts)}
        choice = {"index": 0, "finish_reason": "stop", "message": message}
        return web.json_response({"id": "1", "model": "m-1", "choices": [choice]})

    app = web.Application()
    for name, handler in (
        ("good", good),
        ("slow", slow),
        ("hang", hang),
        ("broken", broken),
    ):
        app.router.add_post(f"/{name}", handler)
    app.router.add_post("/v1/chat/completions", judge)
    return app


if __name__ == "__main__":
    web.run_app(
        application(),
        host="127.0.0.1",
        port=int(sys.argv[1]),
        access_log=None,
        print=None,
    )
