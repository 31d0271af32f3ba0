"""Plain text that may quote anybody, and that no browser takes for anything else."""

from aiohttp import hdrs, web


def plain_text(text: str, *, version: str | None = None) -> web.Response:
    """Return *text*, to be shown as it is; *version*: of the format of metrics."""
    parameter = "" if version is None else f"; version={version}"
    return web.Response(
        body=text.encode(),
        headers={
            hdrs.CONTENT_TYPE: f"text/plain{parameter}; charset=utf-8",
            "X-Content-Type-Options": "nosniff",
        },
    )
