"""Rules: deterministic checks of a sample, a file for each rule or family."""

from answerprobe.rules._base import ParsedRule, Rule
from answerprobe.rules._grading import check_all, costly
from answerprobe.rules._schema import Schema
from answerprobe.rules._schema import load as load_schema
from answerprobe.rules.answered import DEFAULT_WITHIN_SECONDS, Answered
from answerprobe.rules.contains import Contains, ContainsAll, ContainsAny, NotContains
from answerprobe.rules.equals import Equals
from answerprobe.rules.has_citation import HasCitation
from answerprobe.rules.in_turns import InTurns, TurnChoice
from answerprobe.rules.json_schema import IsJson, JsonSchema
from answerprobe.rules.max_words import MaxWords
from answerprobe.rules.no_pii import NoPii
from answerprobe.rules.no_refusal import NoRefusal
from answerprobe.rules.regex import NotRegex, Regex
from answerprobe.rules.responds_within import RespondsWithin
from answerprobe.rules.starts_with import StartsWith
from answerprobe.rules.tools import (
    DoesNotInvokeTool,
    ExpectedActions,
    InvokesTool,
    ToolParametersContain,
)


__all__ = [
    "DEFAULT_WITHIN_SECONDS",
    "RULES",
    "Answered",
    "ExpectedActions",
    "InTurns",
    "InvokesTool",
    "ParsedRule",
    "Rule",
    "Schema",
    "ToolParametersContain",
    "TurnChoice",
    "check_all",
    "costly",
    "load_schema",
]

# Name in the configuration -> class.
RULES: dict[str, type[ParsedRule]] = {
    "answered": Answered,
    "contains": Contains,
    "contains_all": ContainsAll,
    "contains_any": ContainsAny,
    "does_not_invoke_tool": DoesNotInvokeTool,
    "equals": Equals,
    "expected_actions": ExpectedActions,
    "has_citation": HasCitation,
    "invokes_tool": InvokesTool,
    "is_json": IsJson,
    "json_schema": JsonSchema,
    "max_words": MaxWords,
    "no_pii": NoPii,
    "no_refusal": NoRefusal,
    "not_contains": NotContains,
    "not_regex": NotRegex,
    "regex": Regex,
    "responds_within": RespondsWithin,
    "starts_with": StartsWith,
    "tool_parameters_contain": ToolParametersContain,
}
