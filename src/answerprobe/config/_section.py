"""A section of a web config: typed access to its keys, and what is wrong with them."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path as FilePath

from answerprobe.config._findings import Finding, Findings, Near, Path
from answerprobe.config._show import show
from answerprobe.config._yaml import Plain


_NOTHING = frozenset({"", "~", "null", "Null", "NULL"})
_TRUTH = {"true": True, "false": False}


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """The mapping *raw* at *path*; what is wrong with it goes to *findings*."""

    raw: Mapping[str, object]
    path: Path
    findings: Findings

    @classmethod
    def below(
        cls,
        root: Mapping[str, object],
        key: str,
        keys: Collection[str] | None,
        findings: Findings,
    ) -> "Section":
        """Return what is at *key*; it may have these *keys*, None for any."""
        return cls.of(root.get(key), (key,), keys, findings)

    @classmethod
    def of(
        cls,
        raw: object,
        path: Path,
        keys: Collection[str] | None,
        findings: Findings,
    ) -> "Section":
        """Return *raw*, at *path*; it may have these *keys*, None for any."""
        if isinstance(raw, dict):
            section = cls(raw=raw, path=path, findings=findings)
            section.know(keys)
            return section
        if not _is_nothing(raw):
            findings.add(path, f"is {show(raw)}; wanted: a mapping")
        return cls(raw={}, path=path, findings=findings)

    def know(self, keys: Collection[str] | None) -> None:
        """Find every key that is none of *keys*."""
        for key in self.raw:
            if keys is not None and key not in keys:
                near = Near(key, tuple(keys), allowed=tuple(keys))
                finding = Finding(
                    path=(*self.path, key),
                    message="is no key here",
                    at_key=True,
                    near=near,
                )
                self.findings.keep(finding)

    def find(self, key: str | None, message: str) -> None:
        """Say that *message* holds of the value at *key*, None for the section."""
        self.findings.add(self.path if key is None else (*self.path, key), message)

    def one_of(
        self, key: str | tuple[str | int, ...], value: str, names: Collection[str]
    ) -> None:
        """Say that *value*, at *key*, is none of *names*."""
        steps = (key,) if isinstance(key, str) else key
        message = f"is {show(value)}; wanted: one of {', '.join(names)}"
        near = Near(value, tuple(names))
        self.findings.keep(
            Finding(path=(*self.path, *steps), message=message, near=near)
        )

    def text(self, key: str) -> str | None:
        """Return the text at *key*."""
        value = self.raw.get(key)
        if _is_nothing(value):
            return None
        if isinstance(value, str):
            return str(value)
        self.find(key, f"is {show(value)}; wanted: a text")
        return None

    def texts(self, key: str) -> tuple[str, ...]:
        """Return the texts in the list at *key*."""
        value = self.raw.get(key)
        if _is_nothing(value):
            return ()
        if isinstance(value, list) and all(isinstance(item, str) for item in value):
            return tuple(map(str, value))
        self.find(key, f"is {show(value)}; wanted: a list of texts")
        return ()

    def flag(self, key: str, *, default: bool) -> bool:
        """Return the truth value at *key*."""
        value = self.raw.get(key)
        if _is_nothing(value):
            return default
        truth = _TRUTH.get(value.lower()) if isinstance(value, Plain) else None
        if truth is None:
            self.find(key, f"is {show(value)}; wanted: true or false")
        return default if truth is None else truth

    def file(self, key: str, folder: FilePath) -> FilePath | None:
        """Return the file at *key*, relative to *folder*, if it can be read."""
        name = self.text(key)
        if name is None:
            return None
        path = folder / name
        try:
            with path.open("rb") as file:
                file.read(1)
        except (OSError, ValueError) as exc:
            fault = exc.strerror if isinstance(exc, OSError) else None
            self.find(key, f"cannot read {path}: {(fault or 'no such file').lower()}")
            return None
        return path


def _is_nothing(value: object) -> bool:
    """Whether *value* is as good as not written."""
    return value is None or (isinstance(value, Plain) and value in _NOTHING)
