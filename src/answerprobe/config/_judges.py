"""Judges: those that are configured, and the implied one."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from answerprobe.config._connection import fault_of_url, normal_url, read_connection
from answerprobe.config._findings import Finding, Near, Path
from answerprobe.config._names import fault_of_name
from answerprobe.config._reading import Reading, entries, mapping, number, text, whole
from answerprobe.config._show import quote
from answerprobe.connection import BearerAuth, Connection
from answerprobe.monitor import Canary, JudgeSettings, Price, TargetSettings
from answerprobe.secret import Secret


DEFAULT_JUDGE = "default"
DEFAULT_BASE_URL = "https://api.openai.com/v1"
DEFAULT_MODEL = "gpt-4.1-mini"
_DAY = 86400.0


@dataclass(slots=True, kw_only=True)
class Judges:
    """The judges of a configuration; *configured*: there is a section of them."""

    reading: Reading
    configured: bool
    named: dict[str, JudgeSettings | None] = field(default_factory=dict)

    def find(self, name: str, path: Path) -> JudgeSettings | None:
        """Return the judge *name*; that there is none is a finding at *path*."""
        if name not in self.named and not self.configured and name == DEFAULT_JUDGE:
            self.named[name] = _implied(path, self.reading)
        if name not in self.named:
            there = f"allowed: {', '.join(self.named)}" if self.named else "none is set"
            message = f"there is no judge {quote(name)} in `judges`; {there}"
            near = Near(name, tuple(self.named))
            self.reading.findings.keep(Finding(path=path, message=message, near=near))
            return None
        return self.named[name]


def judge_of_environment(reading: Reading) -> JudgeSettings:
    """Return the judge that is used where none is configured."""
    return _implied((), reading)


def read_judges(root: Mapping[str, object], reading: Reading) -> Judges:
    """Return the judges that *root* configures."""
    judges = Judges(reading=reading, configured="judges" in root)
    for name, raw in mapping(root, "judges").items():
        path: Path = ("judges", name)
        if fault := fault_of_name(name):
            reading.findings.add(path, fault, at_key=True)
        judges.named[name] = (
            _judge(name, raw, path, reading) if isinstance(raw, dict) else None
        )
    return judges


def _judge(
    name: str, raw: Mapping[str, object], path: Path, reading: Reading
) -> JudgeSettings:
    """Return the judge *name* as it is configured."""
    base = {"base_url": DEFAULT_BASE_URL, **raw}
    votes = whole(raw, "votes", 1)
    if votes % 2 == 0:
        message = f"is {votes}; wanted: an odd number, so that there is a majority"
        reading.findings.add((*path, "votes"), message)
    return JudgeSettings(
        name=name,
        connection=read_connection(base, "base_url", path, reading),
        model=text(raw, "model") or DEFAULT_MODEL,
        timeout_seconds=reading.seconds(raw, "timeout", path, 30.0),
        attempts=whole(raw, "attempts", 3),
        max_tokens=whole(raw, "max_tokens", 1024),
        votes=votes,
        price=read_price(raw),
        canaries=_canaries(raw),
        calibrate_seconds=reading.seconds_or_off(raw, "calibrate", path, _DAY),
    )


def _implied(path: Path, reading: Reading) -> JudgeSettings:
    """Return the judge that is used without a section `judges`."""
    base_url = reading.environment.get("OPENAI_BASE_URL") or DEFAULT_BASE_URL
    if fault := fault_of_url(base_url):
        message = f"the environment variable OPENAI_BASE_URL {fault}"
        reading.findings.add(path, message)
    token = reading.secret("secret.OPENAI_API_KEY", path)
    return JudgeSettings(
        name=DEFAULT_JUDGE,
        connection=Connection(url=Secret(base_url), auth=BearerAuth(token=token)),
        model=reading.environment.get("OPENAI_MODEL") or DEFAULT_MODEL,
    )


def _canaries(raw: Mapping[str, object]) -> tuple[Canary, ...] | None:
    """Return the answers whose verdict is known, None for the built-in ones."""
    if "canaries" not in raw:
        return None
    return tuple(
        Canary(
            question=text(entry, "question") or "",
            answer=text(entry, "answer") or "",
            rubric=text(entry, "rubric") or "",
            passes=text(entry, "verdict") == "pass",
        )
        for entry in entries(raw, "canaries")
        if isinstance(entry, dict)
    )


def read_price(raw: Mapping[str, object]) -> Price | None:
    """Return the price that *raw* writes."""
    price = mapping(raw, "price")
    if not price:
        return None
    return Price(
        input_dollars=number(price, "input") or 0.0,
        output_dollars=number(price, "output") or 0.0,
    )


def is_same(target: TargetSettings, judge: JudgeSettings, reading: Reading) -> bool:
    """Whether *judge* is the very model that *target* is."""
    ours = reading.revealed(target.connection.url)
    theirs = reading.revealed(judge.connection.url)
    return (
        target.model == judge.model
        and ours is not None
        and theirs is not None
        and normal_url(ours) == normal_url(theirs)
    )
