"""What the demo makes of an Alertmanager's notifications."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime

import aiohttp
import pytest

from aiohttp import web
from aiohttp.test_utils import TestServer

from answerprobe.demo.webhook import PATH, AlertPrinter, as_text


NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
LABELS = {
    "alertname": "AgentDegraded",
    "monitor": "shop",
    "severity": "warning",
    "team": "support",
}


def alert(status: str = "firing", **notes: str) -> dict[str, object]:
    """Return an alert as Alertmanager sends it."""
    return {
        "status": status,
        "labels": LABELS,
        "annotations": notes,
        "fingerprint": "abc",
    }


class TestAsText:
    """One alert in lines."""

    def test_shows_what_it_is_and_what_it_says(self) -> None:
        """Its lines are indented, and blank ones left out."""
        text = as_text(
            alert(runbook_url="https://r/b", summary="Worse.", description="a\n\nb\n")
        )

        assert text == (
            "FIRING  AgentDegraded  warning  shop\n"
            "    Worse.\n    a\n    b\n    https://r/b"
        )

    def test_acts_on_no_terminal(self) -> None:
        """What an agent says cannot colour, clear or ring."""
        text = as_text(alert(summary="\x1b[2J\a done\r"))

        assert text.endswith("\n    \ufffd[2J\ufffd done")
        assert text.replace("\n", "").isprintable()

    @pytest.mark.parametrize(
        "odd",
        [
            pytest.param({}, id="empty"),
            pytest.param({"labels": 3, "annotations": ["x"]}, id="other types"),
            pytest.param({"labels": {"alertname": 3}}, id="a number for a name"),
        ],
    )
    def test_odd_alerts_are_shown_too(self, odd: dict[str, object]) -> None:
        """Without what they lack."""
        assert as_text(odd) == "FIRING  ?"


class TestAlertPrinter:
    """The webhook."""

    @pytest.fixture
    def shown(self) -> list[str]:
        """Return what was printed."""
        return []

    @pytest.fixture
    async def url(self, shown: list[str]) -> AsyncIterator[str]:
        """Serve it."""
        app = web.Application()
        app.add_routes(AlertPrinter(shown.append, lambda: NOON).routes())
        server = TestServer(app)
        await server.start_server()
        yield str(server.make_url(PATH))
        await server.close()

    async def notify(self, url: str, body: object) -> int:
        """Deliver *body*; return the status of the response."""
        async with (
            aiohttp.ClientSession() as session,
            session.post(url, json=body) as response,
        ):
            return response.status

    async def test_shows_when_an_alert_begins_and_ends(
        self, url: str, shown: list[str]
    ) -> None:
        """Repeated in a notification about its group, it is no news."""
        for status in ("firing", "firing", "resolved"):
            assert await self.notify(url, {"alerts": [alert(status)]}) == 200

        assert shown == [
            "\n12:00:00  FIRING  AgentDegraded  warning  shop\n",
            "\n12:00:00  RESOLVED  AgentDegraded  warning  shop\n",
        ]

    async def test_what_is_no_notification_is_refused(
        self, url: str, shown: list[str]
    ) -> None:
        """Nothing is printed."""
        assert await self.notify(url, "hello") == 400
        assert await self.notify(url, {"alerts": "none"}) == 200

        assert shown == []
