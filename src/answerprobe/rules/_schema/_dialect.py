"""
The drafts of JSON Schema that are understood, and their validators.

The validators are jsonschema's, with the keywords replaced that could hang on an
answer: patterns go through RE2 instead of `re`, comparisons take linear time, and a
check as a whole has a limited number of steps, since schemas that refer to themselves
can branch without end.
"""

import functools
import json

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextvars import ContextVar
from typing import Protocol

from jsonschema import (
    Draft4Validator,
    Draft6Validator,
    Draft7Validator,
    Draft201909Validator,
    Draft202012Validator,
    ValidationError,
    validators,
)
from jsonschema.exceptions import best_match
from jsonschema.protocols import Validator
from referencing.jsonschema import specification_with

from answerprobe.rules._pattern import Pattern
from answerprobe.rules._schema import _formats


LATEST = "https://json-schema.org/draft/2020-12/schema"
_DRAFTS: Mapping[str, type[Validator]] = {
    LATEST: Draft202012Validator,
    "https://json-schema.org/draft/2019-09/schema": Draft201909Validator,
    "http://json-schema.org/draft-07/schema": Draft7Validator,
    "http://json-schema.org/draft-06/schema": Draft6Validator,
    "http://json-schema.org/draft-04/schema": Draft4Validator,
}
DRAFTS = tuple(_DRAFTS)
# Up to draft 7 a $ref hides the keywords beside it.
_REF_HIDES = DRAFTS[2:]
MAX_STEPS = 200_000
_steps_left: ContextVar[list[int] | None] = ContextVar("steps_left", default=None)


class TooComplex(Exception):
    """A check took more than MAX_STEPS steps."""


class _Descending(Protocol):
    """What a keyword needs of the validator that calls it."""

    def descend(
        self,
        instance: object,
        schema: object,
        path: object = ...,
        schema_path: object = ...,
    ) -> Iterator[ValidationError]:
        """Yield what does not fit of *instance*."""
        ...


def first_misfits(
    validator: Validator, value: object, most: int
) -> list[ValidationError]:
    """
    Return at most *most* errors of *value*, in the order of the schema.

    Raises:
        TooComplex: there are too many steps to check.
    """
    token = _steps_left.set([MAX_STEPS])
    try:
        errors = validator.iter_errors(value)  # type: ignore[arg-type]  # JSON
        return [error for error, _ in zip(errors, range(most), strict=False)]
    finally:
        _steps_left.reset(token)


def schema_error(draft: str, schema: object) -> ValidationError | None:
    """Return the most telling error by which *schema* is none of *draft*, if any."""
    stock = _DRAFTS[draft]
    errors = stock(stock.META_SCHEMA).iter_errors(schema)  # type: ignore[arg-type]  # JSON
    best: ValidationError | None = best_match(errors)
    return best


@functools.cache
def validator_class(draft: str) -> type[Validator]:
    """Return the validator of *draft*, one of DRAFTS, made safe."""
    stock = _DRAFTS[draft]
    hides = draft in _REF_HIDES

    def applicable(schema: Mapping[str, object]) -> Iterable[tuple[str, object]]:
        left = _steps_left.get()
        if left is not None:
            left[0] -= 1
            if left[0] < 0:
                raise TooComplex
        if hides and "$ref" in schema:
            return [("$ref", schema["$ref"])]
        return schema.items()

    keywords = {
        name: check for name, check in _SAFE.items() if name in stock.VALIDATORS
    }
    return validators.create(
        meta_schema=stock.META_SCHEMA,
        validators={**stock.VALIDATORS, **keywords},
        type_checker=stock.TYPE_CHECKER,
        format_checker=stock.FORMAT_CHECKER,
        id_of=specification_with(draft).id_of,  # type: ignore[arg-type]  # as documented
        applicable_validators=applicable,  # type: ignore[arg-type]  # as documented
    )


@functools.lru_cache(maxsize=4096)
def _compiled(pattern: str) -> Pattern:
    """Return *pattern* compiled, once for all checks."""
    return Pattern.compile(pattern)


