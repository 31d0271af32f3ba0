"""Monitors, from their checked shape."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from answerprobe.case import BUILT_IN_RUBRICS, Case
from answerprobe.config._case import CaseReader, has_rubric
from answerprobe.config._conversation import CONVERSATION
from answerprobe.config._criterion import JUDGE, Criteria
from answerprobe.config._definition import definition
from answerprobe.config._findings import Path
from answerprobe.config._judges import DEFAULT_JUDGE, Judges, is_same, read_price
from answerprobe.config._labels import read_labels
from answerprobe.config._levels import Settings, overlay
from answerprobe.config._material import read_materials
from answerprobe.config._names import fault_of_name
from answerprobe.config._reading import Reading, entries, flag, text
from answerprobe.config._show import quote, show_path
from answerprobe.config._target import read_target
from answerprobe.config._tools import Toolbox, toolbox
from answerprobe.monitor import Monitor, TargetProtocol


@dataclass(frozen=True, slots=True, kw_only=True)
class MonitorReader:
    """
    Reads monitors.

    *defaults* are the settings of those that write none. *may_talk*: there is a
    simulated user for conversations.
    """

    defaults: Settings
    judges: Judges
    criteria: Criteria
    may_talk: bool
    compare_after_runs: int
    reading: Reading

    def read_all(self, root: Mapping[str, object]) -> tuple[Monitor, ...]:
        """Return the monitors of *root*, whose names must differ."""
        monitors: list[Monitor] = []
        places: dict[str, Path] = {}
        for index, raw in enumerate(entries(root, "monitors")):
            if not isinstance(raw, dict):
                continue
            path: Path = ("monitors", index)
            monitor = self._read(raw, path)
            monitors.append(monitor)
            if "name" in raw:
                self._check_name(monitor.name, (*path, "name"), places)
        return tuple(monitors)

    def _check_name(self, name: str, path: Path, places: dict[str, Path]) -> None:
        """Find fault with the *name* of a monitor; *places* has those before it."""
        fault = fault_of_name(name)
        if name in places:
            fault = f"is {quote(name)}, the name of {show_path(places[name][:2])} too"
        if fault:
            self.reading.findings.add(path, fault)
        places.setdefault(name, path)

    def _read(self, raw: Mapping[str, object], path: Path) -> Monitor:
        """Return the monitor in *raw*."""
        settings = overlay(self.defaults, raw, path, self.reading)
        judge = text(raw, "judge") or DEFAULT_JUDGE
        target = read_target(raw, path, self.reading)
        tools = toolbox(target, raw, path, self.reading)
        monitor = Monitor(
            name=text(raw, "name") or "",
            target=target,
            cases=self._cases(raw, path, settings, tools),
            labels=read_labels(raw, path, self.reading),
            every_seconds=settings.every.seconds if settings.every else None,
            target_pass_ratio=settings.target_pass_ratio,
            judge=judge,
            retention=settings.retention,
            definition="",
            answers=settings.answers,
            alert_answers=settings.alert_answers,
            confirm_seconds=settings.confirm_seconds,
            price=read_price(raw),
            token_budget=settings.token_budget,
            compare_after_runs=self.compare_after_runs,
        )
        self._check_judge(monitor, raw, path)
        return replace(monitor, definition=definition(monitor))

    def _cases(
        self,
        raw: Mapping[str, object],
        path: Path,
        settings: Settings,
        tools: Toolbox,
    ) -> tuple[Case, ...]:
        """Return the cases of the monitor *raw*, whose ids must differ."""
        reader = CaseReader(
            settings=settings,
            materials=read_materials(raw, path, self.reading, tools=tools.returns),
            tools=tools,
            criteria=self.criteria,
            may_talk=self.may_talk,
            reading=self.reading,
        )
        cases: list[Case] = []
        places: dict[str, Path] = {}
        for index, entry in enumerate(entries(raw, "cases")):
            if not isinstance(entry, dict):
                continue
            here = (*path, "cases", index)
            case = reader.read(entry, here)
            if case is not None:
                self._check_id(case.id, entry, here, places)
                cases.append(case)
        return tuple(cases)

    def _check_id(
        self,
        case_id: str,
        raw: Mapping[str, object],
        path: Path,
        places: dict[str, Path],
    ) -> None:
        """Find fault with the id of a case; *places* has those before it."""
        fault = fault_of_name(case_id)
        if case_id in places:
            fault = f"is {quote(case_id)}, the id of {show_path(places[case_id])} too"
        places.setdefault(case_id, path)
        if fault and "id" in raw:
            self.reading.findings.add((*path, "id"), fault)
        elif fault:
            source = "goal" if CONVERSATION in raw else "question"
            message = f"its id, made from the {source}, {fault}; write an `id`"
            self.reading.findings.add(path, message)

    def _check_judge(
        self, monitor: Monitor, raw: Mapping[str, object], path: Path
    ) -> None:
        """Find the judge where one is needed or named, and see that it is another."""
        judged = any(map(has_rubric, monitor.cases))
        if not judged and "judge" not in raw:
            return
        where = (*path, "judge") if "judge" in raw else _first_judged(raw, path)
        judge = self.judges.find(monitor.judge, where)
        if judge is None or not judged or flag(raw, "allow_self_judge", default=False):
            return
        if monitor.target.protocol is TargetProtocol.OPENAI and is_same(
            monitor.target, judge, self.reading
        ):
            message = (
                f"the judge {quote(judge.name)} is the agent itself (same URL and "
                "model); name another judge, or write `allow_self_judge: true`"
            )
            self.reading.findings.add(where, message)


def _first_judged(raw: Mapping[str, object], path: Path) -> Path:
    """Return where the first judged criterion of the monitor *raw* stands."""
    for case_index, case in enumerate(entries(raw, "cases")):
        if not isinstance(case, dict):
            continue
        for index, entry in enumerate(entries(case, "expect")):
            for name in entry if isinstance(entry, dict) else ():
                if name == JUDGE or name in BUILT_IN_RUBRICS:
                    return (*path, "cases", case_index, "expect", index, name)
    return path
