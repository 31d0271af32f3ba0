"""The web application: Prometheus endpoints and the JSON API."""

from answerprobe.web._app import make_app
from answerprobe.web._base import BudgetView, MonitorView, Services
from answerprobe.web._guard import Door, is_loopback


__all__ = [
    "BudgetView",
    "Door",
    "MonitorView",
    "Services",
    "is_loopback",
    "make_app",
]
