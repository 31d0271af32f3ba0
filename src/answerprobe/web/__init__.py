"""The web application: Prometheus endpoints and the JSON API."""

from answerprobe.web._app import make_app
from answerprobe.web._base import Services
from answerprobe.web._guard import Door
from answerprobe.web._origin import is_loopback


__all__ = [
    "Door",
    "Services",
    "is_loopback",
    "make_app",
]
