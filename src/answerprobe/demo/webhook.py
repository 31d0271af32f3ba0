"""Prints the notifications of an Alertmanager as one would read them in a chat."""

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime

from aiohttp import web

from answerprobe.demo.wire import BadRequest, read_object


PATH = "/alerts"
_INDENT = "    "


class AlertPrinter:
    """
    Takes notifications and *show*s each alert in them when it begins and ends.

    A notification is about a group of alerts, and repeats what is known of the others.
    """

    def __init__(
        self, show: Callable[[str], None], now: Callable[[], datetime]
    ) -> None:
        self._show = show
        self._now = now
        self._known: dict[str, str] = {}

    def routes(self) -> list[web.RouteDef]:
        """Return where Alertmanager delivers."""
        return [web.post(PATH, self._notified)]

    async def _notified(self, request: web.Request) -> web.Response:
        """Show what came."""
        try:
            notification = await read_object(request)
        except BadRequest as exc:
            return web.json_response({"error": str(exc)}, status=400)
        at = self._now().strftime("%H:%M:%S")
        for alert in filter(self._is_news, _mappings(notification.get("alerts"))):
            self._show(f"\n{at}  {as_text(alert)}\n")
        return web.json_response({})

    def _is_news(self, alert: Mapping[str, object]) -> bool:
        """Return whether *alert* was not in this state before; remember it."""
        identity, status = str(alert.get("fingerprint")), str(alert.get("status"))
        before = self._known.get(identity)
        if status == "resolved":
            self._known.pop(identity, None)
        else:
            self._known[identity] = status
        return status != before


def as_text(alert: Mapping[str, object]) -> str:
    """
    Return *alert* in lines: what it is, then what it says.

    What an agent said is in there: nothing of it reaches the terminal but as letters.
    """
    labels, notes = _texts(alert.get("labels")), _texts(alert.get("annotations"))
    head = (
        "RESOLVED" if alert.get("status") == "resolved" else "FIRING",
        labels.get("alertname", "?"),
        *(labels[name] for name in ("severity", "monitor", "case") if name in labels),
    )
    told = ("summary", "description", "runbook_url")
    body = [line for name in told if name in notes for line in _lines(notes[name])]
    return "\n".join(["  ".join(map(_plain, head)), *(_INDENT + line for line in body)])


def _lines(text: str) -> Iterator[str]:
    """Yield the lines of *text* that have something in them."""
    for line in text.split("\n"):
        if line.strip():
            yield _plain(line.rstrip())


def _plain(text: str) -> str:
    """Return *text* without what a terminal would not print but act on."""
    return "".join(char if char.isprintable() else "\ufffd" for char in text)


def _mappings(value: object) -> list[Mapping[str, object]]:
    """Return the objects in the list *value*."""
    each = value if isinstance(value, list) else []
    return [item for item in each if isinstance(item, dict)]


def _texts(value: object) -> dict[str, str]:
    """Return the texts in the object *value*."""
    items = value.items() if isinstance(value, dict) else ()
    return {str(key): text for key, text in items if isinstance(text, str)}
