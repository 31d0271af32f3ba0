"""What cases of many monitors said last, and when they last passed."""

import pytest

from sqlalchemy import event

from answerprobe.evidence import CaseAnswers, Store
from answerprobe.run import RunRequest, Trigger
from answerprobe.verdict import Outcome
from evidence.writing import sample, write_run


class TestAnswers:
    async def test_the_newest_and_the_last_good_one_are_found(
        self, store: Store
    ) -> None:
        """Whatever came between them."""
        good = sample(answer="Thirty days.")
        bad = sample(Outcome.FAIL, answer="Sixty.")
        await write_run(store, [sample(), good])
        await write_run(store, [sample(Outcome.ERROR), bad])

        found = await store.answers({"shop": {"refund": "f1", "unasked": "f1"}})

        assert found == {"shop": {"refund": CaseAnswers(newest=bad, good=good)}}

    async def test_a_good_newest_answer_is_the_last_good_one(
        self, store: Store
    ) -> None:
        """It is both."""
        good = sample()
        await write_run(store, [sample(Outcome.FAIL), good])

        found = await store.answers({"shop": {"refund": "f1"}})

        assert found["shop"]["refund"] == CaseAnswers(newest=good, good=good)

    async def test_monitors_with_the_same_cases_are_told_apart(
        self, store: Store
    ) -> None:
        """An id is one of its monitor."""
        for name in ("a", "b"):
            request = RunRequest(monitor=name, trigger=Trigger.SCHEDULE)
            await write_run(store, [sample(answer=name)], request=request)

        found = await store.answers({n: {"refund": "f1"} for n in ("a", "b", "c")})

        said = {n: cases["refund"].newest for n, cases in found.items()}
        assert said == {"a": sample(answer="a"), "b": sample(answer="b")}

    @pytest.mark.parametrize("cases", [{}, {"shop": {}}], ids=["no-monitor", "no-case"])
    async def test_nothing_is_asked_of_nothing(
        self, store: Store, cases: dict[str, dict[str, str]]
    ) -> None:
        """No cases, no answers."""
        await write_run(store)

        assert await store.answers(cases) == {}

    async def test_another_definition_has_none(self, store: Store) -> None:
        """What passed was another question."""
        await write_run(store)

        assert await store.answers({"shop": {"refund": "f2"}}) == {}

    async def test_exploratory_runs_do_not_count(self, store: Store) -> None:
        """A dry run may have asked another model."""
        dry = RunRequest(monitor="shop", trigger=Trigger.DRY_RUN)
        await write_run(store, request=dry)

        assert await store.answers({"shop": {"refund": "f1"}}) == {}

    async def test_more_cases_than_a_statement_takes_are_all_found(
        self, store: Store
    ) -> None:
        """The first and the last of ten thousand."""
        await write_run(store, [sample(case_id="c0"), sample(case_id="c9999")])
        cases = {f"c{n}": "f1" for n in range(10_000)}

        found = await store.answers({"shop": cases})

        assert found["shop"].keys() == {"c0", "c9999"}

    async def test_a_thousand_monitors_take_two_statements(
        self, file_store: Store
    ) -> None:
        """One that finds the samples, and one that reads them."""
        await write_run(file_store)
        asked: list[str] = []
        engine = file_store._database._read_engine  # type: ignore[attr-defined]  # what a SQLite store has
        event.listen(
            engine, "before_cursor_execute", lambda *a: asked.append(str(a[2]))
        )

        await file_store.answers(
            {name: {"refund": "f1"} for name in ("shop", *map(str, range(999)))}
        )

        assert sum("FROM samples" in statement for statement in asked) == 2
