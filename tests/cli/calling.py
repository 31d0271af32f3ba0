"""Commands called in this process, and a configuration for them."""

import json

from pathlib import Path

from click.testing import CliRunner, Result

from answerprobe.cli import main


_JUDGED = {"expect": [{"contains": "30"}, {"judge": "Gives the window."}]}


def call(*args: str | Path, typed: str = "") -> Result:
    """Return how `answerprobe` with *args* ends; *typed* is its standard input."""
    result = CliRunner().invoke(main, list(map(str, args)), input=typed)
    assert result.exception is None or isinstance(result.exception, SystemExit)
    assert "Traceback" not in result.output
    return result


def write(folder: Path, name: str = "answerprobe.yml", **monitor: object) -> Path:
    """Write a configuration of one monitor into *folder*."""
    document = {
        "judges": {"default": {"base_url": "http://127.0.0.1:9/v1", "model": "m"}},
        "monitors": [
            {
                "name": "shop",
                "type": "agent",
                "endpoint": "http://127.0.0.1:9/chat",
                "cases": [{"ask": "Refund?", **_JUDGED}],
                **monitor,
            }
        ],
    }
    path = folder / name
    path.write_text(json.dumps(document), encoding="utf-8")
    return path
