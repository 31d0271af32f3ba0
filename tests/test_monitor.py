"""A monitor: which of its cases count, and which are asked at all."""

from dataclasses import replace

from answerprobe.case import CaseState
from builders import case, monitor


ACCEPTED = case("window", within_seconds=5)
DRAFT = replace(case("tone", within_seconds=30), state=CaseState.DRAFT)
RETIRED = replace(case("old"), state=CaseState.RETIRED, reason="moved")


class TestUncounted:
    """Drafts and retired cases."""

    def test_drafts_are_asked_and_retired_cases_are_not(self) -> None:
        """A retired case is there for its reason only."""
        shop = replace(monitor(cases=[ACCEPTED]), uncounted=(RETIRED, DRAFT))

        assert shop.drafts == (DRAFT,)
        assert shop.askable == (ACCEPTED, DRAFT)

    def test_a_draft_changes_no_number_of_its_monitor(self) -> None:
        """Neither how many samples a run has nor how long they may take."""
        shop = replace(monitor(cases=[ACCEPTED]), uncounted=(DRAFT,))

        assert (shop.samples, shop.within_seconds) == (3, 5)

    def test_one_of_drafts_alone_has_no_deadline(self) -> None:
        """Nothing counts that could have one."""
        shop = replace(monitor(), cases=(), uncounted=(DRAFT,))

        assert (shop.samples, shop.within_seconds) == (0, 0)
