"""The rules about tools: which the agent called, and with what."""

import json

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Self

from answerprobe.errors import CriterionError
from answerprobe.rules._options import options_of
from answerprobe.rules._reason import counted, failed, passed
from answerprobe.rules._subset import Misfit, misfits, shown
from answerprobe.rules._tool_calls import (
    arguments_of,
    astray,
    calls_of,
    named,
    names_called,
)
from answerprobe.sample import Sample, ToolCall
from answerprobe.verdict import Verdict


_MOST_MISFITS = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class InvokesTool:
    """*tool* was called in the exchange, be it that the call failed."""

    tool: str

    @property
    def criterion(self) -> str:
        """The rule's name in the configuration."""
        return "invokes_tool"

    @classmethod
    def parse(cls, value: object) -> Self:
        """
        Make the rule from the name of a tool.

        Raises:
            CriterionError: *value* is none.
        """
        return cls(tool=_tool(value))

    def check(self, sample: Sample) -> Verdict:
        """Grade *sample*; the reason of a fail says what was called instead."""
        calls = calls_of(sample, self.tool)
        if calls:
            return passed(self.criterion, f"{self.tool} was called{_often(calls)}")
        told = f"{self.tool} was never called"
        if note := astray(sample, self.tool):
            return failed(self.criterion, note)
        others = names_called(sample)
        if not others:
            return failed(self.criterion, f"{told}, nor was any other tool")
        unquoted = f"{told}, but {counted(len(others), 'other tool')}"
        return failed(self.criterion, f"{told}, but {named(others)}", unquoted)


