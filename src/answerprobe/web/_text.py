"""Plain text that may quote anybody, and that no browser takes for anything else."""

from aiohttp import web


def plain_text(text: str, *, content_type: str = "text/plain") -> web.Response:
    """Return *text*, to be shown as it is."""
    return web.Response(
        text=text,
        content_type=content_type,
        charset="utf-8",
        headers={"X-Content-Type-Options": "nosniff"},
    )
