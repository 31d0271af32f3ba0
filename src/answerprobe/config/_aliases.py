"""Other names of criteria: longer ones, camelCase, and those that promptfoo uses."""

from collections.abc import Mapping

from answerprobe.config._want import criteria


_LONGER = {
    "answer_contains": "contains",
    "answer_matches": "regex",
    "answer_is_json": "is_json",
    "satisfies_assertion": "judge",
    "response_grounded_in_knowledge": "grounded_in_knowledge",
}
_PROMPTFOO = {
    "icontains": "contains",
    "not-contains": "not_contains",
    "not-icontains": "not_contains",
    "contains-any": "contains_any",
    "icontains-any": "contains_any",
    "contains-all": "contains_all",
    "icontains-all": "contains_all",
    "starts-with": "starts_with",
    "not-regex": "not_regex",
    "is-json": "is_json",
    "not-is-refusal": "no_refusal",
    "llm-rubric": "judge",
    "latency": "responds_within",
}
REFUSED = {
    "is-refusal": "no criterion demands a refusal: write `no_refusal: true` to forbid "
    "one, or a `judge` sentence that says what must be declined",
}


def _camel(name: str) -> str:
    """Return *name* in camelCase."""
    first, *others = name.split("_")
    return first + "".join(word.capitalize() for word in others)


_SNAKE = {**{name: name for name in criteria()}, **_LONGER}
# Every name that is accepted -> the name that is meant.
NAMES: Mapping[str, str] = {
    **{_camel(name): meant for name, meant in _SNAKE.items()},
    **_SNAKE,
    **_PROMPTFOO,
}


def canonical(entry: Mapping[str, object]) -> Mapping[str, object]:
    """Return the criterion *entry* under the name that is meant, if it is known."""
    if len(entry) != 1:
        return entry
    ((name, value),) = entry.items()
    meant = NAMES.get(name, name)
    if name == "latency":
        return {meant: _from_milliseconds(value)}
    if name == "is-json" and isinstance(value, dict):
        return {"json_schema": value}
    return entry if meant == name else {meant: value}


def _from_milliseconds(value: object) -> object:
    """Return promptfoo's latency, a number or `{threshold: number}`, as a duration."""
    if isinstance(value, dict) and value.keys() == {"threshold"}:
        value = value["threshold"]
    if isinstance(value, str) and value.replace(".", "", 1).isdecimal():
        return f"{value}ms"
    return value
