"""promptfoo's tests: with which variables is asked, and what is asserted."""

import itertools

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from answerprobe.errors import ImportRefused
from answerprobe.promptfoo._prompts import Prompt
from answerprobe.promptfoo._rows import read_lines, read_table
from answerprobe.promptfoo._source import (
    DATA,
    Folder,
    Item,
    Notes,
    is_file,
    read_source,
)
from answerprobe.promptfoo._target import Target
from answerprobe.promptfoo._template import fill


_MOST_COMBINATIONS = 1000
_SCENARIO = frozenset({"description", "config", "tests"})
_TESTS = DATA | {".csv", ".jsonl"}
_TEST = frozenset(
    {"description", "vars", "assert", "threshold", "options", "prompts", "providers"}
)
_OPTIONS = frozenset({"prefix", "suffix", "provider", "transform", "postprocess"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """One test with one value for each variable; *asserts* includes the default's."""

    name: str | None
    variables: Mapping[str, object]
    asserts: tuple[Item, ...]
    prefix: str
    suffix: str
    prompts: frozenset[str] | None
    providers: frozenset[str] | None
    at: Item

    def is_for(self, prompt: Prompt) -> bool:
        """Whether *prompt* is one that asks it."""
        return self.prompts is None or prompt.is_among(self.prompts)

    def is_by(self, target: Target) -> bool:
        """Whether *target* is asked."""
        return self.providers is None or target.is_among(self.providers)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tests:
    """Reads tests, with what lies *below* each: a scenario's over the default."""

    below: tuple[Item, ...]
    folder: Folder
    notes: Notes

    def read(self, listed: Item | None) -> Iterator[Trial]:
        """Yield the tests of *listed*, one without variables where there are none."""
        if listed is None:
            at = self.below[-1] if self.below else Item(value={}, file="", line=1)
            yield from self._trials(Item(value={}, file=at.file, line=at.line))
            return
        for entry in self._followed(listed, "tests"):
            yield from self._trials(entry)

    def scenarios(self, listed: Item) -> Iterator[Trial]:
        """Yield each scenario's tests with each of its sets of variables."""
        for scenario in self._followed(listed, "scenarios"):
            self.notes.unknown(scenario, _SCENARIO)
            sets = scenario.get("config")
            for each in self._followed(sets, "config") if sets else ():
                for key in each.mapping.keys() - _TEST:
                    line = each.key_line(key)
                    self.notes.add(each, key, "has no counterpart", line=line)
                above = replace(self, below=(*self.below, each))
                yield from above.read(scenario.get("tests"))

    def _followed(self, listed: Item, what: str) -> Iterator[Item]:
        """Yield what *listed* has, and what the files have that it names."""
        for entry in listed.items:
            named = entry.get("$values", "$expand") or entry
            if named.text is None:
                yield entry
                continue
            found = self.folder.files(named, _TESTS)
            if isinstance(found, str):
                self.notes.add(entry, f"{what} {named.text}", f"left out: {found}")
                continue
            for path in found:
                yield from self._in_file(path, named, what)

    def _in_file(self, path: Path, at: Item, what: str) -> Iterator[Item]:
        """Yield what the file at *path* has."""
        try:
            match path.suffix.lower():
                case ".csv":
                    found = read_table(path, self.notes)
                case ".jsonl":
                    found = read_lines(path)
                case _:
                    found = read_source(path)
        except ImportRefused as exc:
            why = f"left out: cannot be read: {exc}"
            self.notes.add(at, f"{what} {at.text}", why)
            return
        yield from found.items

    def _trials(self, entry: Item) -> Iterator[Trial]:
        """Yield *entry* for each combination of the values of its variables."""
        for key in entry.mapping:
            if key not in _TEST:
                line = entry.key_line(key)
                self.notes.add(entry, key, "has no counterpart", line=line)
        if self._left_out(entry):
            return
        variables = self._variables(entry)
        if variables is None:
            return
        own = entry.get("assert")
        common = [at.get("assert") for at in reversed(self.below)]
        name = entry.get("description")
        combinations = _combinations(variables)
        if len(combinations) > _MOST_COMBINATIONS:
            why = f"only the first {_MOST_COMBINATIONS:,} combinations are kept"
            self.notes.add(entry, "vars", why)
        for values in combinations[:_MOST_COMBINATIONS]:
            yield Trial(
                name=name.text if name else None,
                variables=values,
                asserts=tuple(each for at in (own, *common) for each in _items(at)),
                prefix=self._affix(entry, "prefix"),
                suffix=self._affix(entry, "suffix"),
                prompts=_names(entry.get("prompts")),
                providers=_names(entry.get("providers")),
                at=entry,
            )

    def _left_out(self, entry: Item) -> bool:
        """Whether code makes something else of answers; notes what else is lost."""
        for at in (entry, *self.below):
            options = at.get("options")
            self.notes.no_mapping(options, "options")
            if options and options.get("transform", "postprocess"):
                why = "left out: code makes something else of its answers (`transform`)"
                self.notes.add(entry, "test", why)
                return True
            if options:
                self.notes.unknown(options, _OPTIONS)
            if threshold := at.get("threshold"):
                why = "is left out: here every criterion must pass"
                self.notes.add(threshold, "threshold", why)
        own = entry.get("options")
        if own and (grader := own.get("provider")):
            why = "is left out: the monitor's judge grades; see `judges`"
            self.notes.add(grader, "options.provider", why)
        return False

    def _affix(self, entry: Item, key: str) -> str:
        """Return the prefix or suffix of the prompt."""
        for at in (entry, *reversed(self.below)):
            options = at.get("options")
            if options and (found := options.get(key)):
                return found.text or ""
        return ""

    def _variables(self, entry: Item) -> dict[str, object] | None:
        """Return the variables of *entry* over the default's; None: not to be had."""
        found: dict[str, object] = {}
        for at in (*self.below, entry):
            given = at.get("vars")
            for part in given.items if given else ():
                inner = self._in_vars(part)
                if inner is None:
                    return None
                for name, item in inner.mapping.items():
                    value = self._variable(name, item)
                    if value is None:
                        return None
                    found[name] = value[0]
        return found

    def _in_vars(self, given: Item) -> Item | None:
        """Return the variables that *given* is, or the file has that it names."""
        if given.text is None:
            return given
        data = self.folder.data(given)
        if isinstance(data, Item):
            return data
        self.notes.add(given, "vars", f"test left out: {data}")
        return None

    def _variable(self, name: str, item: Item) -> tuple[object] | None:
        """Return the value of a variable, None where it is in a file that is not."""
        if isinstance(item.value, list):
            parts = [self._variable(name, each) for each in item.items]
            return ([p[0] for p in parts if p],) if all(parts) else None
        if not isinstance(item.value, str) or not is_file(item.value):
            return (item.plain,)
        words, why = self.folder.words(item)
        if words is None:
            self.notes.add(item, f"variable {name}", f"test left out: {why}")
            return None
        return (words.strip(),)


def _names(item: Item | None) -> frozenset[str] | None:
    """Return the names that *item* lists, None where it is not there."""
    return frozenset(each.text or "" for each in item.items) if item else None


def _items(item: Item | None) -> tuple[Item, ...]:
    """Return what *item* lists, if it is there."""
    return item.items if item else ()


def _combinations(variables: Mapping[str, object]) -> list[dict[str, object]]:
    """Return *variables* with one of the values of each that lists some texts."""
    lists = {
        name: value
        for name, value in variables.items()
        if isinstance(value, list) and value and not isinstance(value[0], dict | list)
    }
    combined = itertools.product(*lists.values())
    return [
        {**variables, **dict(zip(lists, values, strict=True))}
        for values in itertools.islice(combined, _MOST_COMBINATIONS + 1)
    ]


def question(prompt: Prompt, trial: Trial) -> str:
    """
    Return what *trial* asks by *prompt*.

    Raises:
        Unfollowable: the prompt has more in it than variables.
    """
    template = f"{trial.prefix}{prompt.template}{trial.suffix}"
    return filled(template, trial.variables)


def filled(template: str, variables: Mapping[str, object]) -> str:
    """
    Return *template* with its *variables*, which may hold variables themselves.

    Raises:
        Unfollowable: it has more in it than variables, or a key of the environment.
    """
    inner: dict[str, object] = {}
    for name, value in variables.items():
        inner[name] = fill(value, variables) if isinstance(value, str) else value
    return fill(template, inner)
