"""promptfoo's assertions as criteria, as far as they have a counterpart."""

import json

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import re2

from answerprobe.errors import CriterionError
from answerprobe.promptfoo._source import Item, Notes, is_file
from answerprobe.promptfoo._template import Unfollowable, fill
from answerprobe.rules import RULES


Criteria = list[dict[str, object]]

_DEADLINE_MS = 20_000
_DEEPEST = 5
_MOST_REPEATS = 1000
_LONGEST_DEADLINE_MS = 600_000
_HANDLED = frozenset({"type", "value", "threshold", "provider", "$ref"})
_CODE = "runs code, which answerprobe does not"
_SCORE = "compares a score of similarity; say in a `judge` what counts"
_TRACES = "looks at traces; see `invokes_tool` and `expected_actions`"
_CONTEXT = "needs the context that was retrieved; see `grounded_in_knowledge`"
_CALLS = "checks the form of tool calls; see `tool_parameters_contain`"
# What has no counterpart, and why or what to use.
_WITHOUT: Mapping[str, str] = {
    "javascript": _CODE,
    "python": _CODE,
    "ruby": _CODE,
    "webhook": "asks a server of yours, which answerprobe does not",
    "cost": "has no criterion; see `price` and `token_budget`",
    "similar": _SCORE,
    "levenshtein": _SCORE,
    "rouge-n": _SCORE,
    "bleu": _SCORE,
    "gleu": _SCORE,
    "meteor": _SCORE,
    "perplexity": "needs probabilities of tokens, which a user does not see",
    "perplexity-score": "needs probabilities of tokens, which a user does not see",
    "contains-json": "accepts JSON anywhere; `is_json` wants the answer to be it",
    "contains-sql": "parses SQL; see `regex`",
    "is-sql": "parses SQL; see `regex`",
    "contains-xml": "parses XML; see `regex`",
    "is-xml": "parses XML; see `regex`",
    "contains-html": "parses HTML; see `regex`",
    "is-html": "parses HTML; see `regex`",
    "select-best": "compares several outputs; see `answerprobe compare`",
    "max-score": "compares several outputs; see `answerprobe compare`",
    "classifier": "asks a classifier, which answerprobe does not",
    "moderation": "asks a moderation API, which answerprobe does not",
    "guardrails": "looks at a provider's guardrails",
    "context-faithfulness": _CONTEXT,
    "context-recall": _CONTEXT,
    "context-relevance": _CONTEXT,
    "is-valid-function-call": _CALLS,
    "is-valid-openai-function-call": _CALLS,
    "is-valid-openai-tools-call": _CALLS,
    "tool-call-f1": _CALLS,
    "trajectory:tool-used": _TRACES,
    "trajectory:tool-args-match": _TRACES,
    "trajectory:tool-sequence": _TRACES,
}


