"""The API is what its description says, whatever is sent to it: by schemathesis."""

import asyncio
import json
import sys

from pathlib import Path

from cli.program import Agent
from daemon.watching import watching


SCHEMATHESIS = Path(sys.executable).with_name("schemathesis")
# JSON Schema cannot say "printable" or "up to 7d": what it lets through may be refused.
SETTINGS = """
[[operations]]
include-path = ["/v1/deploys", "/v1/runs"]
checks.positive_data_acceptance.enabled = false
"""


def config_file(folder: Path, agent: Agent) -> Path:
    """Write a configuration of a few monitors and return where it is."""
    case = {"id": "refund", "ask": "How long?", "expect": [{"contains": "days"}]}
    monitors = [
        {
            "name": name,
            "endpoint": f"{agent.url}/chat",
            "every": "manual",
            "samples": 1,
            "token_budget": "1M",
            "cases": [case, {**case, "id": "two"}],
        }
        for name in ("shop", "sales/eu", "日本語")
    ]
    file = folder / "answerprobe.yml"
    file.write_text(json.dumps({"monitors": monitors}, ensure_ascii=False))
    return file


async def look_for_faults(url: str, folder: Path) -> tuple[int, str]:
    """Return the exit status of schemathesis and what it says."""
    (folder / "schemathesis.toml").write_text(SETTINGS)
    process = await asyncio.create_subprocess_exec(
        SCHEMATHESIS,
        *("run", f"{url}/v1/openapi.json"),
        *("--max-examples", "10", "--seed", "7", "--no-color"),
        cwd=folder,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    said, _ = await process.communicate()
    assert process.returncode is not None
    return process.returncode, said.decode()


async def test_nothing_is_found(agent: Agent, tmp_path: Path) -> None:
    """Good and bad requests alike get what the description promises."""
    async with watching(config_file(tmp_path, agent)) as watched:
        await watched.run("shop")
        url = str(watched.session._base_url).rstrip("/")

        status, said = await look_for_faults(url, tmp_path)

        assert status == 0, said
        assert await watched.metric("answerprobe_internal_errors_total") == 0
