"""Configurations of any size."""

from collections.abc import Mapping
from pathlib import Path

import yaml


IN_FLIGHT = 50
EXPECT = [{"contains": "30 days"}, {"regex": r"SB-\d{4}\b"}]


class Spelled(yaml.CSafeDumper):
    """Writes everything in full, as people do: no anchors for what occurs twice."""

    def ignore_aliases(self, _data: object) -> bool:
        """Return that nothing shall be an alias."""
        return True


def config(
    url: str,
    *,
    monitors: int,
    cases: int,
    samples: int = 1,
    every: str = "1d",
    in_flight: int = IN_FLIGHT,
) -> dict[str, object]:
    """Return a config of so many monitors with so many cases each."""
    limits = dict.fromkeys(("in_flight", "per_monitor", "per_host"), in_flight)
    made = [
        {
            "name": f"monitor {m}",
            "type": "agent",
            "endpoint": url,
            "every": every,
            "within": "4s",
            "samples": samples,
            "pass_at_least": samples,
            "cases": [
                {"id": f"case-{c}", "ask": f"{c}: how to return?", "expect": EXPECT}
                for c in range(cases)
            ],
        }
        for m in range(monitors)
    ]
    return {"limits": limits, "monitors": made}


def write(folder: Path, made: Mapping[str, object]) -> str:
    """Write *made* as YAML; return the file."""
    file = folder / "answerprobe.yml"
    file.write_text(yaml.dump(made, Dumper=Spelled), encoding="utf-8")
    return str(file)
