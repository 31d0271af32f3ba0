"""The rules `is_json` and `json_schema`: the answer is JSON, and fits a schema."""

from dataclasses import dataclass
from typing import Self

from answerprobe.rules._json import NotJson, read_answer
from answerprobe.rules._options import options_of
from answerprobe.rules._reason import failed, passed
from answerprobe.rules._schema import Schema, load
from answerprobe.sample import Sample
from answerprobe.verdict import Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class IsJson:
    """The answer is JSON, or has exactly one fenced block, which is."""

    @property
    def criterion(self) -> str:
        """The rule's name in the configuration."""
        return "is_json"

    @classmethod
    def parse(cls, value: object) -> Self:
        """
        Make the rule from `true`.

        Raises:
            CriterionError: *value* is something else.
        """
        options_of(value, ())
        return cls()

    def check(self, sample: Sample) -> Verdict:
        """Grade *sample*."""
        try:
            document = read_answer(sample.answer)
        except NotJson as exc:
            return failed(self.criterion, exc.message, exc.unquoted)
        return passed(self.criterion, f"JSON: {_kind(document)}")


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonSchema:
    """The answer is JSON, or has one fenced block that is, and fits *schema*."""

    schema: Schema

    @property
    def criterion(self) -> str:
        """The rule's name in the configuration."""
        return "json_schema"

    @classmethod
    def parse(cls, value: object) -> Self:
        """
        Make the rule from a JSON Schema.

        Raises:
            CriterionError: it is none, or none that can be checked safely and wholly.
        """
        return cls(schema=load(value))

    def check(self, sample: Sample) -> Verdict:
        """Grade *sample*; the reason of a fail names the JSON path of the culprit."""
        try:
            document = read_answer(sample.answer, self.schema.most_values)
        except NotJson as exc:
            return failed(self.criterion, exc.message, exc.unquoted)
        misfit = self.schema.misfit(document)
        if misfit is not None:
            return failed(self.criterion, misfit.reason, misfit.unquoted)
        return passed(self.criterion, f"{_kind(document)} that fits the schema")


def _kind(document: object) -> str:
    """Return what sort of JSON value *document* is."""
    match document:
        case dict():
            return "an object"
        case list():
            return "an array"
        case str():
            return "a text"
        case bool() | None:
            return "true, false or null"
        case _:
            return "a number"
