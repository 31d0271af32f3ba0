"""What each of promptfoo's assertions is as a criterion, or why it is none."""

from collections.abc import Callable, Mapping

import re2

from answerprobe.errors import CriterionError
from answerprobe.promptfoo._source import Item, Lost
from answerprobe.promptfoo._value import Value
from answerprobe.rules import RULES


Criteria = list[dict[str, object]]

_DEADLINE_MS = 20_000
_MOST_REPEATS = 1000
_LONGEST_DEADLINE_MS = 600_000
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


def convert(name: str, entry: Item, variables: Mapping[str, object]) -> Criteria:
    """Return the criteria for an assertion of the type *name*."""
    if name not in _MAKERS:
        why = _WITHOUT.get(name) or _WITHOUT.get(name.removeprefix("not-"))
        raise Lost(why or "has no counterpart")
    return _MAKERS[name](Value(entry, variables))


def _exact(text: object) -> dict[str, object]:
    """Return *text* with its letters' case."""
    return {"text": text, "case_sensitive": True}


def _not_any(value: Value) -> Criteria:
    """Return that none of several texts is there."""
    return [{"not_contains": _exact(text)} for text in value.texts]


def _equals(value: Value) -> Criteria:
    """Return that the answer is a text, or such JSON."""
    item = value.item
    if item is not None and isinstance(item.value, dict | list):
        return _checked("json_schema", {"const": item.plain})
    return [{"equals": _exact(value.text)}]


def _regex(name: str) -> Callable[[Value], Criteria]:
    """Return what makes the criterion *name* of a pattern."""
    return lambda value: _checked(name, value.text)


def _not_beginning(end: str) -> Callable[[Value], Criteria]:
    """Return what makes a criterion that the answer is no such text before *end*."""

    def make(value: Value) -> Criteria:
        return _checked("not_regex", rf"\A\s*{re2.escape(value.text)}{end}")

    return make


def _checked(name: str, value: object) -> Criteria:
    """Return the criterion *name* of *value*, if that is one."""
    try:
        RULES[name].parse(value)
    except CriterionError as exc:
        raise Lost(f"cannot be kept as `{name}`: {exc}") from exc
    return [{name: value}]


def _is_json(value: Value) -> Criteria:
    """Return that the answer is JSON, and fits a schema where there is one."""
    schema = value.data
    if schema is None:
        return [{"is_json": True}]
    if not isinstance(schema, dict):
        raise Lost("its `value` is no JSON Schema")
    return _checked("json_schema", schema)


def _latency(value: Value) -> Criteria:
    """Return that the answer comes in time."""
    milliseconds = value.threshold
    if not 1 <= milliseconds <= _LONGEST_DEADLINE_MS:
        raise Lost("is no time that can be waited for: from 1 to 600000")
    spelled = (
        f"{milliseconds:g}ms" if milliseconds % 1000 else f"{milliseconds / 1000:g}s"
    )
    if milliseconds > _DEADLINE_MS:
        return [{"answered": {"within": spelled}}]
    return [{"responds_within": spelled}]


def _word_count(value: Value) -> Criteria:
    """Return that the answer has so many words."""
    item = value.item
    bounds = item.plain if item else None
    if isinstance(bounds, int) and not isinstance(bounds, bool):
        bounds = {"min": bounds, "max": bounds}
    if not isinstance(bounds, dict):
        raise Lost("has no number, `min` or `max` as its `value`")
    low, high = bounds.get("min"), bounds.get("max")
    found: Criteria = []
    if isinstance(low, int) and low > 0:
        if low > _MOST_REPEATS:
            raise Lost(f"wants more than {_MOST_REPEATS} words")
        found += _checked("regex", rf"(?:\S+\s+){{{low - 1}}}\S+")
    if isinstance(high, int):
        found += _checked("max_words", high)
    if not found:
        raise Lost("has no number, `min` or `max` as its `value`")
    return found


def _judged(sentence: str = "{}") -> Callable[[Value], Criteria]:
    """Return what makes a judged criterion of a *sentence* around the value."""
    before, _, after = sentence.partition("{}")
    return lambda value: [{"judge": f"{before}{value.text}{after}"}]


_FACTS = "States nothing that contradicts this reference: {}"
_MAKERS: Mapping[str, Callable[[Value], Criteria]] = {
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


# All types that promptfoo has, without `not-`.
KINDS = frozenset(name.removeprefix("not-") for name in (*_MAKERS, *_WITHOUT))


def _lines(value: Value) -> list[str]:
    """Return the sentences of *value*, whose commas part nothing."""
    item = value.item
    return value.texts if item and isinstance(item.value, list) else [value.text]
