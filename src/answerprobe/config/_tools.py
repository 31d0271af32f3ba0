"""Tools of a monitor, and what its cases say of them."""

import re

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from answerprobe.config._findings import Finding, Near, Path
from answerprobe.config._reading import Reading, entries, flag, mapping, text
from answerprobe.config._respond import check_harmless, read_response
from answerprobe.config._show import quote, show_path
from answerprobe.errors import CriterionError
from answerprobe.monitor import TargetProtocol, TargetSettings
from answerprobe.rules import load_schema
from answerprobe.tool import Response, Tool


# What OpenAI's API takes for the name of a function.
_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")


def read_tools(
    raw: Mapping[str, object], path: Path, reading: Reading
) -> tuple[Tool, ...]:
    """Return the tools that the monitor *raw* lists; their names must differ."""
    tools: list[Tool] = []
    places: dict[str, Path] = {}
    for index, entry in enumerate(entries(raw, "tools")):
        name = text(entry, "name") if isinstance(entry, dict) else None
        if name is None or not isinstance(entry, dict):
            continue
        here = (*path, "tools", index)
        if name in places:
            message = f"is {quote(name)}, the name of {show_path(places[name])} too"
            reading.findings.add((*here, "name"), message)
        places.setdefault(name, here)
        tools.append(_tool(name, entry, here, reading))
    return tuple(tools)


def _tool(name: str, raw: Mapping[str, object], path: Path, reading: Reading) -> Tool:
    """Return the tool *name*."""
    if not _NAME.fullmatch(name):
        message = f"is {quote(name)}; wanted: up to 64 letters, digits, _ and -"
        reading.findings.add((*path, "name"), message)
    respond = (*path, "respond")
    tool = Tool(
        name=name,
        description=text(raw, "description") or "",
        parameters=_parameters(raw, (*path, "parameters"), reading),
        writes=flag(raw, "writes", default=True),
        respond=read_response(raw.get("respond"), respond, reading),
    )
    check_harmless(name, tool.respond, respond, reading, writes=tool.writes)
    return tool


def _parameters(
    raw: Mapping[str, object], path: Path, reading: Reading
) -> Mapping[str, object] | None:
    """Return the JSON Schema of a tool's arguments, None where none is written."""
    if "parameters" not in raw:
        return None
    schema = mapping(raw, "parameters")
    try:
        load_schema(schema)
    except CriterionError as exc:
        reading.findings.add((*path, *exc.path), exc.message)
    if schema.get("type", "object") != "object":
        message = "is another type than object, which arguments always are"
        reading.findings.add((*path, "type"), message)
    return schema


@dataclass(frozen=True, slots=True, kw_only=True)
class Toolbox:
    """
    What the cases of a monitor may say of tools.

    *tools* are those that it lists, by name; None where any name may be meant, since it
    lists none or some of them are unusable. *listed*: it lists some. *seen*: what the
    agent calls can be seen. *returns*: what came back may be seen too.
    """

    tools: Mapping[str, Tool] | None
    listed: bool
    seen: bool
    returns: bool
    reading: Reading

    def actions(self, raw: Mapping[str, object], path: Path) -> Mapping[str, Response]:
        """Return how tools answer in the case *raw* in place of their own answers."""
        here = (*path, "actions")
        written = mapping(raw, "actions")
        if written and not self.listed:
            message = "answers for tools, and the monitor lists none in `tools`"
            self.reading.findings.add(here, message, at_key=True)
        actions: dict[str, Response] = {}
        for name, respond in written.items():
            at = (*here, name)
            if respond is None:
                continue
            self._check_listed(name, at, at_key=True)
            actions[name] = read_response(respond, at, self.reading)
            tool = (self.tools or {}).get(name)
            writes = tool is not None and tool.writes
            check_harmless(name, actions[name], at, self.reading, writes=writes)
        return actions

    def check_criterion(self, name: str, value: object, path: Path) -> None:
        """Find fault with the tools that the criterion *name* is about."""
        about = list(_tools_of(name, value))
        if about and not self.seen:
            message = (
                "needs `response.tool_calls` in the monitor: where the reply tells "
                "what tools were called"
            )
            self.reading.findings.add(path, message, at_key=True)
        for steps, tool in about:
            self._check_listed(tool, (*path, *steps), at_key=False)

    def _check_listed(self, name: str, path: Path, *, at_key: bool) -> None:
        """Find a tool *name* that the monitor does not list."""
        if self.tools is None or name in self.tools:
            return
        names = tuple(self.tools)
        self.reading.findings.keep(
            Finding(
                path=path,
                message=f"there is no tool {quote(name)} in `tools`",
                at_key=at_key,
                near=Near(name, names, allowed=names),
            )
        )


def toolbox(
    target: TargetSettings, raw: Mapping[str, object], path: Path, reading: Reading
) -> Toolbox:
    """Return what the cases of the monitor *raw* may say of tools."""
    spoilt = reading.findings.touch((*path, "tools"))
    tools = {tool.name: tool for tool in target.tools}
    whole = len(tools) == len(entries(raw, "tools"))
    listed = spoilt or "tools" in raw
    response = (*path, "response")
    told = (
        target.response.tool_calls is not None
        or reading.findings.touch(response)
        or reading.findings.touch((*response, "tool_calls"))
    )
    return Toolbox(
        tools=tools if tools and whole and not spoilt else None,
        listed=listed,
        seen=target.protocol is TargetProtocol.OPENAI or listed or told,
        returns=listed or told,
        reading=reading,
    )


def _tools_of(name: str, value: object) -> Iterator[tuple[Path, str]]:
    """Yield the tools that the criterion *name* is about, and where in its value."""
    match name, value:
        case (("invokes_tool" | "does_not_invoke_tool"), str()):
            yield (), value
        case "tool_parameters_contain", {"tool": str(tool)}:
            yield ("tool",), tool
        case "expected_actions", list():
            for index, item in enumerate(value):
                if isinstance(item, str):
                    yield (index,), item
        case _:
            return
