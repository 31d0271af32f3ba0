"""Load configurations written in a test."""

from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from answerprobe.config import Config, load
from answerprobe.errors import ConfigError
from answerprobe.secret import SecretSource


SECRETS = {"TOKEN": "t-4711", "OPENAI_API_KEY": "k-4712"}
WHOLE = """\
monitors:
  - name: shop
    endpoint: https://shop.example/chat
{monitor}
    cases:
      - ask: When do you open?
        expect:
          - contains: nine
{criterion}
{case}
"""


def load_text(
    text: str | bytes,
    environment: Mapping[str, str] = SECRETS,
    *,
    allow_missing_secrets: bool = False,
) -> Config:
    """Return the configuration in *text*, loaded from a file c.yml."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "c.yml"
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return load(
            path,
            secrets=SecretSource(environment=environment),
            allow_missing_secrets=allow_missing_secrets,
            environment=environment,
        )


def problems(text: str | bytes, environment: Mapping[str, str] = SECRETS) -> list[str]:
    """Return what is wrong with *text*, each as `line:column: path: message`."""
    try:
        load_text(text, environment)
    except ConfigError as exc:
        return [str(problem).partition("c.yml:")[2] for problem in exc.problems]
    return []


def whole(monitor: str = "", criterion: str = "", case: str = "") -> str:
    """
    Return a good configuration with a few lines more.

    *monitor* goes to line 4, *criterion* to line 9 and *case* to line 10.
    """
    return WHOLE.format(
        monitor=f"    {monitor}" if monitor else "    # nothing more",
        criterion=f"          - {criterion}" if criterion else "          # no more",
        case=f"        {case}" if case else "        # no more",
    )
