"""Asks AI agents questions on a schedule, grades the answers, tells Prometheus."""

__version__ = "0.1.0"
