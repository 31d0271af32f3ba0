"""JSON responses of any size, made without holding up the event loop."""

import asyncio
import json

from collections.abc import AsyncIterable, Iterable

from aiohttp import web

from answerprobe.web.shapes import Shape


# Written in well under a millisecond.
_PIECE_CHARACTERS = 64 * 1024


async def object_response(
    head: Shape, key: str, items: AsyncIterable[Shape]
) -> web.Response:
    """Return *head* with a list of all *items* at *key*, others served meanwhile."""
    parts = [json.dumps({**head, key: []})[:-2]]
    since = 0
    first = True
    async for item in items:
        part = json.dumps(item)
        parts.append(part if first else f", {part}")
        first = False
        since += len(part)
        if since > _PIECE_CHARACTERS:
            since = 0
            await asyncio.sleep(0)
    parts.append("]}")
    return web.json_response(text="".join(parts))


async def each(items: Iterable[Shape]) -> AsyncIterable[Shape]:
    """Yield *items*, made one by one."""
    for item in items:
        yield item
