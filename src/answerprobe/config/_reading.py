"""One reading of a configuration: typed access to its values, and what is wrong."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path as FilePath

from answerprobe import durations
from answerprobe.config._findings import Findings, Path
from answerprobe.errors import SecretError
from answerprobe.secret import Secret, SecretSource


LONGEST_SECONDS = 10 * 366 * 86400.0
MOST_TOKENS = 10**15
_THOUSANDS = {"k": 1_000, "m": 1_000_000}


@dataclass(slots=True, kw_only=True)
class Reading:
    """
    Where problems go and secrets come from while domain objects are built.

    The methods that read a key take a mapping whose shape has been checked. They add
    what else is wrong to *findings* and go on with a stand-in, so that everything wrong
    is found in one go.
    """

    findings: Findings
    secrets: SecretSource
    allow_missing_secrets: bool
    folder: FilePath
    environment: Mapping[str, str]
    ca_faults: dict[FilePath, str | None] = field(default_factory=dict)
    # File -> the text in it, or what is wrong with it.
    texts: dict[FilePath, tuple[str | None, str | None]] = field(default_factory=dict)
    _missing: dict[str, tuple[Path, str]] = field(default_factory=dict)
    _uses: Counter[str] = field(default_factory=Counter)

    def seconds(
        self, raw: Mapping[str, object], key: str, path: Path, default: float
    ) -> float:
        """Return the duration at *key*, above zero, else *default*."""
        value = raw.get(key)
        if not isinstance(value, str):
            return default
        return self._duration(value, (*path, key), lowest=0.001) or default

    def seconds_or_off(
        self, raw: Mapping[str, object], key: str, path: Path, default: float
    ) -> float:
        """Return the duration at *key*, 0 for off, else *default*."""
        value = raw.get(key)
        if value in (0, "0"):
            return 0.0
        if not isinstance(value, str):
            return default
        return self._duration(value, (*path, key), lowest=0.0) or 0.0

    def _duration(self, text: str, path: Path, *, lowest: float) -> float | None:
        """Return the seconds in *text*; None, and a finding, where unusable."""
        try:
            found = durations.parse(text)
        except ValueError as exc:
            self.findings.add(path, str(exc))
            return None
        if found < lowest:
            self.findings.add(path, f"is {text}; wanted: more than 0, at least 1ms")
            return None
        if found > LONGEST_SECONDS:
            self.findings.add(path, f"is {text}; wanted: at most ten years")
            return None
        return found

    def share(
        self, raw: Mapping[str, object], key: str, path: Path, default: float
    ) -> float:
        """Return the ratio at *key*, written `90%` or 0.9, else *default*."""
        value = raw.get(key)
        if isinstance(value, int | float):
            return float(value)
        if not isinstance(value, str):
            return default
        percent = float(value.rstrip("% "))
        if not 0 < percent <= 100:
            message = f"is {value}; wanted: more than 0% and at most 100%"
            self.findings.add((*path, key), message)
        return percent / 100

    def tokens(
        self, raw: Mapping[str, object], key: str, path: Path, default: int | None
    ) -> int | None:
        """Return the number of tokens at *key*, None for unlimited, else *default*."""
        if key not in raw:
            return default
        value = raw[key]
        if isinstance(value, str):
            unit = _THOUSANDS.get(value[-1].lower(), 1)
            value = float(value.rstrip("kKmM")) * unit
        if not isinstance(value, int | float):
            return None
        if not 1 <= value <= MOST_TOKENS:
            message = f"is {value:g}; wanted: from 1 to {MOST_TOKENS:g}, or null"
            self.findings.add((*path, key), message)
        return int(value)

    def secret(self, text: str, path: Path) -> Secret:
        """Return *text* with the secrets it names; one that is missing is a finding."""
        secret = Secret(text, self.secrets)
        for name in secret.names:
            try:
                self.secrets.read(name)
            except SecretError as exc:
                self._uses[name] += 1
                self._missing.setdefault(name, (path, str(exc)))
        return secret

    def private(self, text: str, path: Path) -> Secret:
        """Return *text* as `secret` does; without a reference it is a secret itself."""
        secret = self.secret(text, path)
        if not secret.names:
            self.secrets.keep(text)
        return secret

    def revealed(self, secret: Secret) -> str | None:
        """Return what *secret* stands for; None where it is missing."""
        try:
            return secret.reveal()
        except SecretError:
            return None

    def report_missing_secrets(self) -> None:
        """Make a finding of each missing secret, at its first use."""
        if self.allow_missing_secrets:
            return
        for name, (path, message) in self._missing.items():
            uses = self._uses[name]
            more = f" (it is used {uses} times)" if uses > 1 else ""
            self.findings.add(path, f"{message}{more}")


def text(raw: Mapping[str, object], key: str) -> str | None:
    """Return the text at *key*."""
    value = raw.get(key)
    return value if isinstance(value, str) else None


def whole(raw: Mapping[str, object], key: str, default: int) -> int:
    """Return the whole number at *key*, else *default*."""
    value = raw.get(key)
    return int(value) if isinstance(value, int | float) else default


def number(raw: Mapping[str, object], key: str) -> float | None:
    """Return the number at *key*."""
    value = raw.get(key)
    return float(value) if isinstance(value, int | float) else None


def flag(raw: Mapping[str, object], key: str, *, default: bool) -> bool:
    """Return the truth value at *key*, else *default*."""
    value = raw.get(key)
    return value if isinstance(value, bool) else default


def mapping(raw: Mapping[str, object], key: str) -> Mapping[str, object]:
    """Return the mapping at *key*, else an empty one."""
    value = raw.get(key)
    return value if isinstance(value, dict) else {}


def entries(raw: Mapping[str, object], key: str) -> Sequence[object]:
    """Return the list at *key*, else an empty one."""
    value = raw.get(key)
    return value if isinstance(value, list) else ()
