"""The shape of a configuration, by the JSON Schema, in words of our own."""

from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

import jsonschema_rs

from answerprobe.config._aliases import NAMES
from answerprobe.config._findings import Finding, Findings, Near, Path
from answerprobe.config._show import cut, show
from answerprobe.config._want import Want, schema, wanted_at


# Said of a whole mapping, so no longer true where a key was taken out of it.
_OF_WHOLE = frozenset({"required", "anyOf", "minProperties"})
_TYPE_IS_KEY = "write its type as the key, such as `contains: …`"
_NOTHING_KNOWN = Want(types=frozenset(), schema={})


class Breach(NamedTuple):
    """A keyword of the schema that the value at *path* breaks."""

    path: Path
    keyword: str


@cache
def _validator() -> jsonschema_rs.Draft202012Validator:
    """Return the validator, made once."""
    return jsonschema_rs.Draft202012Validator(dict(schema()))


def breaches(root: object) -> set[Breach]:
    """Return where *root* breaks the schema."""
    validator = _validator()
    if validator.is_valid(root):
        return set()
    return {
        Breach(tuple(error.instance_path), str(error.schema_path[-1]))
        for error in validator.iter_errors(root)
    }


def check_shape(root: object, findings: Findings) -> frozenset[Path]:
    """
    Add to *findings* where *root* breaks the schema; return what is unusable of it.

    *findings* holds what was taken out of *root* before: nothing is said of its gaps.
    """
    by_path: dict[Path, set[str]] = defaultdict(set)
    for breach in breaches(root):
        by_path[breach.path].add(breach.keyword)
    gaps = {finding.path[:-1] for finding in findings}
    unusable: set[Path] = set()
    for path, keywords in by_path.items():
        left = keywords - _OF_WHOLE if path in gaps else keywords
        for finding in _explain(_at(root, path), path, left):
            findings.keep(finding)
        unusable |= _unusable(_at(root, path), path, keywords)
    return frozenset(unusable)


def without(root: object, unusable: frozenset[Path]) -> object:
    """Return *root* after taking out of it, in place, what is at *unusable* paths."""
    for path in sorted(unusable, key=len, reverse=True):
        holder = _at(root, path[:-1])
        step = path[-1]
        if isinstance(holder, dict) and isinstance(step, str):
            holder.pop(step, None)
        elif isinstance(holder, list) and isinstance(step, int):
            holder[step] = None
    return root


def _unusable(value: object, path: Path, keywords: set[str]) -> set[Path]:
    """Return the paths that nothing further should look at."""
    found: set[Path] = set()
    if isinstance(value, dict) and "additionalProperties" in keywords:
        found |= {(*path, key) for key in _unknown(value, _want(path))}
    if path and keywords - _OF_WHOLE - {"additionalProperties"}:
        found.add(path)
    return found


def _explain(value: object, path: Path, keywords: set[str]) -> Iterator[Finding]:
    """Yield what to say of *value*, which breaks *keywords*."""
    want = _want(path)
    if want.kind == "criterion" and isinstance(value, dict) and "type" in value:
        yield Finding(path=path, message=f"is no criterion; {_TYPE_IS_KEY}")
        return
    if keywords - _OF_WHOLE - {"additionalProperties"}:
        repeated = list(_repeated(value, path)) if "uniqueItems" in keywords else []
        yield from repeated or [_mismatch(value, path, want)]
        return
    if not isinstance(value, dict):
        return
    if "additionalProperties" in keywords:
        for key in _unknown(value, want):
            yield _unknown_key((*path, key), key, want)
    missing = _missing(value, want, keywords)
    if missing:
        yield Finding(path=path, message=f"lacks {missing}")
    elif "minProperties" in keywords:
        yield _mismatch(value, path, want)


def _mismatch(value: object, path: Path, want: Want) -> Finding:
    """Return that *value* is not what is wanted, without showing a secret."""
    if isinstance(value, dict) and len(value) > 1:
        keys = ", ".join(map(cut, value))
        shown = f"a mapping of {len(value)} keys ({cut(keys)})"
    elif want.is_secret and isinstance(value, str | int | float):
        shown = "of another kind" if value != "" else "empty"
    else:
        shown = show(value)
    names = want.schema.get("enum")
    near = None
    if isinstance(value, str) and isinstance(names, list):
        near = Near(value, names)
    message = f"is {shown}; wanted: {describe(want)}"
    return Finding(path=path, message=message, near=near)


def _repeated(items: object, path: Path) -> Iterator[Finding]:
    """Yield which of *items*, a list, are there already."""
    listed = items if isinstance(items, list) else []
    for index, item in enumerate(listed):
        if item in listed[:index]:
            message = f"is {show(item)}, which is in the list already; write it once"
            yield Finding(path=(*path, index), message=message)


def describe(want: Want) -> str:
    """Return in words what *want* is."""
    here = want.schema
    title, names, low = here.get("title"), here.get("enum"), here.get("minimum")
    if isinstance(title, str):
        return title
    if isinstance(names, list):
        return f"one of {', '.join(map(str, names))}"
    between = "" if low is None else f" from {low} to {here.get('maximum')}"
    return f"{_kind(want)}{between}"


def _kind(want: Want) -> str:
    """Return the first kind of value that *want* allows, in words."""
    words = {
        "integer": "a whole number",
        "number": "a number",
        "string": "a text",
        "boolean": "true or false",
        "array": "a list",
        "object": _mapping_of(want),
    }
    return next((words[kind] for kind in words if kind in want.types), "something else")


def _mapping_of(want: Want) -> str:
    """Return which mapping is wanted, in words."""
    names = ", ".join(want.names)
    one = "with one " if want.schema.get("maxProperties") == 1 else ""
    return f"a mapping {one}of {names}" if names else "a mapping"


def _unknown_key(path: Path, key: str, want: Want) -> Finding:
    """Return that *key* is none, with what may have been meant."""
    if want.kind != "criterion":
        near = Near(key, want.names, allowed=want.names)
        return Finding(path=path, message="is no key here", at_key=True, near=near)
    near = Near(key, (*want.names, *NAMES), allowed=want.names)
    return Finding(path=path, message="is no criterion", at_key=True, near=near)


def _unknown(value: dict[str, object], want: Want) -> list[str]:
    """Return the keys of *value* that the schema does not know."""
    return [key for key in value if key not in want.properties]


def _missing(value: dict[str, object], want: Want, keywords: set[str]) -> str:
    """Return the keys that *value* lacks, in words."""
    names: list[str] = []
    if "required" in keywords:
        required = want.schema.get("required")
        wanted = required if isinstance(required, list) else []
        names += [name for name in wanted if name not in value]
    if "anyOf" in keywords:
        names.insert(0, "ask or conversation")
    return ", ".join(names)


def _want(path: Path) -> Want:
    """Return what is wanted at *path*."""
    return wanted_at(path) or _NOTHING_KNOWN


def _at(root: object, path: Path) -> object:
    """Return the value at *path* below *root*."""
    value = root
    for step in path:
        match value, step:
            case dict(), str():
                value = value[step]
            case list(), int():
                value = value[step]
            case _:
                return None
    return value
