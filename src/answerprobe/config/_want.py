"""The schema as a tree: what is wanted at each place of a configuration."""

import json

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources

from answerprobe.config._findings import Path
from answerprobe.config._later import LATER


_LATER = {tuple(pattern.split(".")): message for pattern, message in LATER.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Want:
    """
    What is wanted at one place.

    *types*: JSON Schema's names of what may stand there, empty for anything. *others*:
    what is wanted under keys that are none of *properties*; None where there are none.
    *kind*: the name of its definition, if it has one. *later*: why it is not supported
    though it is known, empty where it is. *schema*: the schema of this place itself.
    """

    types: frozenset[str]
    schema: Mapping[str, object]
    properties: Mapping[str, "Want"] = field(default_factory=dict)
    others: "Want | None" = None
    items: "Want | None" = None
    kind: str = ""
    later: str = ""

    def step(self, key: str | int) -> "Want | None":
        """Return what is wanted under *key*, None where nothing is known of it."""
        if isinstance(key, int):
            return self.items
        return self.properties.get(key, self.others)

    @property
    def names(self) -> list[str]:
        """The keys that are supported here."""
        return [key for key, want in self.properties.items() if not want.later]

    @property
    def is_secret(self) -> bool:
        """Whether a value of this place must not be shown."""
        return self.schema.get("writeOnly") is True


@cache
def schema() -> Mapping[str, object]:
    """Return the JSON Schema of the configuration."""
    text = resources.files(__package__).joinpath("schema.json").read_text("utf-8")
    loaded: Mapping[str, object] = json.loads(text)
    return loaded


@cache
def wanted() -> Want:
    """Return what is wanted of the whole configuration."""
    return _compile(schema(), ())


def wanted_at(path: Path) -> Want | None:
    """Return what is wanted at *path*, None where the schema says nothing of it."""
    want: Want | None = wanted()
    for step in path:
        if want is None:
            return None
        want = want.step(step)
    return want


def criteria() -> Mapping[str, Want]:
    """Return what is wanted as the value of each criterion."""
    want = wanted_at(("monitors", 0, "cases", 0, "expect", 0))
    return want.properties if want else {}


def _compile(node: Mapping[str, object], path: tuple[str, ...]) -> Want:
    """Return what the schema *node*, reached by *path*, wants."""
    node, kind = _dereference(node)
    properties = _mapping(node.get("properties"))
    return Want(
        types=_types(node),
        schema=node,
        properties={
            key: _compile(_mapping(value), (*path, key))
            for key, value in properties.items()
        },
        others=_compile_any(node.get("additionalProperties"), path),
        items=_compile_any(node.get("items"), path),
        kind=kind,
        later=_later(path),
    )


def _compile_any(node: object, path: tuple[str, ...]) -> Want | None:
    """Return what is wanted of any member, None where nothing is said."""
    return _compile(node, (*path, "*")) if isinstance(node, Mapping) else None


def _dereference(node: Mapping[str, object]) -> tuple[Mapping[str, object], str]:
    """Return *node* with its definition filled in, and that definition's name."""
    reference = node.get("$ref")
    if not isinstance(reference, str):
        return node, ""
    name = reference.removeprefix("#/$defs/")
    definition = _mapping(_mapping(schema()["$defs"])[name])
    own = {key: value for key, value in node.items() if key != "$ref"}
    return {**definition, **own}, name


def _types(node: Mapping[str, object]) -> frozenset[str]:
    """Return the types that *node* allows; names of an enum are texts."""
    types = node.get("type", "string" if "enum" in node else ())
    return frozenset([types] if isinstance(types, str) else _sequence(types))


def _mapping(value: object) -> Mapping[str, object]:
    """Return *value* if it is a mapping, else an empty one."""
    return value if isinstance(value, Mapping) else {}


def _sequence(value: object) -> Sequence[str]:
    """Return *value* if it is a list, else an empty one."""
    return value if isinstance(value, Sequence) else ()


def _later(path: tuple[str, ...]) -> str:
    """Return why the key at *path* is not supported, nothing where it is."""
    reasons = (why for pattern, why in _LATER.items() if _matches(path, pattern))
    return next(reasons, "")


def _matches(path: tuple[str, ...], pattern: tuple[str, ...]) -> bool:
    """Whether *path* is what *pattern* means; `*` matches any step."""
    return len(path) == len(pattern) and all(
        wanted in (step, "*") for step, wanted in zip(path, pattern, strict=True)
    )
