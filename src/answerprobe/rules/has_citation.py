"""The rule `has_citation`: the answer says where it has that from."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Self

from answerprobe.errors import CriterionError
from answerprobe.rules._citation import (
    LONGEST_READ,
    Citation,
    CitationKind,
    find,
    named_patterns,
)
from answerprobe.rules._options import choices, options_of, texts
from answerprobe.rules._reason import failed, passed, quote
from answerprobe.sample import Reply, Sample
from answerprobe.text import scrub
from answerprobe.verdict import Verdict


_OPTIONS = ("domains", "field", "kinds")
_ALL_KINDS = frozenset(CitationKind)
_TOLD = {
    CitationKind.LINK: "cites a link",
    CitationKind.NAMED: "names a source",
    CitationKind.MARKER: "marks a source",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class HasCitation:
    """
    The answer cites a source of one of *kinds*, in its text or beside it.

    *domains*: only links to these (or below them) count. *field*: where the reply's
    JSON has its sources.
    """

    kinds: frozenset[CitationKind] = _ALL_KINDS
    domains: tuple[str, ...] = ()
    field: str | None = None

    @property
    def criterion(self) -> str:
        """The rule's name in the configuration."""
        return "has_citation"

    @classmethod
    def parse(cls, value: object) -> Self:
        """
        Make the rule from `true` or `{kinds, domains, field}`.

        Raises:
            CriterionError: a kind or a domain is none, or an option is unknown.
        """
        options = options_of(value, _OPTIONS)
        named_patterns()  # compiled now, while loading
        kinds = choices(options, "kinds", CitationKind)
        domains = tuple(
            _domain(text, index)
            for index, text in enumerate(texts(options, "domains") or ())
        )
        if domains and CitationKind.LINK not in kinds:
            raise CriterionError("only links have a domain: add link", ("kinds",))
        return cls(kinds=kinds, domains=domains, field=_field(options.get("field")))

    def check(self, sample: Sample) -> Verdict:
        """Grade *sample*: its structured citations first, then its text."""
        for source in _structured(sample.reply, self.field):
            if not self.domains or self._is_ours(_host(source)):
                told = "has a structured citation"
                return passed(self.criterion, f"{told}: {quote(source)}", told)
        elsewhere = None
        for citation in find(scrub(sample.answer), self.kinds):
            if not self.domains or self._is_ours(citation.host):
                told = _TOLD[citation.kind]
                return passed(self.criterion, f"{told}: {quote(citation.text)}", told)
            elsewhere = elsewhere or citation
        return self._missing(sample.answer, elsewhere)

    def _is_ours(self, host: str | None) -> bool:
        """Whether *host* is one of the domains, or below one."""
        return host is not None and any(
            host == domain or host.endswith("." + domain) for domain in self.domains
        )

    def _missing(self, answer: str, elsewhere: Citation | None) -> Verdict:
        """Return the fail, with the link that did not count."""
        wanted = f" of {', '.join(self.domains)}" if self.domains else ""
        told = f"no citation{wanted}"
        if len(answer) > LONGEST_READ:
            told += f" in the first {LONGEST_READ:,} of {len(answer):,} characters"
        if elsewhere is None:
            return failed(self.criterion, told)
        return failed(self.criterion, f"{told}, but {quote(elsewhere.text)}", told)


def _structured(reply: Reply, field: str | None) -> Iterator[str]:
    """Yield the sources that the reply carries beside its text."""
    yield from (source for source in reply.citations if source.strip())
    if field is None:
        return
    found = reply.document
    for name in field.split("."):
        found = found.get(name) if isinstance(found, Mapping) else None
    yield from _sources(found)


def _sources(value: object) -> Iterator[str]:
    """Yield what in a JSON *value* names a source: texts, in lists and objects too."""
    if isinstance(value, str):
        if value.strip():
            yield value
    elif isinstance(value, list):
        for item in value:
            yield from _texts_of(item)
    elif isinstance(value, Mapping):
        yield from _texts_of(value)


def _texts_of(item: object) -> Iterator[str]:
    """Yield the texts in *item*, itself or the values of an object."""
    values = item.values() if isinstance(item, Mapping) else [item]
    for value in values:
        if isinstance(value, str) and value.strip():
            yield value


def _host(source: str) -> str | None:
    """Return the host of a link that *source* is."""
    return next(
        (found.host for found in find(scrub(source), frozenset({CitationKind.LINK}))),
        None,
    )


def _field(value: object) -> str | None:
    """Return the name of a field, parted by dots."""
    if value is None:
        return None
    if not isinstance(value, str) or not all(value.split(".")):
        raise CriterionError("expected the name of a field: sources", ("field",))
    return value


def _domain(text: str, index: int) -> str:
    """Return a domain in its plain form."""
    name = text.strip().lower().removeprefix("*.").rstrip(".")
    if "://" in name or "/" in name or "." not in name or " " in name:
        message = f"{text!r} is no domain such as docs.shop.io"
        raise CriterionError(message, ("domains", index))
    return name
