"""The web application: Prometheus endpoints and the JSON API."""

from answerprobe.web._app import make_app
from answerprobe.web._base import Services
from answerprobe.web._guard import Door
from answerprobe.web._origin import is_loopback, path_of
from answerprobe.web._settings import WebSettings


__all__ = [
    "Door",
    "Services",
    "WebSettings",
    "is_loopback",
    "make_app",
    "path_of",
]
