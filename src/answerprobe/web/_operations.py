"""What Prometheus and operators call: metrics, health, reload."""

from collections.abc import Sequence

from aiohttp import hdrs, web

from answerprobe.config import Scope
from answerprobe.errors import ConfigError, RequestError
from answerprobe.web._base import Services
from answerprobe.web._guard import Door
from answerprobe.web._text import plain_text


class Operations:
    """Handlers of everything outside of /v1."""

    def __init__(self, services: Services, door: Door) -> None:
        self._services = services
        self._door = door

    @property
    def routes(self) -> Sequence[web.RouteDef]:
        """What is served where."""
        return [
            web.get("/metrics", self.metrics),
            web.get("/-/healthy", self.healthy),
            web.get("/-/ready", self.ready),
            web.post("/-/reload", self.reload),
            web.get("/config", self.config),
        ]

    async def metrics(self, request: web.Request) -> web.Response:
        """All metrics."""
        rendered = await self._services.exposition.render(
            _joined(request, hdrs.ACCEPT), _joined(request, hdrs.ACCEPT_ENCODING)
        )
        headers = {
            hdrs.CONTENT_TYPE: rendered.content_type,
            hdrs.VARY: "Accept, Accept-Encoding",
        }
        if rendered.content_encoding:
            headers[hdrs.CONTENT_ENCODING] = rendered.content_encoding
        return web.Response(body=rendered.body, headers=headers)

    async def healthy(self, _request: web.Request) -> web.Response:
        """Whether the daemon works."""
        if self._services.lifecycle.healthy:
            return web.Response(text="answerprobe is healthy.\n")
        return web.Response(text="answerprobe is not healthy.\n", status=503)

    async def ready(self, _request: web.Request) -> web.Response:
        """Whether the daemon takes work."""
        if self._services.lifecycle.ready:
            return web.Response(text="answerprobe is ready.\n")
        return web.Response(text="answerprobe is not ready.\n", status=503)

    async def config(self, request: web.Request) -> web.Response:
        """The configuration that is in use, without its secrets."""
        lifecycle = self._services.lifecycle
        self._door.check_read(request, lifecycle.api_tokens)
        return plain_text(await lifecycle.written_config())

    async def reload(self, request: web.Request) -> web.Response:
        """Load the configuration again."""
        lifecycle = self._services.lifecycle
        self._door.check_write(
            request, lifecycle.api_tokens, Scope.RELOAD, ready=lifecycle.ready
        )
        try:
            await lifecycle.reload()
        except ConfigError as exc:
            raise RequestError(500, f"the old configuration goes on:\n{exc}") from exc
        return web.json_response({"reloaded": True})


def _joined(request: web.Request, header: str) -> str:
    """Return all values of *header* as the one list that they mean."""
    return ", ".join(request.headers.getall(header, ()))
