"""Which cases of a monitor its page shows: searched, filtered, what fails first."""

from dataclasses import dataclass
from enum import StrEnum

from multidict import MultiMapping

from answerprobe.case import Case, CaseState
from answerprobe.run import Decision
from answerprobe.shapes import MonitorView
from answerprobe.status import CaseStatus
from answerprobe.web.pages import _paging, _query
from answerprobe.web.pages._case import state_of, status_of


CASES_A_PAGE = 50


class CaseFilter(StrEnum):
    """Which cases to show."""

    PASSING = "passing"
    FAILING = "failing"
    UNDECIDED = "undecided"
    REGRESSED = "regressed"
    DRAFT = "draft"
    RETIRED = "retired"
    NEVER_RUN = "never run"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which cases of a monitor are to be shown."""

    search: str = ""
    state: CaseFilter | None = None
    page: int = 1

    @classmethod
    def of(cls, query: MultiMapping[str]) -> "Wanted":
        """
        Return what *query* asks for.

        Raises:
            RequestError: a value of it is wrong (400).
        """
        return cls(
            search=_query.text(query, "q"),
            state=_query.member(CaseFilter, query, "state"),
            page=_query.page(query),
        )

    @property
    def narrows(self) -> bool:
        """Whether it leaves anything out."""
        return bool(self.search or self.state)

    def takes(self, view: MonitorView, case: Case) -> bool:
        """Whether *case* is to be shown."""
        if self.search and self.search.casefold() not in said(case).casefold():
            return False
        if self.state is None:
            return True
        status = status_of(view, case)
        return self.state.value == state_of(case, status) or (
            self.state is CaseFilter.FAILING and status.decision is Decision.FAILING
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """The cases of one page, of so many that were *found*."""

    cases: tuple[Case, ...]
    page: int
    found: int


def choose(view: MonitorView, wanted: Wanted) -> Chosen:
    """Return the cases that are *wanted*, what fails first."""
    found = [case for case in view.monitor.known if wanted.takes(view, case)]
    found.sort(key=lambda case: _place(case, status_of(view, case)))
    page, cut = _paging.cut(found, page=wanted.page, size=CASES_A_PAGE)
    return Chosen(cases=tuple(cut), page=page, found=len(found))


def _place(case: Case, status: CaseStatus) -> int:
    """Return where a case stands in the list."""
    if case.state is not CaseState.ACCEPTED:
        return 5 if case.state is CaseState.DRAFT else 6
    if status.regressed:
        return 0
    order = (Decision.FAILING, Decision.UNDECIDED, None, Decision.PASSING)
    return 1 + order.index(status.decision)


def said(case: Case) -> str:
    """Return what a case is found by: its id and what it asks."""
    talk = case.conversation
    asked = case.ask or (f"{talk.persona} {talk.goal}" if talk else "")
    return f"{case.id} {asked}"
