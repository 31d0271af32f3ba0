"""Lists of runs: newest first, in pages that nothing shifts."""

import pytest

from answerprobe.evidence import RunQuery, Store
from answerprobe.run import RunRequest, Trigger
from answerprobe.verdict import Outcome
from evidence.writing import sample, write_run


DRY = RunRequest(monitor="shop", trigger=Trigger.DRY_RUN)
FAQ = RunRequest(monitor="faq", trigger=Trigger.SCHEDULE)


async def ids(store: Store, query: RunQuery) -> list[int]:
    """Return the ids of the runs that *query* finds."""
    return [run.id for run in (await store.runs(query)).runs]


class TestPages:
    """Walking through all runs, page by page."""

    async def test_every_run_comes_once_newest_first(self, store: Store) -> None:
        """The last page says that it is the last."""
        made = [(await write_run(store)).id for _ in range(5)]

        seen: list[int] = []
        before, pages = None, 0
        while pages == 0 or before is not None:
            page = await store.runs(RunQuery(before=before, limit=2))
            seen += [run.id for run in page.runs]
            before, pages = page.next, pages + 1

        assert (seen, pages) == (made[::-1], 3)

    async def test_new_runs_do_not_shift_the_next_page(self, store: Store) -> None:
        """Each page begins where the one before ended."""
        made = [(await write_run(store)).id for _ in range(4)]
        first = await store.runs(RunQuery(limit=2))
        await write_run(store)

        assert await ids(store, RunQuery(before=first.next, limit=2)) == made[1::-1]

    async def test_a_full_last_page_is_the_last(self, store: Store) -> None:
        """No empty page follows it."""
        await write_run(store)
        await write_run(store)

        page = await store.runs(RunQuery(limit=2))

        assert (len(page.runs), page.next) == (2, None)


class TestFilters:
    """Some of the runs."""

    @pytest.mark.parametrize(
        ("query", "found"),
        [
            pytest.param(RunQuery(), [4, 3, 2, 1], id="all"),
            pytest.param(RunQuery(monitor="faq"), [4], id="monitor"),
            pytest.param(RunQuery(monitor="nobody"), [], id="unknown monitor"),
            pytest.param(RunQuery(trigger=Trigger.DRY_RUN), [2], id="trigger"),
            pytest.param(RunQuery(outcome=Outcome.FAIL), [3], id="fails"),
            pytest.param(RunQuery(outcome=Outcome.ERROR), [4], id="errors"),
            pytest.param(RunQuery(outcome=Outcome.NOT_JUDGED), [], id="not judged"),
            pytest.param(
                RunQuery(monitor="shop", outcome=Outcome.PASS), [3, 2, 1], id="both"
            ),
        ],
    )
    async def test_each_filter_leaves_what_it_names(
        self, store: Store, query: RunQuery, found: list[int]
    ) -> None:
        """By outcome: runs with at least one such sample."""
        await write_run(store)
        await write_run(store, request=DRY)
        await write_run(store, [sample(Outcome.FAIL), sample()])
        await write_run(store, [sample(Outcome.ERROR)], request=FAQ)

        assert await ids(store, query) == found
