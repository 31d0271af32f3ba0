"""Cases, from their checked shape."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace

from answerprobe import durations
from answerprobe.case import (
    BUILT_IN_RUBRICS,
    Case,
    Conversation,
    Criterion,
    Quorum,
    Rubric,
    Threshold,
    fingerprint,
)
from answerprobe.config._bar import read_bar
from answerprobe.config._conversation import (
    CONVERSATION,
    MAX_TURNS,
    SIMULATED_USER,
    read_conversation,
)
from answerprobe.config._criterion import ANSWERED, IN, Criteria, Parsed, chooses_turns
from answerprobe.config._definition import plain
from answerprobe.config._findings import Path
from answerprobe.config._levels import (
    Placed,
    Settings,
    Turns,
    check_fits,
    read_within,
)
from answerprobe.config._material import Materials, meaning
from answerprobe.config._names import slug
from answerprobe.config._reading import Reading, entries, mapping, text
from answerprobe.config._tools import Toolbox
from answerprobe.errors import CriterionError


_ONE_ANSWER = "chooses among the answers of a conversation; a question has only one"


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseReader:
    """
    Reads the cases of one monitor, with its settings, material and tools.

    *may_talk*: there is a simulated user for conversations.
    """

    settings: Settings
    materials: Materials
    tools: Toolbox
    criteria: Criteria
    may_talk: bool
    reading: Reading

    def read(self, raw: Mapping[str, object], path: Path) -> Case | None:
        """Return the case; None where there is none to speak of."""
        conversation = self._conversation(raw, path)
        ask = None if conversation else text(raw, "ask")
        if ask is None and conversation is None:
            return None
        written = list(self._written(raw, path))
        within = self._within(raw, path)
        turns = _turns(conversation, raw, path)
        check_fits(within, turns, self.settings.every, self.reading)
        case = Case(
            id=text(raw, "id")
            or slug(conversation.goal if conversation else ask or ""),
            ask=ask,
            criteria=self._criteria(written, within.seconds),
            within_seconds=within.seconds,
            bar=read_bar(self.settings, raw, path, self.reading),
            fingerprint="",
            conversation=conversation,
            actions=self.tools.actions(raw, path),
        )
        return replace(case, fingerprint=_fingerprint(case, written))

    def _conversation(
        self, raw: Mapping[str, object], path: Path
    ) -> Conversation | None:
        """Return the conversation, for which there must be a simulated user."""
        conversation = read_conversation(raw, path, self.reading)
        if conversation and not self.may_talk:
            message = (
                f"needs `{SIMULATED_USER}` at the top of the file: the model that "
                "plays the user"
            )
            self.reading.findings.add((*path, CONVERSATION), message, at_key=True)
        return conversation

    def _written(
        self, raw: Mapping[str, object], path: Path
    ) -> Iterator[tuple[str, Parsed | None]]:
        """Yield the criteria as they are written; `answered` comes without a rule."""
        for index, entry in enumerate(entries(raw, "expect")):
            if not isinstance(entry, dict):
                continue
            for name, value in entry.items():
                if name == ANSWERED:
                    yield name, None
                elif parsed := self._parsed(
                    raw, name, value, (*path, "expect", index, name)
                ):
                    yield name, parsed

    def _parsed(
        self, raw: Mapping[str, object], name: str, value: object, path: Path
    ) -> Parsed | None:
        """Return the criterion *name* of the case *raw*; None where it is unusable."""
        findings = self.reading.findings
        if findings.touch(path):
            return None
        self.tools.check_criterion(name, value, path)
        if CONVERSATION not in raw and chooses_turns(name, value):
            findings.add((*path, IN), _ONE_ANSWER, at_key=True)
        try:
            if name not in BUILT_IN_RUBRICS:
                return self.criteria.parse(name, value)
            rubric = self.materials.rubric(name)
        except CriterionError as exc:
            findings.add((*path, *exc.path), exc.message)
            return None
        return Parsed(rubric, meaning(rubric)) if rubric else None

    def _within(self, raw: Mapping[str, object], path: Path) -> Placed:
        """Return the deadline, which must not be written twice and differ."""
        within = read_within(self.settings.within, raw, path, self.reading)
        written = within if "within" in raw else None
        for index, entry in enumerate(entries(raw, "expect")):
            value = entry.get(ANSWERED) if isinstance(entry, dict) else None
            if not isinstance(value, dict) or "within" not in value:
                continue
            here = (*path, "expect", index, ANSWERED)
            found = read_within(within, value, here, self.reading)
            if written and found.path and written.seconds != found.seconds:
                before = durations.show(written.seconds)
                message = f"is another time than the case's other within ({before})"
                self.reading.findings.add(found.path, f"{message}; write it once")
            written = within = found
        return within

    def _criteria(
        self, written: list[tuple[str, Parsed | None]], within_seconds: float
    ) -> tuple[Criterion, ...]:
        """Return the criteria, `answered` among them, with labels that differ."""
        answered = self.criteria.answered(within_seconds)
        made: list[Criterion] = []
        if all(parsed for _, parsed in written):
            made.append(Criterion(label=ANSWERED, check=answered))
        seen: Counter[str] = Counter()
        for name, parsed in written:
            seen[name] += 1
            label = name if seen[name] == 1 else f"{name}#{seen[name]}"
            check = parsed.check if parsed else answered
            made.append(Criterion(label=label, check=check))
        return tuple(made)


def _turns(
    conversation: Conversation | None, raw: Mapping[str, object], path: Path
) -> Turns:
    """Return how many turns there are at most, and where that is written."""
    if conversation is None:
        return Turns()
    written = MAX_TURNS in mapping(raw, CONVERSATION)
    here = (*path, CONVERSATION, MAX_TURNS)
    return Turns(number=conversation.max_turns, path=here if written else None)


def _fingerprint(case: Case, written: list[tuple[str, Parsed | None]]) -> str:
    """Return what changes with the meaning of *case*."""
    meant: dict[str, object] = {
        "expect": [[name, parsed.meaning] for name, parsed in written if parsed],
        "within": case.within_seconds,
        "samples": case.samples,
    }
    match case.bar:
        case Quorum():
            meant["pass_at_least"] = case.bar.pass_at_least
        case Threshold():
            meant["threshold"] = [case.bar.above, case.bar.confidence]
    # What a case does not have is not there, so that those of before stay the same.
    if case.conversation is None:
        meant["ask"] = case.ask
    else:
        meant["conversation"] = asdict(case.conversation)
    if case.actions:
        meant["actions"] = plain(case.actions)
    return fingerprint(meant)


def has_rubric(case: Case) -> bool:
    """Whether a judge is needed for *case*."""
    return any(isinstance(criterion.check, Rubric) for criterion in case.criteria)
