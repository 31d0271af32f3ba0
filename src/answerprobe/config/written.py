"""
A configuration as it was written, for people to look at: nothing secret is in it.

What is hidden follows from the schema: every place that it marks as `writeOnly`,
whether a secret is written there by name or word for word. A key that it does not know
of is hidden with the place it stands in.
"""

import re
import textwrap

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

import yaml

from answerprobe.config._want import Want, wanted, wanted_at
from answerprobe.secret import MASK


Scrub = Callable[[str], str]

# Stands for what is put into a request's body; anything else there may be a key.
_PLACEHOLDER = re.compile(r"\{\{[a-z]+\}\}")
_URL = re.compile(
    r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*://)(?P<place>[^/?#]*)(?P<path>[^?#]*)"
    r"(?P<query>\?[^#]*)?"
)
_PART = re.compile(r"[^?&;]+")
_NAMED = re.compile(r"secret\.[A-Za-z0-9_][A-Za-z0-9_.-]*")
# Of these every value is hidden, also what the schema would show.
_ALL_HIDDEN = frozenset({"auth"})
_WIDTH = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """A configuration's document, checked, its keys under their canonical names."""

    root: Mapping[str, object] = field(default_factory=dict, repr=False)

    def as_yaml(self, scrub: Scrub, monitor: str | None = None) -> str:
        """
        Return it, or the one *monitor* of it, as YAML in which no secret stands.

        *scrub* takes secrets out that stand where none belongs. It takes seconds where
        there are ten thousand cases.
        """
        shown = _Shown(scrub)
        if monitor is not None:
            found = shown.value(self._monitor(monitor), wanted_at(("monitors", 0)))
            return "".join(_monitor(found))
        parts = (
            _part(key, shown.member(key, value, wanted(), hidden=False))
            for key, value in self.root.items()
        )
        return "".join(parts)

    def _monitor(self, name: str) -> Mapping[str, object]:
        """Return the monitor *name*."""
        monitors = self.root.get("monitors")
        found = monitors if isinstance(monitors, list) else []
        return next((one for one in found if one.get("name") == name), {})


def _part(key: str, shown: object) -> str:
    """Return what stands under *key*, a monitor at a time."""
    if key != "monitors" or not isinstance(shown, list):
        return _dump({key: shown})
    items = ("".join(_monitor(one)) for one in shown)
    # Only the first line of an item has the dash; blank ones are those of texts.
    parts = (f"- {textwrap.indent(text, '  ')[2:]}" for text in items)
    return "".join((f"{key}:\n", *parts))


def _monitor(shown: object) -> Iterator[str]:
    """Yield a monitor key by key, and its cases one by one."""
    for key, value in shown.items() if isinstance(shown, dict) else ():
        if key != "cases" or not isinstance(value, list):
            yield _dump({key: value})
            continue
        yield f"{key}:\n"
        for case in value:
            yield _dump([case])


def _dump(value: object) -> str:
    """Return *value* as YAML; a small piece: nobody else runs meanwhile."""
    text: str = yaml.dump(
        value,
        Dumper=yaml.CSafeDumper,
        sort_keys=False,
        allow_unicode=True,
        width=_WIDTH,
    )
    return text


@dataclass(frozen=True, slots=True)
class _Shown:
    """Copies a document without what must not be shown."""

    scrub: Scrub

    def value(
        self, value: object, want: Want | None, *, hidden: bool = False
    ) -> object:
        """Return *value*, which stands where *want* is wanted; *hidden*: all of it."""
        hidden = hidden or (want is not None and want.kind in _ALL_HIDDEN)
        if isinstance(value, Mapping):
            return {
                self.scrub(str(key)): self.member(key, item, want, hidden=hidden)
                for key, item in value.items()
            }
        if isinstance(value, list):
            items = want.items if want else None
            inside = hidden or (want is not None and want.is_secret and items is None)
            return [self.value(item, items, hidden=inside) for item in value]
        if hidden or (want is not None and want.is_secret):
            return self._secret(value, want, hidden=hidden)
        return self.scrub(str(value)) if isinstance(value, str) else value

    def member(
        self, key: str, value: object, want: Want | None, *, hidden: bool
    ) -> object:
        """Return *value*, which stands under *key* of a mapping."""
        inner = want.step(key) if want else None
        if inner is None and want is not None and want.is_secret:
            hidden = True
        if key == "proxy" and isinstance(value, str) and not hidden:
            return self.scrub(without_credentials(value))
        return self.value(value, inner, hidden=hidden)

    def _secret(self, value: object, want: Want | None, *, hidden: bool) -> object:
        """Return what may be shown of *value*, which stands where secrets do."""
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, str):
            if want is not None and want.kind == "url" and not hidden:
                return self.scrub(without_credentials(value))
            if _PLACEHOLDER.fullmatch(value):
                return value
        return MASK


def without_credentials(url: str) -> str:
    """Return *url* without what stands before its host and the values of its query."""
    if _NAMED.fullmatch(url):
        return url
    parts = _URL.match(url)
    if parts is None:
        return MASK
    user, at, host = parts["place"].rpartition("@")
    query = _PART.sub(_without_value, parts["query"] or "")
    shown = f"{MASK}@{host}" if user or at else host
    return f"{parts['scheme']}{shown}{parts['path']}{query}"


def _without_value(part: re.Match[str]) -> str:
    """Return a part of a query without its value; a bare one may be a key itself."""
    name, equals, _ = part[0].partition("=")
    return f"{name}={MASK}" if equals else MASK
