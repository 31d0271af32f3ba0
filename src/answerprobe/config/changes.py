"""Another setup of a monitor: some settings of its target changed for an experiment."""

import difflib
import re

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from answerprobe.case import fingerprint
from answerprobe.config._definition import plain
from answerprobe.config._show import cut, printable, quote
from answerprobe.config._yaml import Plain
from answerprobe.config.settings import Config
from answerprobe.errors import ConfigError
from answerprobe.monitor import Monitor, TargetSettings
from answerprobe.secret import MASK


KEYS = ("model", "system_prompt", "endpoint", "temperature")
_HEADERS = "headers."
_MOST_BYTES = 1_000_000
_SHOWN = 40
# All up to the last @ before the path lets in, and the first colon ends the user.
_PASSWORD = re.compile(r"^([^/?#]*//[^/?#:]*:)[^/?#]*@")
_INDEX = re.compile(r"^monitors\[\d+\]\.?")


class ChangeError(ValueError):
    """A change that cannot be made; the words say which and why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MonitorChange:
    """*settings* that the monitor at *index* of the file has instead of its own."""

    index: int
    settings: Mapping[str, str]

    def applied(self, root: object) -> object:
        """Return the document *root* with the changes made, itself left as it is."""
        if not isinstance(root, dict) or not isinstance(root.get("monitors"), list):
            return root
        monitors = list(root["monitors"])
        monitor = dict(monitors[self.index])
        for key, value in self.settings.items():
            if key.startswith(_HEADERS):
                name = key.removeprefix(_HEADERS)
                monitor["headers"] = _with_header(monitor.get("headers"), name, value)
            else:
                # A number is wanted for one of them; all others are texts as they are.
                monitor[key] = Plain(value) if key == "temperature" else value
        monitors[self.index] = monitor
        return {**root, "monitors": monitors}


def _with_header(headers: object, name: str, value: str) -> dict[str, object]:
    """Return *headers* with *name* set; its case is none of HTTP's business."""
    kept = headers if isinstance(headers, dict) else {}
    others = {k: v for k, v in kept.items() if str(k).lower() != name.lower()}
    return {**others, name: value}


def parse_changes(written: tuple[str, ...]) -> Mapping[str, str]:
    """
    Return the settings that *written* (`model=…`) name, files read.

    Raises:
        ChangeError: one is no such setting, comes twice, or has no value.
    """
    settings: dict[str, str] = {}
    for entry in written:
        key, equals, value = entry.partition("=")
        _refuse_unknown(key)
        if not equals:
            raise ChangeError(f"{key} has no value; write {key}=…")
        if key.lower() in map(str.lower, settings):
            raise ChangeError(f"{key} is set twice")
        if key == "system_prompt" and value.startswith("@"):
            value = _text_in(Path(value[1:]))
        settings[key] = value
    return settings


def _refuse_unknown(key: str) -> None:
    """Raise where *key* is none that can be changed."""
    if key in KEYS or (key.startswith(_HEADERS) and key != _HEADERS):
        return
    near = difflib.get_close_matches(cut(key), KEYS, n=1)
    meant = f" (did you mean {near[0]}?)" if near else ""
    allowed = ", ".join((*KEYS, "headers.NAME"))
    raise ChangeError(f"{quote(key)} cannot be changed; allowed: {allowed}{meant}")


def _text_in(file: Path) -> str:
    """Return the text in *file*, without blanks around."""
    try:
        with file.open("rb") as stream:
            content = stream.read(_MOST_BYTES + 1)
        text = content.decode("utf-8-sig").strip()
    except UnicodeDecodeError as exc:
        message = f"system_prompt: {quote(str(file))} holds no UTF-8 text"
        raise ChangeError(message) from exc
    except (OSError, ValueError) as exc:
        fault = (getattr(exc, "strerror", None) or "no file has such a name").lower()
        message = f"system_prompt: {quote(str(file))} cannot be read: {fault}"
        raise ChangeError(message) from exc
    if len(content) > _MOST_BYTES:
        message = f"system_prompt: {quote(str(file))} is larger than 1 MB"
        raise ChangeError(message)
    if not text:
        raise ChangeError(f"system_prompt: {quote(str(file))} is blank")
    return text


def refusal(refused: ConfigError) -> ChangeError:
    """Return why changes were *refused* by the rules of the configuration."""
    faults = [
        f"{_INDEX.sub('', problem.path)}: {problem.message}".removeprefix(": ")
        for problem in refused.problems
    ]
    return ChangeError("\n".join(faults))


def shown(
    settings: Mapping[str, str], scrub: Callable[[str], str]
) -> Mapping[str, str]:
    """
    Return *settings* as they may be kept and shown: no header, no password.

    *scrub* takes secrets out of a text.
    """
    return {key: _shown(key, value, scrub) for key, value in settings.items()}


def _shown(key: str, value: str, scrub: Callable[[str], str]) -> str:
    """Return *value* of *key* as it may be shown."""
    if key.startswith(_HEADERS):
        return MASK
    return scrub(_without_password(value) if key == "endpoint" else value)


def _without_password(url: str) -> str:
    """Return *url* with its password masked."""
    # In the text as it is: a parser would quote it anew, and not find it there.
    return _PASSWORD.sub(lambda found: f"{found[1]}{MASK}@", url)


def reason(
    current: TargetSettings, settings: Mapping[str, str], scrub: Callable[[str], str]
) -> str:
    """Return in words what *settings* change of *current*: `model: a → b`."""
    return ", ".join(
        f"{key}: {_word(_value(current, key), scrub)} → {_word(value, scrub)}"
        for key, value in shown(settings, scrub).items()
    )


def _value(current: TargetSettings, key: str) -> str | None:
    """Return what *current* has at *key*, as it may be shown."""
    match key:
        case "model":
            return current.model
        case "system_prompt":
            return current.system_prompt
        case "temperature":
            warmth = current.temperature
            return None if warmth is None else f"{warmth:g}"
        case "endpoint":
            return _without_password(current.connection.url.written)
        case _:
            name = key.removeprefix(_HEADERS).lower()
            names = map(str.lower, current.connection.headers)
            return MASK if name in names else None


def _word(value: str | None, scrub: Callable[[str], str]) -> str:
    """Return *value* short, on one line."""
    if value is None:
        return "none"
    # Before it is cut: no half secret stays.
    line = " ".join(printable(scrub(value)).split())
    return line if len(line) <= _SHOWN else f"{line[: _SHOWN - 1]}…"


def changed_target(monitor: Monitor, changed: Config, index: int) -> Monitor:
    """
    Return *monitor* with the target that it has in the *changed* configuration.

    Everything else is as it was, criteria too: both setups are measured by one yard,
    also where a criterion was written about the system prompt.
    """
    return replace(monitor, target=changed.monitors[index].target)


def definition(config: Config, current: Monitor, changed: Monitor) -> str:
    """Return a fingerprint of two setups, and of all that talks to them or grades."""
    judge = config.judges.get(current.judge)
    user = config.simulated_user
    return fingerprint(
        {
            "current": plain(current.target),
            "changed": plain(changed.target),
            "cases": [[case.id, case.fingerprint] for case in current.cases],
            "judge": judge and [judge.connection.url.written, judge.model],
            "user": user and [user.connection.url.written, user.model],
        }
    )
