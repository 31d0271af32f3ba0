"""The definition of a case in words: what it asks, what it expects, what tools do."""

import dataclasses

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum

from answerprobe import durations
from answerprobe.case import Case, Quorum, Rubric, Threshold
from answerprobe.monitor import Monitor
from answerprobe.rules import InTurns, Rule
from answerprobe.tool import Fault, Live, Response, Success, Tool, Value
from answerprobe.web.pages._sample import as_json
from answerprobe.web.pages._when import percent


@dataclass(frozen=True, slots=True, kw_only=True)
class CriterionDefinition:
    """One criterion: what it wants, and who grades it."""

    label: str
    wanted: str
    by: str
    material: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolDefinition:
    """One tool: what it does where it really runs, and what is answered instead."""

    name: str
    description: str
    effect: str
    answers: str
    overridden: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseDefinition:
    """
    What a case asks and expects.

    *actions* are the expected ones, None: not asserted. *bar*: how many samples must
    pass.
    """

    ask: str | None
    persona: str | None
    goal: str | None
    opening: str | None
    turns: str | None
    bar: str
    within: str
    criteria: tuple[CriterionDefinition, ...]
    actions: tuple[str, ...] | None
    tools: tuple[ToolDefinition, ...]


def definition(monitor: Monitor, case: Case) -> CaseDefinition:
    """Return what *case* of *monitor* asks and expects."""
    talk = case.conversation
    return CaseDefinition(
        ask=case.ask,
        persona=talk.persona if talk else None,
        goal=talk.goal if talk else None,
        opening=talk.opening if talk else None,
        turns=f"{talk.min_turns} to {talk.max_turns}" if talk else None,
        bar=_bar(case),
        within=durations.show(case.within_seconds),
        criteria=tuple(_criterion(c.label, c.check) for c in case.criteria),
        actions=_expected(case),
        tools=tuple(_tool(tool, case.actions) for tool in monitor.target.tools),
    )


def _bar(case: Case) -> str:
    """Return what decides whether a case passes."""
    match case.bar:
        case Quorum(samples=samples, pass_at_least=enough):
            return f"{enough} of {samples} samples pass"
        case Threshold(samples=samples, above=above, confidence=confidence):
            return (
                f"of {samples} samples, the lower bound of each criterion's pass rate "
                f"({percent(confidence)} confidence) is above {percent(above)}"
            )


def _criterion(label: str, check: Rule | Rubric) -> CriterionDefinition:
    """Return one criterion in words."""
    if isinstance(check, Rubric):
        return CriterionDefinition(
            label=label,
            wanted=check.text,
            by="by judge",
            material=tuple((item.name, item.text) for item in check.material),
        )
    if isinstance(check, InTurns):
        inner = _criterion(label, check.rule)
        said = f"{inner.wanted} (in {check.turns.value} of the agent's answers)"
        return dataclasses.replace(inner, wanted=said.strip())
    return CriterionDefinition(label=label, wanted=_wanted(check), by="by code")


def _wanted(check: Rule) -> str:
    """Return what a rule was configured with, its defaults left out."""
    return "; ".join(_fields(check))


def _fields(value: object) -> Iterable[str]:
    """Yield what the fields of a rule say."""
    if not dataclasses.is_dataclass(value):
        return
    fields = [f for f in dataclasses.fields(value) if f.init and f.repr]
    for field in fields:
        found = getattr(value, field.name)
        if found == field.default:
            continue
        name = field.name.removesuffix("_seconds").replace("_", " ")
        said = (
            durations.show(found)
            if field.name.endswith("_seconds") and isinstance(found, float)
            else _said(found)
        )
        if said:
            yield said if len(fields) == 1 or field is fields[0] else f"{name}: {said}"


def _said(value: object) -> str:
    """Return one value of a rule in words."""
    match value:
        case bool():
            return "yes" if value else "no"
        case str() if not isinstance(value, Enum):
            return f'"{value}"'
        case Mapping():
            return as_json(dict(value))
        case frozenset():
            return ", ".join(sorted(map(_said, value)))
        case tuple() | list():
            return ", ".join(map(_said, value))
        case _:
            return _other(value)


def _other(value: object) -> str:
    """Return a value that has no spelling of its own."""
    if dataclasses.is_dataclass(value):
        return next(iter(_fields(value)), "")
    return "" if value is None else str(value)


def _expected(case: Case) -> tuple[str, ...] | None:
    """Return the tools that must be called, no others; None: not asserted."""
    for criterion in case.criteria:
        if criterion.label.partition("#")[0] == "expected_actions":
            tools = getattr(criterion.check, "tools", None)
            if isinstance(tools, tuple):
                return tools
    return None


def _tool(tool: Tool, actions: Mapping[str, Response]) -> ToolDefinition:
    """Return a tool, answered as *actions* of the case say."""
    return ToolDefinition(
        name=tool.name,
        description=tool.description,
        effect="writes data" if tool.writes else "read-only",
        answers=_answers(actions.get(tool.name, tool.respond)),
        overridden=tool.name in actions,
    )


def _answers(response: Response) -> str:
    """Return what a tool is answered with."""
    match response:
        case Success():
            return "a success"
        case Value():
            return as_json(response.value)
        case Fault():
            return f"an error: {response.text}"
        case Live():
            return f"what its server answers ({response.method.value}, live)"
