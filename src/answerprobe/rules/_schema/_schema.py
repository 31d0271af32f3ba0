"""A JSON Schema that answers are held against."""

import json

from collections.abc import Mapping
from dataclasses import dataclass, field

from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match
from jsonschema.protocols import Validator
from referencing import Registry

from answerprobe.errors import CriterionError
from answerprobe.rules._json import MAX_VALUES
from answerprobe.rules._reason import quote
from answerprobe.rules._schema._dialect import (
    DRAFTS,
    LATEST,
    MAX_STEPS,
    TooComplex,
    first_misfits,
    schema_error,
    validator_class,
)
from answerprobe.rules._schema._misfit import Misfit, misfit, schema_problem
from answerprobe.rules._schema._survey import survey


_MOST_COMPARED = 20
# jsonschema's search for what is unevaluated takes quadratic time.
_MOST_VALUES_UNEVALUATED = 2_000
# Measured: 3 µs to hold a subschema against a value, which takes two characters.
_NANOSECONDS_PER_SUBSCHEMA = 2_000
_EXAMPLES: tuple[object, ...] = (None, "", 0, [], {}, [0], {"a": 0})


@dataclass(frozen=True, slots=True, kw_only=True)
class Schema:
    """
    A JSON Schema in the configuration.

    *most_values*: larger documents are not to be checked. *nanoseconds_per_character*:
    what checking costs; None where no bound is known.
    """

    document: bool | Mapping[str, object]
    most_values: int = MAX_VALUES
    nanoseconds_per_character: int | None = _NANOSECONDS_PER_SUBSCHEMA
    _validator: Validator = field(repr=False, compare=False)

    def misfit(self, value: object) -> Misfit | None:
        """Return where the bounded JSON *value* does not fit; None where it does."""
        try:
            errors = first_misfits(self._validator, value, _MOST_COMPARED)
        except TooComplex:
            return Misfit.without_words(f"more than {MAX_STEPS:,} steps to check")
        except RecursionError:
            return Misfit.without_words("nested too deeply for this schema")
        best = best_match(errors)
        return misfit(best) if best is not None else None


def load(value: object) -> Schema:
    """
    Return the schema *value*.

    Raises:
        CriterionError: it is none, or none that can be checked safely and wholly.
    """
    if value is True:
        return Schema(document=True, _validator=Draft202012Validator(schema=True))
    if not isinstance(value, Mapping):
        raise CriterionError("expected a JSON Schema")
    plain = _plain(value)
    draft = _draft(plain.pop("$schema", LATEST))
    error = schema_error(draft, plain)
    if error is not None:
        raise schema_problem(error)
    checker = validator_class(draft)
    found = survey(plain, draft, frozenset(checker.VALIDATORS))
    registry: Registry[bool | Mapping[str, object]] = Registry()
    validator = checker(plain, registry=registry)
    if found.refers:
        _refuse_endless(validator)
    cost = _NANOSECONDS_PER_SUBSCHEMA * found.subschemas
    return Schema(
        document=plain,
        most_values=_MOST_VALUES_UNEVALUATED if found.unevaluated else MAX_VALUES,
        nanoseconds_per_character=None if found.refers else cost,
        _validator=validator,
    )


def _plain(value: Mapping[str, object]) -> dict[str, object]:
    """
    Return a copy of *value* of plain JSON values.

    Raises:
        CriterionError: it holds something else, or is nested too deeply.
    """
    try:
        text = json.dumps(value, allow_nan=False, default=_as_json)
        plain = json.loads(text)
    except (TypeError, ValueError, RecursionError) as exc:
        raise CriterionError(f"no JSON: {exc}") from exc
    return dict(plain)


def _as_json(value: object) -> object:
    """Return mappings of other kinds as plain ones, or raise."""
    if isinstance(value, Mapping):
        return dict(value)
    message = f"{type(value).__name__} is no JSON value"
    raise TypeError(message)


def _draft(written: object) -> str:
    """
    Return the draft that `$schema` names.

    Raises:
        CriterionError: it is none that is known.
    """
    name = str(written).rstrip("#")
    for draft in DRAFTS:
        if name in (draft, draft.replace("http:", "https:")):
            return draft
    known = ", ".join(DRAFTS)
    raise CriterionError(
        f"unknown draft {quote(str(written))}: one of {known}", ("$schema",)
    )


def _refuse_endless(validator: Validator) -> None:
    """
    Try *validator*.

    Raises:
        CriterionError: it never ends, whatever it is given.
    """
    for example in _EXAMPLES:
        try:
            first_misfits(validator, example, 1)
        except (RecursionError, TooComplex) as exc:
            message = "refers to itself without end: no value can be checked"
            raise CriterionError(message) from exc
