"""JSON responses of any size, made without holding up the event loop."""

import asyncio
import json

from collections.abc import AsyncIterable, Callable, Iterable, Mapping

from aiohttp import web

from answerprobe.shapes import Shape


# Written in well under a millisecond.
_PIECE_CHARACTERS = 64 * 1024


async def object_response(
    head: Shape,
    key: str,
    items: AsyncIterable[Shape],
    *,
    also: Mapping[str, AsyncIterable[Shape]] | None = None,
) -> web.Response:
    """
    Return *head* with a list of all *items* at *key*, others served meanwhile.

    *also* has further lists by their keys.
    """
    # The head ends with its own empty list and bracket: `[]}`.
    text = json.dumps({**head, key: []})[:-2] + await _written(items)
    for name, more in (also or {}).items():
        text += f"], {json.dumps(name)}: [{await _written(more)}"
    return web.json_response(text=text + "]}")


async def written_meanwhile(shape: Callable[[], Shape]) -> str:
    """Return what *shape* returns as JSON, others served meanwhile."""
    return await asyncio.to_thread(_in_pieces, shape)


def _in_pieces(shape: Callable[[], Shape]) -> str:
    """Return what *shape* returns as JSON."""
    # Encoded at once it would hold up every thread.
    return "".join(json.JSONEncoder().iterencode(shape()))


async def _written(items: AsyncIterable[Shape]) -> str:
    """Return *items* as they stand in a list, others served meanwhile."""
    written: list[str] = []
    since = 0
    async for item in items:
        written.append(json.dumps(item))
        since += len(written[-1])
        if since > _PIECE_CHARACTERS:
            since = 0
            await asyncio.sleep(0)
    return ", ".join(written)


async def each(items: Iterable[Shape]) -> AsyncIterable[Shape]:
    """Yield *items*, made one by one."""
    for item in items:
        yield item