class _Lost(ValueError):
    """Why an assertion has no counterpart."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asserts:
    """
    Turns assertions into criteria.

    *templates* are the top-level `assertionTemplates`. What is lost or changed is noted
    in *notes*.
    """

    templates: Mapping[str, Item]
    notes: Notes

    def criteria(
        self, entry: Item, variables: Mapping[str, object], depth: int = 0
    ) -> Criteria:
        """Return the criteria that the assertion *entry* stands for, perhaps none."""
        source = self._referred(entry)
        kind = source.get("type")
        name = kind.text if kind else None
        if name is None:
            self.notes.add(entry, "assert", "is no assertion with a `type`")
            return []
        try:
            _check_counts(source)
            if name == "assert-set":
                return self._set(source, variables, depth)
            found = _convert(name, source, variables)
        except _Lost as exc:
            self.notes.add(entry, name, str(exc))
            return []
        except Unfollowable as exc:
            self.notes.add(entry, name, f"its value cannot be filled in: {exc}")
            return []
        self._tell(name, source, entry)
        return found

    def _referred(self, entry: Item) -> Item:
        """Return the template that *entry* refers to, else *entry* itself."""
        reference = entry.get("$ref")
        if reference is None:
            return entry
        name = (reference.text or "").rpartition("/")[2]
        return self.templates.get(name, entry)

    def _set(
        self, entry: Item, variables: Mapping[str, object], depth: int
    ) -> Criteria:
        """Return the criteria of a set all of which must pass."""
        if depth > _DEEPEST:
            raise _Lost("is nested too deeply")
        threshold = entry.get("threshold")
        if threshold and threshold.value != 1:
            raise _Lost("passes when some of its assertions do; here all must")
        inner = entry.get("assert")
        return [
            criterion
            for each in (inner.items if inner else ())
            for criterion in self.criteria(each, variables, depth + 1)
        ]

    def _tell(self, name: str, source: Item, entry: Item) -> None:
        """Note what of an assertion that came over did not."""
        told = _CHANGED.get(name)
        if told:
            self.notes.add(entry, name, told)
        if name in _JUDGED and source.get("threshold"):
            why = "a judge says pass or fail; the score is left out"
            self.notes.add(source, f"{name}: threshold", why)
        if name in _JUDGED and source.get("provider"):
            why = "the monitor's judge grades; see `judges`"
            self.notes.add(source, f"{name}: provider", why)
        for key in source.mapping:
            if key not in _HANDLED:
                why = "is left out, the assertion is kept"
                line = source.key_line(key)
                self.notes.add(source, f"{name}: {key}", why, line=line)


def _check_counts(source: Item) -> None:
    """Raise where an assertion never fails, or looks at something else."""
    weight = source.get("weight")
    if weight and weight.value == 0:
        raise _Lost("has the weight 0, so it never fails a test")
    if source.get("transform"):
        raise _Lost("looks at what code makes of the answer")


_JUDGED = frozenset(
    {
        "llm-rubric",
        "model-graded-closedqa",
        "factuality",
        "model-graded-factuality",
        "answer-relevance",
        "g-eval",
    }
)
_CHANGED: Mapping[str, str] = {
    "answer-relevance": "a judge grades it; promptfoo compares embeddings",
    "is-refusal": "a judge grades it; promptfoo looks for words",
    "g-eval": "a judge says pass or fail; promptfoo gives a score",
}


def _convert(name: str, entry: Item, variables: Mapping[str, object]) -> Criteria:
    """Return the criteria for an assertion of the type *name*."""
    if name not in _MAKERS:
        why = _WITHOUT.get(name) or _WITHOUT.get(name.removeprefix("not-"))
        raise _Lost(why or "has no counterpart")
    return _MAKERS[name](_Value(entry, variables))


class _Value:
    """The value of an assertion, with its variables filled in."""

    def __init__(self, entry: Item, variables: Mapping[str, object]) -> None:
        self._entry = entry
        self._variables = variables

    @property
    def item(self) -> Item | None:
        """The value as it is written."""
        return self._entry.get("value")

    @property
    def text(self) -> str:
        """The one text that it is."""
        item = self.item
        text = item.text if item else None
        if text is None:
            raise _Lost("has no text as its `value`")
        return self._filled(text)

    @property
    def texts(self) -> list[str]:
        """The texts that it lists, or that commas part."""
        item = self.item
        if item is None:
            raise _Lost("has no `value`")
        if isinstance(item.value, str) and not is_file(item.value):
            found = [part.strip() for part in self._filled(item.value).split(",")]
        else:
            found = [self._filled(each.text or "") for each in item.items]
        if not all(found):
            raise _Lost("has something else than texts in its `value`")
        return found

    @property
    def data(self) -> object:
        """The JSON value that it is, a text of JSON too; None where it has none."""
        item = self.item
        if item is None:
            return None
        if not isinstance(item.value, str):
            return item.plain
        try:
            return json.loads(self._filled(item.value))
        except (ValueError, RecursionError) as exc:
            raise _Lost("its `value` is no JSON") from exc

    @property
    def threshold(self) -> float:
        """The number at `threshold`, or the value where it is one."""
        item = self._entry.get("threshold", "value")
        number = item.value if item else None
        if isinstance(number, bool) or not isinstance(number, int | float):
            raise _Lost("has no number as its `threshold`")
        return float(number)

    def _filled(self, text: str) -> str:
        """Return *text* with its variables filled in."""
        if is_file(text):
            raise _Lost("takes its value from a file; write it out")
        filled = fill(text, self._variables)
        if not filled.strip():
            raise _Lost("has a blank `value`")
        return filled


def _exact(text: object) -> dict[str, object]:
    """Return *text* with its letters' case."""
    return {"text": text, "case_sensitive": True}


def _not_any(value: _Value) -> Criteria:
    """Return that none of several texts is there."""
    return [{"not_contains": _exact(text)} for text in value.texts]


def _equals(value: _Value) -> Criteria:
    """Return that the answer is a text, or such JSON."""
    item = value.item
    if item is not None and isinstance(item.value, dict | list):
        return _checked("json_schema", {"const": item.plain})
    return [{"equals": _exact(value.text)}]


def _regex(name: str) -> Callable[[_Value], Criteria]:
    """Return what makes the criterion *name* of a pattern."""
    return lambda value: _checked(name, value.text)


