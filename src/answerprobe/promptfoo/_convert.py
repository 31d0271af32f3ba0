"""A promptfoo configuration as one of answerprobe, and notes on what did not come."""

import re

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from answerprobe.config import as_block, parse, slug
from answerprobe.errors import ConfigError, ImportRefused
from answerprobe.promptfoo._asserts import Asserts
from answerprobe.promptfoo._providers import Providers, Target
from answerprobe.promptfoo._source import Folder, Item, Note, Notes, read_source
from answerprobe.promptfoo._template import Unfollowable
from answerprobe.promptfoo._tests import Prompt, Prompts, Tests, Trial, filled, question
from answerprobe.secret import SecretSource


_DEFAULT_JUDGE = "default"
_JUDGE_MODEL = "gpt-4.1-mini"
_JUDGE: Mapping[str, object] = {
    "base_url": "https://api.openai.com/v1",
    "model": _JUDGE_MODEL,
    "auth": {"bearer": "secret.OPENAI_API_KEY"},
}
_KNOWN = frozenset(
    {
        "$schema", "description", "providers", "targets", "prompts", "tests",
        "defaultTest", "assertionTemplates", "evaluateOptions", "env",
    }
)  # fmt: skip
_MOST_SAMPLES = 200
_MOST_ROUNDS = 20
_LONGEST_NAME = 100
_LONGEST_LABEL = 40
_IN_CASE = re.compile(r"monitors\[(\d+)\]\.cases\[(\d+)\]\.?(.*)")
_IN_MONITOR = re.compile(r"monitors\[(\d+)\]\.?(.*)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """The text of a configuration that loads, what is in it, and the notes."""

    text: str
    description: str
    monitors: int
    cases: int
    notes: tuple[Note, ...]


@dataclass(slots=True, kw_only=True)
class _Monitor:
    """A monitor that is being made: its keys, its cases and where all that stands."""

    keys: dict[str, object]
    at: Item
    cases: list[dict[str, object]] = field(default_factory=list)
    places: list[Item] = field(default_factory=list)
    ids: set[str] = field(default_factory=set)


def import_promptfoo(path: Path) -> Imported:
    """
    Return what the promptfoo configuration at *path* is as one of answerprobe.

    Raises:
        ImportRefused: it cannot be read, or nothing of it could be kept; the message
            has the notes.
    """
    root = read_source(path)
    if not root.mapping:
        raise ImportRefused(f"{path}: is no mapping with `providers` and `tests`")
    conversion = _Conversion(root=root, folder=Folder(path=path.parent), notes=Notes())
    monitors = conversion.monitors()
    text = conversion.settled(monitors)
    description = root.get("description")
    notes = tuple(conversion.notes)
    if text is None:
        told = [*map(str, notes), f"{path}: nothing of it could be kept"]
        raise ImportRefused("\n".join(told))
    return Imported(
        text=text,
        description=description.text or "" if description else "",
        monitors=len(monitors),
        cases=sum(len(monitor.cases) for monitor in monitors),
        notes=notes,
    )


@dataclass(slots=True, kw_only=True)
class _Conversion:
    """One configuration, on its way."""

    root: Item
    folder: Folder
    notes: Notes
    _judge: Mapping[str, object] = field(default_factory=lambda: dict(_JUDGE))

    def monitors(self) -> list[_Monitor]:
        """Return the monitors: one for each provider and prompt that came over."""
        root, notes = self.root, self.notes
        notes.unknown(root, _KNOWN)
        self._tell_environment()
        default = self._default_test()
        tests = Tests(default=default, folder=self.folder, notes=notes)
        trials = list(tests.read(root.get("tests")))
        listed = root.get("prompts") or _of("{{prompt}}", root)
        prompts = list(
            Prompts(folder=self.folder, notes=notes).read(self._many(listed))
        )
        providers = Providers(fixed=_fixed(trials, default), notes=notes)
        self._grader(default, providers)
        asked = root.get("providers", "targets") or _of(None, root)
        targets = list(providers.targets(self._file(asked)))
        templates = root.get("assertionTemplates")
        asserts = Asserts(templates=templates.mapping if templates else {}, notes=notes)
        found = [
            self._monitor(target, prompt, trials, asserts, number * (len(used) > 1))
            for target in targets
            for used in [_prompts_for(target, prompts)]
            for number, prompt in enumerate(used, 1)
        ]
        return [monitor for monitor in found if monitor.cases]

    def _many(self, item: Item) -> Item:
        """Return the prompts in the YAML file that *item* names, or *item*."""
        if not (item.text or "").endswith((".yaml", ".yml")):
            return item
        found = self._file(item)
        return item if any("role" in each.mapping for each in found.items) else found

    def _file(self, item: Item) -> Item:
        """Return what is in the file that *item* names, or *item*."""
        if (item.text or "").startswith("file://"):
            found = self.folder.data(item)
            if isinstance(found, Item):
                return found
        return item

    def _default_test(self) -> Item | None:
        """Return what is under each test."""
        default = self.root.get("defaultTest")
        if default is None:
            return None
        if default.text is None:
            known = frozenset({"vars", "assert", "threshold", "options", "metadata"})
            self.notes.unknown(default, known | {"description"})
            return default
        found = self.folder.data(default)
        if isinstance(found, Item):
            return found
        self.notes.add(default, f"defaultTest {default.text}", f"left out: {found}")
        return None

    def _tell_environment(self) -> None:
        """Note what is set for promptfoo's own run."""
        env = self.root.get("env")
        for name in env.mapping if env else ():
            why = "values are not copied; set it as a secret where answerprobe runs"
            line = env.key_line(name) if env else None
            self.notes.add(self.root, f"env.{name}", why, line=line)
        options = self.root.get("evaluateOptions")
        if options:
            self.notes.unknown(options, frozenset({"repeat"}))

    def _grader(self, default: Item | None, providers: Providers) -> None:
        """Take over the model that grades."""
        options = default.get("options") if default else None
        grader = options.get("provider") if options else None
        if grader is None:
            return
        target = providers.target(grader)
        if target is None or target.keys.get("protocol") != "openai":
            why = f"{_JUDGE_MODEL} grades instead; see `judges`"
            self.notes.add(grader, "defaultTest.options.provider", why)
            return
        keys = dict(target.keys)
        judge = {"base_url": keys.pop("endpoint"), "model": keys.pop("model")}
        self._judge = judge
        for key in ("auth", "headers", "max_tokens"):
            if key in keys:
                judge[key] = keys[key]

    def _monitor(
        self,
        target: Target,
        prompt: Prompt,
        trials: Iterable[Trial],
        asserts: Asserts,
        number: int,
    ) -> _Monitor:
        """Return the monitor of *target* asked by *prompt*, number 0 of one alone."""
        name = target.name
        if number:
            label = min(prompt.labels, key=len, default="")
            short = 0 < len(label) <= _LONGEST_LABEL and "{{" not in label
            name = f"{name}: {label if short else f'prompt {number}'}"
        keys: dict[str, object] = {"name": _printable(name), **target.keys}
        monitor = _Monitor(keys=keys, at=target.at)
        system = self._system(target, prompt, trials)
        if system:
            keys["system_prompt"] = system
        if samples := self._samples():
            keys["samples"] = samples
        for trial in trials:
            if trial.prompts is None or trial.prompts & prompt.labels:
                self._case(monitor, target, prompt, trial, asserts)
        return monitor

    def _samples(self) -> int | None:
        """Return how often each case is asked, None for the default."""
        options = self.root.get("evaluateOptions")
        repeat = options.get("repeat") if options else None
        if repeat is None or not isinstance(repeat.value, int) or repeat.value < 2:
            return None
        return min(repeat.value, _MOST_SAMPLES)

    def _system(
        self, target: Target, prompt: Prompt, trials: Iterable[Trial]
    ) -> str | None:
        """Return the system message, which must be the same for all tests."""
        if prompt.system is None:
            return None
        if not target.takes_system:
            why = "is left out: an HTTP agent has its own"
            self.notes.add(prompt.at, "prompt's system message", why)
            return None
        try:
            found = {filled(prompt.system, trial.variables) for trial in trials}
        except Unfollowable as exc:
            self.notes.add(prompt.at, "prompt's system message", f"is left out: {exc}")
            return None
        if len(found) != 1:
            why = "is left out: it differs by test"
            self.notes.add(prompt.at, "prompt's system message", why)
            return None
        return found.pop()

    def _case(
        self,
        monitor: _Monitor,
        target: Target,
        prompt: Prompt,
        trial: Trial,
        asserts: Asserts,
    ) -> None:
        """Add *trial* to *monitor* as a case, if it is one here."""
        try:
            ask = self._ask(target, prompt, trial)
        except Unfollowable as exc:
            self.notes.add(prompt.at, "prompt", f"left out: {exc}")
            return
        if not ask.strip():
            self.notes.add(trial.at, "test", "left out: what it asks is blank")
            return
        expect = [
            criterion
            for entry in trial.asserts
            for criterion in asserts.criteria(entry, trial.variables)
        ]
        if trial.asserts and not expect:
            why = "left out: none of its assertions has a counterpart"
            self.notes.add(trial.at, "test", why)
            return
        if not trial.asserts:
            why = "has no assertion: only that an answer comes is checked"
            self.notes.add(trial.at, "test", why)
        case_id = _unlike(monitor.ids, slug(trial.name or ask))
        monitor.ids.add(case_id)
        deadline = [c for c in expect if "answered" in c]
        rest = [c for c in expect if "answered" not in c]
        monitor.cases.append(
            {
                "id": case_id,
                "ask": ask,
                "expect": _unique([*deadline[:1], *rest]) or [{"answered": True}],
            }
        )
        monitor.places.append(trial.at)

    def _ask(self, target: Target, prompt: Prompt, trial: Trial) -> str:
        """Return what is sent for *trial*."""
        if target.variable is None:
            return question(prompt, trial)
        return filled(f"{{{{{target.variable}}}}}", trial.variables)

    def settled(self, monitors: list[_Monitor]) -> str | None:
        """
        Return *monitors* as a configuration that loads; None where none is left.

        What the loader refuses even so is taken out of them, and noted.
        """
        _name_apart(monitors)
        for _ in range(_MOST_ROUNDS):
            monitors[:] = [monitor for monitor in monitors if monitor.cases]
            if not monitors:
                return None
            text = self._written(monitors)
            try:
                parse(
                    text.encode(),
                    Path("answerprobe.yml"),
                    secrets=SecretSource(environment={}),
                    allow_missing_secrets=True,
                    environment={},
                )
            except ConfigError as exc:
                self._take_out(exc, monitors)
            else:
                return text
        return None

    def _written(self, monitors: list[_Monitor]) -> str:
        """Return the configuration of *monitors*."""
        document: dict[str, object] = {}
        judged = any(
            "judge" in criterion
            for monitor in monitors
            for case in monitor.cases
            for criterion in _list(case["expect"])
        )
        if judged:
            document["judges"] = {_DEFAULT_JUDGE: dict(self._judge)}
        document["monitors"] = [
            {
                **monitor.keys,
                **self._self_judge(monitor, judged),
                "cases": monitor.cases,
            }
            for monitor in monitors
        ]
        return as_block(document)

    def _self_judge(self, monitor: _Monitor, judged: bool) -> dict[str, object]:  # noqa: FBT001
        """Return the key that lets the agent's own model grade it, where it does."""
        keys = monitor.keys
        same = (keys.get("endpoint"), keys.get("model")) == (
            self._judge["base_url"],
            self._judge["model"],
        )
        if not judged or not same:
            return {}
        why = "its own model grades it; a better one is another in `judges`"
        self.notes.add(monitor.at, f"provider {keys['name']}", why)
        return {"allow_self_judge": True}

    def _take_out(self, exc: ConfigError, monitors: list[_Monitor]) -> None:
        """Take out of *monitors* what *exc* is about."""
        cases: set[tuple[int, int]] = set()
        whole: set[int] = set()
        for problem in exc.problems:
            if found := _IN_CASE.match(problem.path):
                place = int(found[1]), int(found[2])
                cases.add(place)
                at, what = monitors[place[0]].places[place[1]], "test"
            elif found := _IN_MONITOR.match(problem.path):
                whole.add(int(found[1]))
                at, what = monitors[int(found[1])].at, "provider"
            else:
                continue
            detail = found[found.re.groups]
            told = (
                f"left out: {detail}: {problem.message}" if detail else problem.message
            )
            self.notes.add(at, what, told)
        for monitor, case in sorted(cases, reverse=True):
            del monitors[monitor].cases[case]
            del monitors[monitor].places[case]
        for monitor in whole:
            monitors[monitor].cases.clear()
        if not cases and not whole:
            for left in monitors:
                left.cases.clear()


def _of(value: object, at: Item) -> Item:
    """Return *value* at the place of *at*."""
    return Item(value=value, file=at.file, line=at.line)


def _list(value: object) -> list[dict[str, object]]:
    """Return *value*, the criteria of a case."""
    return value if isinstance(value, list) else []


def _fixed(trials: Iterable[Trial], default: Item | None) -> dict[str, object]:
    """Return the variables of the *default* test that none of *trials* changes."""
    given = default.get("vars") if default else None
    common = {name: item.plain for name, item in given.mapping.items()} if given else {}
    return {
        name: value
        for name, value in common.items()
        if all(trial.variables.get(name) == value for trial in trials)
    }


def _prompts_for(target: Target, prompts: list[Prompt]) -> list[Prompt]:
    """Return those of *prompts* that are for *target*."""
    if target.variable is not None:
        # It doesn't send the prompt.
        return prompts[:1]
    wanted = target.prompts
    return [p for p in prompts if wanted is None or wanted & p.labels]


def _unlike(taken: Collection[str], wanted: str) -> str:
    """Return *wanted*, with a number where it is *taken*."""
    number, found = 1, wanted
    while found in taken:
        number += 1
        found = f"{wanted}-{number}"
    return found


def _unique(criteria: list[dict[str, object]]) -> list[dict[str, object]]:
    """Return *criteria*, each once."""
    found: list[dict[str, object]] = []
    for criterion in criteria:
        if criterion not in found:
            found.append(criterion)
    return found


def _printable(name: str) -> str:
    """Return *name* as one of a monitor: printable and not too long."""
    plain = "".join(char if char.isprintable() else " " for char in name)
    return " ".join(plain.split())[: _LONGEST_NAME - 5].strip() or "agent"


def _name_apart(monitors: Iterable[_Monitor]) -> None:
    """Give *monitors* names that differ."""
    taken: set[str] = set()
    for monitor in monitors:
        name = _unlike(taken, str(monitor.keys["name"]))
        monitor.keys["name"] = name
        taken.add(name)
