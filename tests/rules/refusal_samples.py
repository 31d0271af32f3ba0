"""What agents say: refusals, and what only looks like them, by language."""

import json

from pathlib import Path


_READ = json.loads(Path(__file__).with_suffix(".json").read_text("utf-8"))
REFUSALS: dict[str, list[str]] = _READ["refusals"]
ANSWERS: dict[str, list[str]] = _READ["answers"]
