"""promptfoo's assertions as criteria, and what is told of them."""

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace

from answerprobe.promptfoo._criteria import Criteria, convert
from answerprobe.promptfoo._source import Item, Lost, Notes
from answerprobe.promptfoo._template import Unfollowable


_DEEPEST = 5
_SET = "assert-set"
_HANDLED = frozenset({"type", "value", "$ref"})
_SET_HANDLED = frozenset({"type", "assert", "threshold", "$ref"})
# What some types have besides.
_USED: Mapping[str, AbstractSet[str]] = {"latency": {"threshold"}}


@dataclass(frozen=True, slots=True, kw_only=True)
class Asserts:
    """
    Turns assertions into criteria.

    *templates* are the top-level `assertionTemplates`. What is lost or changed is noted
    in *notes*.
    """

    templates: Mapping[str, Item]
    notes: Notes

    def criteria(
        self, entry: Item, variables: Mapping[str, object], depth: int = 0
    ) -> Criteria:
        """Return the criteria that the assertion *entry* stands for, perhaps none."""
        source = self._referred(entry)
        kind = source.get("type")
        name = kind.text if kind else None
        if name is None:
            self.notes.add(entry, "assert", "is no assertion with a `type`")
            return []
        try:
            _check_counts(source)
            if name == _SET:
                return self._set(source, variables, depth)
            found = convert(name, source, variables)
        except Lost as exc:
            self.notes.add(entry, name, str(exc))
            return []
        except Unfollowable as exc:
            self.notes.add(entry, name, f"its value cannot be filled in: {exc}")
            return []
        self._tell(name, source, entry)
        return found

    def _referred(self, entry: Item) -> Item:
        """Return the template that *entry* refers to, else *entry* itself."""
        reference = entry.get("$ref")
        if reference is None:
            return entry
        name = (reference.text or "").rpartition("/")[2]
        template = self.templates.get(name)
        if template is None:
            return entry
        return replace(
            template,
            value={**template.mapping, **entry.mapping},
            keys={**template.keys, **entry.keys},
        )

    def _set(
        self, entry: Item, variables: Mapping[str, object], depth: int
    ) -> Criteria:
        """Return the criteria of a set all of which must pass."""
        if depth > _DEEPEST:
            raise Lost("is nested too deeply")
        threshold = entry.get("threshold")
        if threshold and threshold.value != 1:
            raise Lost("passes when some of its assertions do; here all must")
        inner = entry.get("assert")
        if inner is None:
            raise Lost("has no `assert`")
        self._tell_left(_SET, entry, _SET_HANDLED)
        return [
            criterion
            for each in inner.items
            for criterion in self.criteria(each, variables, depth + 1)
        ]

    def _tell(self, name: str, source: Item, entry: Item) -> None:
        """Note what of an assertion that came over did not."""
        told = _CHANGED.get(name)
        if told:
            self.notes.add(entry, name, told)
        if name in _JUDGED and source.get("threshold"):
            why = "a judge says pass or fail; the score is left out"
            self.notes.add(source, f"{name}: threshold", why)
        if name in _JUDGED and source.get("provider"):
            why = "the monitor's judge grades; see `judges`"
            self.notes.add(source, f"{name}: provider", why)
        used = {"threshold", "provider"} if name in _JUDGED else _USED.get(name, set())
        self._tell_left(name, source, _HANDLED | used)

    def _tell_left(self, name: str, source: Item, handled: AbstractSet[str]) -> None:
        """Note which keys of *source* are none of *handled*."""
        for key in source.mapping:
            if key not in handled:
                why = "is left out, the assertion is kept"
                line = source.key_line(key)
                self.notes.add(source, f"{name}: {key}", why, line=line)


def _check_counts(source: Item) -> None:
    """Raise where an assertion never fails, or looks at something else."""
    weight = source.get("weight")
    if weight and weight.value == 0:
        raise Lost("has the weight 0, so it never fails a test")
    if source.get("transform"):
        raise Lost("looks at what code makes of the answer")


_JUDGED = frozenset(
    {
        "llm-rubric",
        "model-graded-closedqa",
        "factuality",
        "model-graded-factuality",
        "answer-relevance",
        "g-eval",
    }
)
_CHANGED: Mapping[str, str] = {
    "answer-relevance": "a judge grades it; promptfoo compares embeddings",
    "is-refusal": "a judge grades it; promptfoo looks for words",
    "g-eval": "a judge says pass or fail; promptfoo gives a score",
}