def _pattern(
    _validator: _Descending, pattern: str, instance: object, _schema: object
) -> Iterator[ValidationError]:
    """`pattern`, by RE2."""
    if isinstance(instance, str) and _compiled(pattern).find(instance) is None:
        yield ValidationError(f"{instance!r} does not match {pattern!r}")


def _pattern_properties(
    validator: _Descending,
    patterns: Mapping[str, object],
    instance: object,
    _schema: object,
) -> Iterator[ValidationError]:
    """`patternProperties`, by RE2."""
    if not isinstance(instance, dict):
        return
    for pattern, subschema in patterns.items():
        compiled = _compiled(pattern)
        for key, value in instance.items():
            if compiled.find(key) is not None:
                yield from validator.descend(
                    value, subschema, path=key, schema_path=pattern
                )


def _additional_properties(
    validator: _Descending,
    allowed: object,
    instance: object,
    schema: Mapping[str, Mapping[str, object]],
) -> Iterator[ValidationError]:
    """`additionalProperties`; those named by a pattern are told by RE2."""
    if not isinstance(instance, dict):
        return
    named = schema.get("properties", {})
    patterns = [_compiled(pattern) for pattern in schema.get("patternProperties", {})]
    for key, value in instance.items():
        if key in named or any(p.find(key) is not None for p in patterns):
            continue
        if allowed is False:
            yield ValidationError(f"{key!r} is not one of the properties")
        else:
            yield from validator.descend(value, allowed, path=key)


def _unique_items(
    _validator: _Descending, wanted: object, instance: object, _schema: object
) -> Iterator[ValidationError]:
    """`uniqueItems`, in linear time."""
    if not wanted or not isinstance(instance, list):
        return
    seen: set[str] = set()
    for index, item in enumerate(instance):
        canonical = _canonical(item)
        if canonical in seen:
            yield ValidationError(f"item {index} is there twice")
            return
        seen.add(canonical)


def _canonical(value: object) -> str:
    """Return a text that is the same for equal JSON values: 1 and 1.0, not true."""

    def plain(item: object) -> object:
        if isinstance(item, float) and item.is_integer():
            return int(item)
        if isinstance(item, dict):
            return {key: plain(child) for key, child in item.items()}
        return [plain(child) for child in item] if isinstance(item, list) else item

    return json.dumps(plain(value), sort_keys=True)


def _any_of(
    validator: _Descending, subschemas: list[object], instance: object, _schema: object
) -> Iterator[ValidationError]:
    """`anyOf`, with the first error of each schema: all would take 3 KB an error."""
    context = []
    for index, subschema in enumerate(subschemas):
        error = next(validator.descend(instance, subschema, schema_path=index), None)
        if error is None:
            return
        context.append(error)
    yield ValidationError("fits none of the schemas", context=context)


def _one_of(
    validator: _Descending, subschemas: list[object], instance: object, _schema: object
) -> Iterator[ValidationError]:
    """`oneOf`, with the first error of each schema."""
    context = []
    fitting = []
    for index, subschema in enumerate(subschemas):
        error = next(validator.descend(instance, subschema, schema_path=index), None)
        if error is None:
            fitting.append(index)
        else:
            context.append(error)
    if not fitting:
        yield ValidationError("fits none of the schemas", context=context)
    elif len(fitting) > 1:
        yield ValidationError(f"fits {len(fitting)} of the schemas, must fit one")


def _format(
    _validator: _Descending, name: str, instance: object, _schema: object
) -> Iterator[ValidationError]:
    """`format`, by the checks of _formats.py."""
    if not _formats.conforms(instance, name):
        yield ValidationError(f"{instance!r} is no {name}")


_SAFE: Mapping[str, Callable[..., Iterator[ValidationError]]] = {
    "additionalProperties": _additional_properties,
    "anyOf": _any_of,
    "format": _format,
    "oneOf": _one_of,
    "pattern": _pattern,
    "patternProperties": _pattern_properties,
    "uniqueItems": _unique_items,
}
