"""The agent that the benches ask: `python agent.py PORT DELAY_MILLISECONDS`."""

import asyncio
import sys

from aiohttp import web


ANSWER = (
    "Parcels can be sent back for 30 days after they arrived, form SB-2093. "
    "The form and all the small print are at https://shop.example.com/sending-back"
)


def application(delay_seconds: float) -> web.Application:
    """Return an agent that answers everything alike, *delay_seconds* later."""

    async def chat(request: web.Request) -> web.Response:
        await request.json()
        if delay_seconds:
            await asyncio.sleep(delay_seconds)
        return web.json_response({"answer": ANSWER})

    app = web.Application()
    app.router.add_post("/api/chat", chat)
    return app


if __name__ == "__main__":
    web.run_app(
        application(int(sys.argv[2]) / 1000),
        host="127.0.0.1",
        port=int(sys.argv[1]),
        access_log=None,
        print=None,
    )
