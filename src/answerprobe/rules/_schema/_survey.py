"""
A JSON Schema looked at when the configuration is loaded.

What the specification lets pass is refused here, because it would make a criterion that
checks nothing: unknown keywords and formats, references that lead nowhere.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import NamedTuple, Protocol

from referencing import Registry
from referencing.exceptions import Unresolvable
from referencing.jsonschema import Schema, SchemaResource, specification_with

from answerprobe.errors import CriterionError
from answerprobe.rules._pattern import Pattern
from answerprobe.rules._reason import quote
from answerprobe.rules._schema._formats import FORMATS


Path = tuple[str | int, ...]

_SCHEMA_AT = frozenset(
    {
        "additionalItems",
        "additionalProperties",
        "contains",
        "contentSchema",
        "else",
        "if",
        "items",
        "not",
        "propertyNames",
        "then",
        "unevaluatedItems",
        "unevaluatedProperties",
    }
)
_SCHEMAS_IN = frozenset({"allOf", "anyOf", "items", "oneOf", "prefixItems"})
_SCHEMAS_BY_NAME = frozenset(
    {
        "$defs",
        "definitions",
        "dependencies",
        "dependentSchemas",
        "patternProperties",
        "properties",
    }
)
_REFERENCES = frozenset(("$ref", "$dynamicRef", "$recursiveRef"))
_UNEVALUATED = frozenset(("unevaluatedItems", "unevaluatedProperties"))
# Keywords that say nothing about a value by themselves.
_SILENT = frozenset(
    {
        "$anchor",
        "$comment",
        "$defs",
        "$dynamicAnchor",
        "$id",
        "$recursiveAnchor",
        "contentEncoding",
        "contentMediaType",
        "contentSchema",
        "default",
        "definitions",
        "deprecated",
        "description",
        "else",
        "examples",
        "id",
        "maxContains",
        "minContains",
        "readOnly",
        "then",
        "title",
        "writeOnly",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey:
    """
    What a schema is made of.

    *subschemas*: how many it has. *refers*: whether parts of it refer to others.
    *unevaluated*: whether it asks for what other keywords left over.
    """

    subschemas: int
    refers: bool
    unevaluated: bool


class _Resolved(Protocol):
    """What this module uses of a reference that was followed."""

    @property
    def contents(self) -> object:
        """What a reference leads to."""
        ...


class _Resolver(Protocol):
    """Follows references from one part of a schema."""

    def lookup(self, ref: str) -> _Resolved:
        """Return what *ref* leads to."""
        ...

    def in_subresource(self, subresource: SchemaResource) -> "_Resolver":
        """Return the resolver of a part below."""
        ...


class _Part(NamedTuple):
    """One subschema, where it stands, and what its references lead to."""

    path: Path
    resource: SchemaResource
    resolver: _Resolver


@dataclass(slots=True, kw_only=True)
class _Walk:
    """What one walk through a schema has seen."""

    keywords: frozenset[str]
    seen: set[int] = field(default_factory=set)
    used: set[str] = field(default_factory=set)
    targets: list[tuple[Path, object]] = field(default_factory=list)


def survey(
    schema: Mapping[str, object], draft: str, keywords: frozenset[str]
) -> Survey:
    """
    Return what *schema* is made of; *keywords* are those that *draft* checks.

    Raises:
        CriterionError: a part of it would never be checked, or could hang.
    """
    specification = specification_with(draft)
    root: SchemaResource = specification.create_resource(schema)
    registry: Registry[Schema] = Registry()
    walk = _Walk(keywords=keywords)
    pending = [_Part((), root, registry.resolver_with_root(root))]
    while pending:
        part = pending.pop()
        contents = part.resource.contents
        if isinstance(contents, bool):
            continue
        _look_at(walk, part, contents)
        for path, child in _children(contents, part.path):
            below = specification.create_resource(child)
            pending.append(_Part(path, below, part.resolver.in_subresource(below)))
    _check_whole(walk)
    return Survey(
        subschemas=len(walk.seen),
        refers=bool(walk.targets),
        unevaluated=not walk.used.isdisjoint(_UNEVALUATED),
    )


def _look_at(walk: _Walk, part: _Part, contents: Mapping[str, object]) -> None:
    """Check one subschema by itself, and note what is to be checked at the end."""
    walk.seen.add(id(contents))
    walk.used.update(contents)
    _check_keywords(contents, part.path, walk.keywords)
    for keyword in _REFERENCES & walk.keywords & contents.keys():
        path, reference = (*part.path, keyword), str(contents[keyword])
        try:
            target = part.resolver.lookup(reference).contents
        except (Unresolvable, LookupError, ValueError, TypeError) as exc:
            raise CriterionError(_leads_nowhere(reference), path) from exc
        walk.targets.append((path, target))


def _check_whole(walk: _Walk) -> None:
    """Check what only the whole schema tells."""
    for path, target in walk.targets:
        if not isinstance(target, bool) and id(target) not in walk.seen:
            message = "refers to something that is no schema: move it into $defs"
            raise CriterionError(message, path)
    if {"unevaluatedProperties", "patternProperties"} <= walk.used:
        message = "unevaluatedProperties beside patternProperties cannot be checked"
        raise CriterionError(f"{message}: write additionalProperties")


def _check_keywords(
    contents: Mapping[str, object], path: Path, keywords: frozenset[str]
) -> None:
    """
    Check the keywords of one subschema.

    Raises:
        CriterionError: one is unknown, or its value cannot be used.
    """
    for keyword, value in contents.items():
        if keyword == "$schema":
            raise CriterionError(
                "only the whole schema names a draft", (*path, keyword)
            )
        if keyword not in keywords | _SILENT and not keyword.startswith("x-"):
            guess = _guess(keyword, keywords | _SILENT)
            message = f"unknown keyword {quote(keyword, 40)}{guess}"
            raise CriterionError(message, (*path, keyword))
        if keyword == "pattern":
            _check_pattern(str(value), (*path, keyword))
        if keyword == "format" and value not in FORMATS:
            guess = _guess(str(value), FORMATS)
            message = f"unknown format {quote(str(value), 40)}{guess}"
            raise CriterionError(message, (*path, keyword))
        if keyword == "patternProperties" and isinstance(value, Mapping):
            for pattern in value:
                _check_pattern(pattern, (*path, keyword, pattern))


def _check_pattern(pattern: str, path: Path) -> None:
    """Raise where RE2 cannot read *pattern*, with its *path*."""
    try:
        Pattern.compile(pattern)
    except CriterionError as exc:
        raise CriterionError(exc.message, path) from exc


def _guess(word: str, known: Iterable[str]) -> str:
    """Return a question for the nearest of *known*, if one is near."""
    near = get_close_matches(word, sorted(known), n=1)
    return f" (did you mean {near[0]}?)" if near else ""


def _leads_nowhere(reference: str) -> str:
    """Return what is wrong with *reference*, and what to do."""
    shown = quote(reference, 60)
    if reference.startswith("#"):
        return f"{shown} is not in this schema"
    return f"{shown} is elsewhere, and nothing is ever fetched: copy it into $defs"


def _children(
    contents: Mapping[str, object], path: Path
) -> Iterator[tuple[Path, Schema]]:
    """Yield the subschemas of *contents* with their paths."""
    for keyword, value in contents.items():
        if keyword in _SCHEMA_AT and isinstance(value, bool | dict):
            yield (*path, keyword), value
        elif keyword in _SCHEMAS_IN and isinstance(value, list):
            for index, item in enumerate(value):
                yield (*path, keyword, index), item
        elif keyword in _SCHEMAS_BY_NAME and isinstance(value, dict):
            for name, item in value.items():
                if isinstance(item, bool | dict):  # dependencies may be lists
                    yield (*path, keyword, name), item
