"""JSON Schema made safe for answers: nothing is fetched, nothing hangs."""

from answerprobe.rules._schema._schema import Schema, load


__all__ = ["Schema", "load"]
