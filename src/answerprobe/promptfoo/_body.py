"""Bodies of requests with places in them, and paths into replies."""

import json
import re

from collections.abc import Mapping

import jmespath

from jmespath.exceptions import JMESPathError

from answerprobe.promptfoo._source import Item, Lost, is_file
from answerprobe.promptfoo._template import places


SESSION_ID = "sessionId"
_JSON_PATH = re.compile(
    r"""json((?:\??\.[A-Za-z_$][\w$]*|(?:\?\.)?\[\d+\]|\[(?:'[^'\]]+'|"[^"\]]+")\])+);?"""
)
_STEP = re.compile(
    r"""\??\.?([A-Za-z_$][\w$]*)|(?:\?\.)?\[(\d+)\]|\[['"]([^'"]+)['"]\]"""
)


def parsed_body(at: Item) -> Item:
    """Return the body that the text *at* is as JSON."""
    if is_file(at.text or ""):
        raise Lost("its `body` is a file; write it out")
    try:
        found = json.loads(at.text or "")
    except (ValueError, RecursionError) as exc:
        raise Lost("its `body` is no JSON") from exc
    return _placed(found, at)


def _placed(value: object, at: Item) -> Item:
    """Return the JSON *value* as Items at the line of *at*."""
    if isinstance(value, dict):
        value = {key: _placed(item, at) for key, item in value.items()}
    elif isinstance(value, list):
        value = [_placed(item, at) for item in value]
    return Item(value=value, file=at.file, line=at.line)


def asked_in(at: Item, fixed: Mapping[str, object]) -> set[str]:
    """Return the variables in the body *at* that differ by test, and `prompt`."""
    if isinstance(at.value, dict):
        return {n for item in at.mapping.values() for n in asked_in(item, fixed)}
    if isinstance(at.value, list):
        return {n for item in at.items for n in asked_in(item, fixed)}
    if not isinstance(at.value, str):
        return set()
    return {
        place.name
        for place in places(at.value)
        if not place.environment and place.name not in (*fixed, SESSION_ID)
    }


def answer_path(expression: str) -> str | None:
    """Return the JMESPath of a JavaScript path into `json`, None where it is more."""
    if not (found := _JSON_PATH.fullmatch(expression)):
        return None
    path = ""
    for name, index, quoted in _STEP.findall(found[1]):
        if index:
            path += f"[{index}]"
        else:
            key = name or quoted
            plain = re.fullmatch(r"[A-Za-z_]\w*", key)
            path += ("." if path else "") + (key if plain else json.dumps(key))
    try:
        jmespath.compile(path)
    except JMESPathError:
        return None
    return path
