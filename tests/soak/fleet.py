"""What a soak watches: agents of every kind, and a few monitors that keep changing."""

import json
import os

from pathlib import Path


_KINDS = {"good": 30, "slow": 10, "broken": 8, "hang": 4, "judged": 8}
_EXPECTED: dict[str, list[object]] = {
    "judged": [{"contains": "30 days"}, {"judge": "Names the 30 days."}]
}


class Fleet:
    """The configuration in its file, which changes while the daemon runs."""

    def __init__(self, folder: Path, agents: str) -> None:
        self.file = folder / "answerprobe.yml"
        self._agents = agents
        self._version = 0
        self.write()

    def write(self) -> None:
        """Write it anew: some monitors changed, one left, another one came."""
        self._version += 1
        document = {
            "judges": {
                "default": {
                    "base_url": f"{self._agents}/v1",
                    "model": "m",
                    "timeout": f"{2 + self._version % 2}s",
                    "attempts": 1,
                    "calibrate": 0,
                }
            },
            "limits": {"in_flight": 32, "per_host": 24, "per_monitor": 4},
            "monitors": [
                *(
                    self._monitor(f"{kind}-{number}", kind, changes=number == 0)
                    for kind, count in _KINDS.items()
                    for number in range(count)
                ),
                self._monitor(f"guest-{self._version}", "slow", changes=True),
            ],
        }
        self._replace(json.dumps(document))

    def break_it(self) -> None:
        """Write something that is no configuration."""
        self._replace('{"monitors": [{"name": "shop", "evry": 1')

    def _monitor(self, name: str, kind: str, *, changes: bool) -> dict[str, object]:
        """Return a monitor of an agent of *kind*."""
        path = "good" if kind == "judged" else kind
        headers = {"X-Version": str(self._version)} if changes else {}
        return {
            "name": name,
            "type": "agent",
            "endpoint": f"{self._agents}/{path}",
            "every": "10s",
            "within": "4s",
            "confirm": 0,
            "headers": headers,
            "samples": 2,
            "cases": [
                {
                    "id": f"case-{number}",
                    "ask": f"How long is return window {number}?",
                    "expect": _EXPECTED.get(kind, [{"contains": "30 days"}]),
                }
                for number in range(2)
            ],
        }

    def _replace(self, text: str) -> None:
        """Put *text* into the file in one step."""
        new = self.file.with_suffix(".new")
        new.write_text(text, encoding="utf-8")
        os.replace(new, self.file)  # noqa: PTH105  what an editor does