@dataclass(frozen=True, slots=True, kw_only=True)
class DoesNotInvokeTool:
    """*tool* was called nowhere in the exchange."""

    tool: str

    @property
    def criterion(self) -> str:
        """The rule's name in the configuration."""
        return "does_not_invoke_tool"

    @classmethod
    def parse(cls, value: object) -> Self:
        """
        Make the rule from the name of a tool.

        Raises:
            CriterionError: *value* is none.
        """
        return cls(tool=_tool(value))

    def check(self, sample: Sample) -> Verdict:
        """Grade *sample*; the reason of a fail shows what was sent."""
        calls = calls_of(sample, self.tool)
        if calls:
            told = f"{self.tool} was called{_often(calls)}"
            sent = shown(arguments_of(calls[0]))
            return failed(self.criterion, f"{told}, with {sent}", told)
        told = astray(sample, self.tool) or f"{self.tool} was never called"
        return passed(self.criterion, told)


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolParametersContain:
    """Some call of *tool* carries all of *parameters*, further ones or not."""

    tool: str
    parameters: Mapping[str, object]

    @property
    def criterion(self) -> str:
        """The rule's name in the configuration."""
        return "tool_parameters_contain"

    @classmethod
    def parse(cls, value: object) -> Self:
        """
        Make the rule from `{tool: …, parameters: {…}}`.

        Raises:
            CriterionError: *value* is something else, or holds what no JSON can.
        """
        options = options_of(value, ("parameters", "tool"))
        parameters = options.get("parameters")
        if not isinstance(parameters, Mapping):
            message = "expected a mapping of parameters to their values"
            raise CriterionError(message, ("parameters",))
        try:
            plain = json.loads(json.dumps(parameters, allow_nan=False))
        except (TypeError, ValueError, RecursionError) as exc:
            raise CriterionError(f"no JSON: {exc}", ("parameters",)) from exc
        return cls(tool=_tool(options.get("tool"), "tool"), parameters=plain)

    @property
    def has_arrays(self) -> bool:
        """Whether a check may have to go through long arrays."""
        return any(map(_has_array, self.parameters.values()))

    def check(self, sample: Sample) -> Verdict:
        """Grade *sample*; the reason of a fail is about the call that comes nearest."""
        calls = calls_of(sample, self.tool)
        if not calls:
            told = astray(sample, self.tool) or f"{self.tool} was never called"
            return failed(self.criterion, told)
        nearest: tuple[Misfit, ...] = ()
        for call in calls:
            found = misfits(self.parameters, arguments_of(call))
            wrong = tuple(islice(found, _MOST_MISFITS))
            if not wrong:
                sent = shown(self.parameters)
                return passed(self.criterion, f"{self.tool} was called with {sent}")
            if not nearest or len(wrong) < len(nearest):
                nearest = wrong
        return self._missed(len(calls), nearest)

    def _missed(self, calls: int, wrong: tuple[Misfit, ...]) -> Verdict:
        """Return the fail of *calls* of which the nearest has *wrong* parts."""
        first = wrong[0]
        told = f"{self.tool} was called" if calls == 1 else self._none_of(calls)
        more = f" (and {len(wrong) - 1} more)" if len(wrong) > 1 else ""
        if not first.path:
            reason = f"{told} with {first.found}, which is no object of parameters"
            return failed(
                self.criterion, reason, f"{told} with no object of parameters"
            )
        wanted = f"expected {first.wanted}{more}"
        if first.found is None:
            return failed(self.criterion, f"{told} without {first.where}, {wanted}")
        return failed(
            self.criterion,
            f"{told} with {first.where} {first.found}, {wanted}",
            f"{told} with another {first.where}, {wanted}",
        )

    def _none_of(self, calls: int) -> str:
        """Return what is said of several calls."""
        return f"{self.tool} was called {calls:,} times, at the nearest"


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectedActions:
    """Exactly *tools* were called: in any order, any number of times, failed or not."""

    tools: tuple[str, ...]

    @property
    def criterion(self) -> str:
        """The rule's name in the configuration."""
        return "expected_actions"

    @classmethod
    def parse(cls, value: object) -> Self:
        """
        Make the rule from a list of names of tools.

        Raises:
            CriterionError: *value* is none, is empty, or has a name twice.
        """
        if not isinstance(value, list):
            raise CriterionError("expected a list of tools")
        if not value:
            message = (
                "expected at least one tool: to forbid one there is "
                "does_not_invoke_tool"
            )
            raise CriterionError(message)
        tools = tuple(_tool(item, index) for index, item in enumerate(value))
        for index, tool in enumerate(tools):
            if tool in tools[:index]:
                raise CriterionError(f"{tool!r} is there twice", (index,))
        return cls(tools=tools)

    def missing(self, called: tuple[str, ...]) -> tuple[str, ...]:
        """Return which of the tools is not among those *called*."""
        return tuple(tool for tool in self.tools if tool not in called)

    def unexpected(self, called: tuple[str, ...]) -> tuple[str, ...]:
        """Return which of those *called* is none of the tools."""
        return tuple(name for name in called if name not in self.tools)

    def check(self, sample: Sample) -> Verdict:
        """Grade *sample*."""
        called = names_called(sample)
        missing, extra = self.missing(called), self.unexpected(called)
        if not missing and not extra:
            return passed(self.criterion, f"called were {named(called)}")
        told, unquoted = [], []
        if missing:
            told.append(f"never called: {named(missing)}")
            told += filter(None, (astray(sample, tool) for tool in missing))
            unquoted += told
        if extra:
            told.append(f"not expected: {named(extra)}")
            unquoted.append(f"not expected: {counted(len(extra), 'other tool')}")
        quoted = "; ".join(unquoted) if extra else None
        return failed(self.criterion, "; ".join(told), quoted)


def _tool(value: object, *path: str | int) -> str:
    """Return *value*, the name of a tool, or raise with its *path*."""
    if not isinstance(value, str) or not value.strip():
        raise CriterionError("expected the name of a tool", path)
    return value


def _has_array(value: object) -> bool:
    """Whether there is an array in the JSON *value*."""
    if isinstance(value, Mapping):
        return any(map(_has_array, value.values()))
    return isinstance(value, list)


def _often(calls: tuple[ToolCall, ...]) -> str:
    """Return how often, where that is more than once."""
    return f" {len(calls):,} times" if len(calls) > 1 else ""
