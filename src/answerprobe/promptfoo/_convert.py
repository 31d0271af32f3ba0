"""A promptfoo configuration as one of answerprobe, and notes on what did not come."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from answerprobe.errors import ImportRefused
from answerprobe.promptfoo._assembly import Assembly, Draft, printable
from answerprobe.promptfoo._asserts import Asserts
from answerprobe.promptfoo._cases import Cases
from answerprobe.promptfoo._prompts import Prompt, Prompts
from answerprobe.promptfoo._providers import Providers
from answerprobe.promptfoo._source import Folder, Item, Note, Notes, read_source
from answerprobe.promptfoo._target import Target
from answerprobe.promptfoo._template import Unfollowable
from answerprobe.promptfoo._tests import Tests, Trial, filled


_JUDGE_MODEL = "gpt-4.1-mini"
_JUDGE: Mapping[str, object] = {
    "base_url": "https://api.openai.com/v1",
    "model": _JUDGE_MODEL,
    "auth": {"bearer": "secret.OPENAI_API_KEY"},
}
_KNOWN = frozenset(
    {
        "$schema", "description", "providers", "targets", "prompts", "tests",
        "scenarios", "defaultTest", "assertionTemplates", "evaluateOptions", "env",
    }
)  # fmt: skip
_UNDER_TESTS = frozenset({"vars", "assert", "threshold", "options"})
_MOST_SAMPLES = 200
_NO_PROVIDER = "left out: none of its `providers` came over"
_LONGEST_LABEL = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """The text of a configuration that loads, what is in it, and the notes."""

    text: str
    description: str
    monitors: int
    cases: int
    notes: tuple[Note, ...]


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
    text = conversion.assembly.settled(monitors)
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

    @property
    def assembly(self) -> Assembly:
        """What puts its monitors together."""
        return Assembly(judge=self._judge, notes=self.notes)

    def monitors(self) -> list[Draft]:
        """Return the monitors: one for each provider and prompt that came over."""
        root, notes = self.root, self.notes
        notes.unknown(root, _KNOWN)
        self._tell_environment()
        default = self._default_test()
        trials = self._trials(default)
        listed = root.get("prompts") or _of("{{prompt}}", root)
        prompts = list(
            Prompts(folder=self.folder, notes=notes).read(self._many(listed))
        )
        providers = Providers(
            fixed=_fixed(trials, default), same=_same(trials), notes=notes
        )
        self._grader(default, providers)
        asked = root.get("providers", "targets") or _of(None, root)
        whole = [each for entry in asked.items for each in self._file(entry).items]
        targets = list(providers.targets(_of(whole, root)))
        templates = root.get("assertionTemplates")
        notes.no_mapping(templates, "assertionTemplates")
        asserts = Asserts(templates=templates.mapping if templates else {}, notes=notes)
        cases = Cases(asserts=asserts, notes=notes)
        self._tell_unmatched(prompts, targets, trials)
        found = [
            self._monitor(target, prompt, trials, cases, number * (len(used) > 1))
            for target in targets
            for used in [_prompts_for(target, prompts)]
            for number, prompt in enumerate(used, 1)
        ]
        return [monitor for monitor in found if monitor.cases]

    def _tell_unmatched(
        self, prompts: list[Prompt], targets: list[Target], trials: list[Trial]
    ) -> None:
        """Note what is asked by no prompt, since its `prompts` name none of them."""
        why = "left out: its `prompts` name none that is there"
        for target in targets:
            if target.prompts is not None and not _prompts_for(target, prompts):
                self.notes.add(target.at, f"provider {target.name}", why)
        for trial in trials:
            named = any(trial.is_for(prompt) for prompt in prompts)
            if trial.prompts is not None and not named:
                self.notes.add(trial.at, "test", why)
            if not any(trial.is_by(target) for target in targets):
                self.notes.add(trial.at, "test", _NO_PROVIDER)

    def _trials(self, default: Item | None) -> list[Trial]:
        """Return all tests; where there is nothing else, one of the *default*'s."""
        below = () if default is None else (default,)
        tests = Tests(below=below, folder=self.folder, notes=self.notes)
        scenarios, listed = self.root.get("scenarios"), self.root.get("tests")
        if scenarios is None:
            return list(tests.read(listed))
        own = tests.read(listed) if listed else ()
        return [*own, *tests.scenarios(scenarios)]

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
        found = default if default.text is None else self.folder.data(default)
        if isinstance(found, str):
            why = f"left out: {found}"
            self.notes.add(default, f"defaultTest {default.text}", why)
            return None
        self.notes.no_mapping(found, "defaultTest")
        self.notes.unknown(found, _UNDER_TESTS)
        return found

    def _tell_environment(self) -> None:
        """Note what is set for promptfoo's own run."""
        env = self.root.get("env")
        self.notes.no_mapping(env, "env")
        for name in env.mapping if env else ():
            why = "values are not copied; set it as a secret where answerprobe runs"
            line = env.key_line(name) if env else None
            self.notes.add(self.root, f"env.{name}", why, line=line)
        options = self.root.get("evaluateOptions")
        self.notes.no_mapping(options, "evaluateOptions")
        if options:
            self.notes.unknown(options, frozenset({"repeat"}))
        repeat = options.get("repeat") if options else None
        if repeat and repeat.value != (self._samples() or 1):
            why = f"from 1 to {_MOST_SAMPLES} samples are possible"
            self.notes.add(repeat, "evaluateOptions.repeat", why)

    def _grader(self, default: Item | None, providers: Providers) -> None:
        """Take over the model that grades."""
        options = default.get("options") if default else None
        grader = options.get("provider") if options else None
        if grader is None:
            return
        if text := grader.get("text"):
            self.notes.unknown(grader, frozenset({"text"}))
            grader = text
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
        cases: Cases,
        number: int,
    ) -> Draft:
        """Return the monitor of *target* asked by *prompt*, number 0 of one alone."""
        name = target.name
        if number:
            names = sorted(name for name in prompt.labels if "{{" not in name)
            label = min(names, key=len, default="")
            short = 0 < len(label) <= _LONGEST_LABEL
            name = f"{name}: {label if short else f'prompt {number}'}"
        keys: dict[str, object] = {"name": printable(name), **target.keys}
        monitor = Draft(keys=keys, at=target.at)
        system = self._system(target, prompt, trials)
        if system:
            keys["system_prompt"] = system
        if samples := self._samples():
            keys["samples"] = samples
        for trial in trials:
            if trial.is_for(prompt) and trial.is_by(target):
                cases.add(monitor, target, prompt, trial)
        return monitor

    def _samples(self) -> int | None:
        """Return how often each case is asked, None for the default."""
        options = self.root.get("evaluateOptions")
        repeat = options.get("repeat") if options else None
        if repeat is None or type(repeat.value) is not int or repeat.value < 2:
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


def _of(value: object, at: Item) -> Item:
    """Return *value* at the place of *at*."""
    return Item(value=value, file=at.file, line=at.line)


def _fixed(trials: Iterable[Trial], default: Item | None) -> dict[str, object]:
    """Return the variables of the *default* test that none of *trials* changes."""
    given = default.get("vars") if default else None
    common = {name: item.plain for name, item in given.mapping.items()} if given else {}
    return {
        name: value
        for name, value in common.items()
        if all(trial.variables.get(name) == value for trial in trials)
    }


def _same(trials: list[Trial]) -> dict[str, object]:
    """Return the variables that have one value in all of *trials*."""
    first = trials[0].variables if trials else {}
    return {
        name: value
        for name, value in first.items()
        if name != "prompt"
        and all(
            name in trial.variables and trial.variables[name] == value
            for trial in trials
        )
    }


def _prompts_for(target: Target, prompts: list[Prompt]) -> list[Prompt]:
    """Return those of *prompts* that are for *target*."""
    if target.variable is not None:
        # It doesn't send the prompt.
        return prompts[:1]
    wanted = target.prompts
    return [p for p in prompts if wanted is None or p.is_among(wanted)]