def _not_beginning(end: str) -> Callable[[_Value], Criteria]:
    """Return what makes a criterion that the answer is no such text before *end*."""

    def make(value: _Value) -> Criteria:
        return _checked("not_regex", rf"\A\s*{re2.escape(value.text)}{end}")

    return make


def _checked(name: str, value: object) -> Criteria:
    """Return the criterion *name* of *value*, if that is one."""
    try:
        RULES[name].parse(value)
    except CriterionError as exc:
        raise _Lost(f"cannot be kept as `{name}`: {exc}") from exc
    return [{name: value}]


def _is_json(value: _Value) -> Criteria:
    """Return that the answer is JSON, and fits a schema where there is one."""
    schema = value.data
    if schema is None:
        return [{"is_json": True}]
    if not isinstance(schema, dict):
        raise _Lost("its `value` is no JSON Schema")
    return _checked("json_schema", schema)


def _latency(value: _Value) -> Criteria:
    """Return that the answer comes in time."""
    milliseconds = value.threshold
    if not 1 <= milliseconds <= _LONGEST_DEADLINE_MS:
        raise _Lost("is no time that can be waited for: from 1 to 600000")
    spelled = (
        f"{milliseconds:g}ms" if milliseconds % 1000 else f"{milliseconds / 1000:g}s"
    )
    if milliseconds > _DEADLINE_MS:
        return [{"answered": {"within": spelled}}]
    return [{"responds_within": spelled}]


def _word_count(value: _Value) -> Criteria:
    """Return that the answer has so many words."""
    item = value.item
    bounds = item.plain if item else None
    if isinstance(bounds, int) and not isinstance(bounds, bool):
        bounds = {"min": bounds, "max": bounds}
    if not isinstance(bounds, dict):
        raise _Lost("has no number, `min` or `max` as its `value`")
    low, high = bounds.get("min"), bounds.get("max")
    found: Criteria = []
    if isinstance(low, int) and low > 0:
        if low > _MOST_REPEATS:
            raise _Lost(f"wants more than {_MOST_REPEATS} words")
        found += _checked("regex", rf"(?:\S+\s+){{{low - 1}}}\S+")
    if isinstance(high, int):
        found += _checked("max_words", high)
    if not found:
        raise _Lost("has no number, `min` or `max` as its `value`")
    return found


def _judged(sentence: str = "{}") -> Callable[[_Value], Criteria]:
    """Return what makes a judged criterion of a *sentence* around the value."""
    before, _, after = sentence.partition("{}")
    return lambda value: [{"judge": f"{before}{value.text}{after}"}]


_FACTS = "States nothing that contradicts this reference: {}"
_MAKERS: Mapping[str, Callable[[_Value], Criteria]] = {
    "contains": lambda value: [{"contains": _exact(value.text)}],
    "icontains": lambda value: [{"contains": value.text}],
    "not-contains": lambda value: [{"not_contains": _exact(value.text)}],
    "not-icontains": lambda value: [{"not_contains": value.text}],
    "contains-any": lambda value: [{"contains_any": _exact(value.texts)}],
    "icontains-any": lambda value: [{"contains_any": value.texts}],
    "contains-all": lambda value: [{"contains_all": _exact(value.texts)}],
    "icontains-all": lambda value: [{"contains_all": value.texts}],
    "not-contains-any": _not_any,
    "not-icontains-any": lambda value: [{"not_contains": t} for t in value.texts],
    "equals": _equals,
    "not-equals": _not_beginning(r"\s*\z"),
    "starts-with": lambda value: [{"starts_with": _exact(value.text)}],
    "not-starts-with": _not_beginning(""),
    "regex": _regex("regex"),
    "not-regex": _regex("not_regex"),
    "is-json": _is_json,
    "latency": _latency,
    "word-count": _word_count,
    "not-is-refusal": lambda _: [{"no_refusal": True}],
    "is-refusal": lambda _: [{"judge": "Declines to do what was asked."}],
    "llm-rubric": _judged(),
    "model-graded-closedqa": _judged(),
    "factuality": _judged(_FACTS),
    "model-graded-factuality": _judged(_FACTS),
    "answer-relevance": lambda _: [{"judge": "Answers the question that was asked."}],
    "g-eval": lambda value: [{"judge": text} for text in _lines(value)],
}


def _lines(value: _Value) -> list[str]:
    """Return the sentences of *value*, whose commas part nothing."""
    item = value.item
    return value.texts if item and isinstance(item.value, list) else [value.text]
