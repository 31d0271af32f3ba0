"""JSON Schema made safe for answers: nothing is fetched, nothing hangs."""

from answerprobe.rules._schema._misfit import json_path
from answerprobe.rules._schema._schema import Schema, load


__all__ = ["Schema", "json_path", "load"]
