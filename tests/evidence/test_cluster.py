"""What replicas may do in a store that they share: claims, leases, fencing, budgets."""

import asyncio

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa

from sqlalchemy.ext.asyncio import AsyncConnection, create_async_engine

from answerprobe.evidence import (
    Claim,
    Cluster,
    FinishedRun,
    Member,
    RunQuery,
    Store,
    StoredMonitor,
    Taken,
    Wish,
)
from answerprobe.evidence._database import PostgresDatabase
from answerprobe.evidence._operations import Begin
from answerprobe.run import RunRequest, RunState, Trigger
from answerprobe.status import MonitorStatus
from evidence.writing import MONTH, ended, sample, spent
from postgresql import PostgresServer


LEASE_SECONDS = 60.0
STATUS = MonitorStatus(up=True, last_run_id=1)


def now() -> datetime:
    """Return the present instant: the database has no other clock."""
    return datetime.now(UTC)


def wish(
    replica: str,
    *,
    monitor: str = "shop",
    definition: str = "d1",
    every_seconds: float = 3600.0,
    run_id: int | None = None,
) -> Wish:
    """Return the wish of *replica* to run the monitor that is due."""
    return Wish(
        replica=replica,
        monitor=monitor,
        definition=definition,
        started_at=now(),
        every_seconds=every_seconds,
        total=1,
        run_id=run_id,
    )


@pytest.fixture
async def shared(postgres: PostgresServer) -> AsyncIterator[Store]:
    """Open a store with one due monitor and the replicas `a` and `b`."""
    store = await Store.open(postgres.new_database(), exclusive=True, clock=now)
    due = now() - timedelta(seconds=1)
    monitor = StoredMonitor(first_seen=due, due_at=due, definition="d1")
    await store.save_monitors({"shop": monitor})
    for name in ("a", "b"):
        await cluster_of(store).join(Member(id=name, address=name), LEASE_SECONDS)
    yield store
    await store.close()


def cluster_of(store: Store) -> Cluster:
    """Return the cluster that *store* is for."""
    assert store.cluster is not None
    return store.cluster


async def claimed(store: Store, wished: Wish) -> Taken | None:
    """Claim what is *wished* for; return what was to be had."""
    reply = await cluster_of(store).claim(wished, MONTH)
    return reply.taken


async def taken_by(store: Store, replica: str, run_id: int | None = None) -> Taken:
    """Let *replica* claim the monitor, which it must get."""
    taken = await claimed(store, wish(replica, run_id=run_id))
    assert taken is not None
    return taken


def end_of(taken: Taken, state: RunState = RunState.COMPLETED) -> FinishedRun:
    """Return the end of the run that was *taken*."""
    run = ended(taken.run_id, [sample()], request=taken.request, state=state)
    return FinishedRun(
        run=run,
        status=STATUS,
        ledger=(spent(10),),
        due_at=now() + timedelta(hours=1),
        claim=taken.claim,
    )


async def freeze(store: Store, replica: str) -> None:
    """Let the lease of *replica* be over, and somebody see it."""
    expire = sa.text("UPDATE replicas SET lease_until = 0 WHERE id = :id")

    def work(connection: sa.Connection) -> None:
        """Let it be over."""
        connection.execute(expire, {"id": replica})

    await store._database.write(work)
    await cluster_of(store).bury()


async def state_of(store: Store, run_id: int) -> RunState:
    """Return the state of a run."""
    run = await store.run(run_id)
    assert run is not None
    return run.state


@asynccontextmanager
async def _claimant(store: Store) -> AsyncIterator[AsyncConnection]:
    """Yield a transaction of somebody else, committed at the end of the block."""
    assert isinstance(store._database, PostgresDatabase)
    url = sa.make_url(store._database.place).set(drivername="postgresql+asyncpg")
    engine = create_async_engine(url)
    async with engine.begin() as connection:
        yield connection
    await engine.dispose()


async def _blocked(connection: AsyncConnection) -> None:
    """Return once somebody waits for a row that *connection* has."""
    waiting = sa.text(
        "SELECT count(*) FROM pg_stat_activity"
        " WHERE pg_backend_pid() = ANY(pg_blocking_pids(pid))"
    )
    async with asyncio.timeout(10):
        while not (await connection.execute(waiting)).scalar_one():  # noqa: ASYNC110
            await asyncio.sleep(0.01)


class TestClaims:
    """Who may do a run that is due."""

    async def test_one_of_many_who_ask_at_once_gets_it(self, shared: Store) -> None:
        """And there is one run."""
        asked = [claimed(shared, wish(name)) for name in "abababab"]

        got = [taken for taken in await asyncio.gather(*asked) if taken]
        assert len(got) == 1
        assert [run.id for run in (await shared.runs(RunQuery())).runs] == [
            got[0].run_id
        ]

    @pytest.mark.parametrize(
        "wished",
        [
            pytest.param(wish("a", definition="d2"), id="another definition"),
            pytest.param(wish("a", monitor="nobody's"), id="no such monitor"),
            pytest.param(wish("c"), id="no replica"),
        ],
    )
    async def test_is_refused(self, shared: Store, wished: Wish) -> None:
        """Where what is wished for is not to be had."""
        assert await claimed(shared, wished) is None
        assert (await shared.runs(RunQuery())).runs == ()

    async def test_is_refused_before_it_is_due(self, shared: Store) -> None:
        """Whoever ran it last has told when that is."""
        await shared.finish(end_of(await taken_by(shared, "a")))

        assert await claimed(shared, wish("b")) is None

    async def test_one_that_is_due_too_far_ahead_is_due(self, shared: Store) -> None:
        """A clock was set back."""
        await shared.finish(end_of(await taken_by(shared, "a")))

        assert await claimed(shared, wish("b", every_seconds=60.0))

    async def test_is_refused_while_it_is_paused(self, shared: Store) -> None:
        """What was asked for by hand is done even so."""
        await shared.save_pause("shop", paused=True)
        manual = RunRequest(monitor="shop", trigger=Trigger.MANUAL)
        run_id = await shared.enqueue(manual, queued_at=now(), total=1)

        assert await claimed(shared, wish("a")) is None
        assert (await taken_by(shared, "a", run_id=run_id)).request == manual

    async def test_tells_the_status_that_others_left(self, shared: Store) -> None:
        """A run goes on from there."""
        await shared.finish(end_of(await taken_by(shared, "a")))
        reply = await cluster_of(shared).claim(wish("b", every_seconds=60.0), MONTH)

        assert reply.state is not None
        assert reply.state.status == STATUS
        assert reply.spent_tokens == 11

    async def test_a_queued_run_is_done_once(self, shared: Store) -> None:
        """The second one who wants it is told that it waits no more."""
        manual = RunRequest(monitor="shop", trigger=Trigger.MANUAL)
        run_id = await shared.enqueue(manual, queued_at=now(), total=1)
        await shared.finish(end_of(await taken_by(shared, "a", run_id=run_id)))

        reply = await cluster_of(shared).claim(wish("b", run_id=run_id), MONTH)
        assert (reply.taken, reply.waiting) == (None, False)
        assert await claimed(shared, wish("b", every_seconds=60.0))

    async def test_a_queued_run_waits_while_another_goes_on(
        self, shared: Store
    ) -> None:
        """Runs of a monitor never overlap, whoever does them."""
        manual = RunRequest(monitor="shop", trigger=Trigger.MANUAL)
        run_id = await shared.enqueue(manual, queued_at=now(), total=1)
        await taken_by(shared, "a")

        reply = await cluster_of(shared).claim(wish("b", run_id=run_id), MONTH)
        assert (reply.taken, reply.waiting) == (None, True)

    async def test_a_delayed_run_waits(self, shared: Store) -> None:
        """Whoever looks."""
        deploy = RunRequest(monitor="shop", trigger=Trigger.DEPLOY, version="v1")
        begin = Begin(
            request=deploy,
            queued_at=now(),
            total=1,
            not_before=now() + timedelta(minutes=5),
        )
        run_id = await shared.write(begin)

        reply = await cluster_of(shared).claim(wish("b", run_id=run_id), MONTH)
        assert (reply.taken, reply.waiting) == (None, True)
        assert reply.state is not None
        assert reply.state.epoch == 0, "nobody's claim was touched"
        assert await claimed(shared, wish("a")), "the monitor is still free"


class TestFencing:
    """What comes too late."""

    async def test_a_run_that_was_given_to_another_counts_no_more(
        self, shared: Store
    ) -> None:
        """Neither its samples, nor its status, nor its due time."""
        late = await taken_by(shared, "a")
        await freeze(shared, "a")
        done = await taken_by(shared, "b")
        assert await shared.finish(end_of(done))

        assert not await shared.finish(replace(end_of(late), status=MonitorStatus()))
        assert (await shared.load_monitors())["shop"].status == STATUS
        assert await state_of(shared, late.run_id) is RunState.INTERRUPTED
        assert (await shared.ledger(MONTH))[0].output_tokens == 1
        found = await shared.run(late.run_id)
        assert found is not None
        assert found.samples == ()

    async def test_a_run_is_interrupted_when_its_replica_is_buried(
        self, shared: Store
    ) -> None:
        """And due as before."""
        late = await taken_by(shared, "a")
        await freeze(shared, "a")

        assert await state_of(shared, late.run_id) is RunState.INTERRUPTED
        assert not await shared.finish(end_of(late))
        assert await claimed(shared, wish("b"))

    async def test_an_end_that_is_written_twice_counts_once(
        self, shared: Store
    ) -> None:
        """Its first commit seemed to have failed."""
        taken = await taken_by(shared, "a")
        finished = end_of(taken)

        assert await shared.finish(finished)
        assert await shared.finish(finished)
        assert (await shared.ledger(MONTH))[0].output_tokens == 1

    async def test_nobody_ends_the_run_of_another_without_a_claim(
        self, shared: Store
    ) -> None:
        """Such as one that was queued when it was last seen."""
        taken = await taken_by(shared, "a")
        end = end_of(taken, RunState.INTERRUPTED)
        await shared.finish(replace(end, claim=None, status=None))

        assert await state_of(shared, taken.run_id) is RunState.RUNNING

    async def test_what_ran_without_the_store_counts_if_nobody_came(
        self, shared: Store
    ) -> None:
        """The epoch is the last one that was known."""
        begin = Begin(
            request=RunRequest(monitor="shop", trigger=Trigger.SCHEDULE),
            queued_at=now(),
            started_at=now(),
            total=1,
            run_id=1000,
            claim=Claim(replica="a", epoch=0),
        )
        await shared.write(begin)
        run = ended(1000, [sample()])
        end = FinishedRun(run=run, claim=Claim(replica="a", epoch=0))

        assert await shared.finish(end)

    async def test_what_ran_without_the_store_is_lost_if_somebody_came(
        self, shared: Store
    ) -> None:
        """And its run is no running one for ever."""
        await shared.finish(end_of(await taken_by(shared, "b")))
        begin = Begin(
            request=RunRequest(monitor="shop", trigger=Trigger.SCHEDULE),
            queued_at=now(),
            started_at=now(),
            total=1,
            run_id=1000,
            claim=Claim(replica="a", epoch=0),
        )
        await shared.write(begin)
        run = ended(1000, [sample()])

        assert not await shared.finish(
            FinishedRun(run=run, claim=Claim(replica="a", epoch=0))
        )
        assert await state_of(shared, 1000) is RunState.INTERRUPTED

    @pytest.mark.parametrize("queued", [False, True], ids=["due", "queued"])
    async def test_what_began_without_the_store_goes_on_with_it(
        self, shared: Store, *, queued: bool
    ) -> None:
        """Once it is written nobody else gets the monitor, or takes it for dead."""
        claim = Claim(replica="a", epoch=0)
        run_id = 1000
        request = RunRequest(monitor="shop", trigger=Trigger.MANUAL)
        if queued:
            run_id = await shared.enqueue(request, queued_at=now(), total=1)
            await shared.start(run_id, now(), claim=claim)
        else:
            begin = Begin(
                request=request,
                queued_at=now(),
                started_at=now(),
                total=1,
                run_id=run_id,
                claim=claim,
            )
            await shared.write(begin)
        await shared.interrupt_unfinished()

        assert await claimed(shared, wish("b")) is None
        run = ended(run_id, [sample()], request=request)
        assert await shared.finish(FinishedRun(run=run, claim=claim))
        assert await claimed(shared, wish("b")), "it is free again"

    async def test_what_began_and_ended_without_the_store_leaves_it_free(
        self, shared: Store
    ) -> None:
        """Written together, the end comes after the beginning."""
        claim = Claim(replica="a", epoch=0)
        request = RunRequest(monitor="shop", trigger=Trigger.MANUAL)
        begin = Begin(
            request=request,
            queued_at=now(),
            started_at=now(),
            total=1,
            run_id=1000,
            claim=claim,
        )
        end = FinishedRun(
            run=ended(1000, [sample()], request=request), status=STATUS, claim=claim
        )
        written = await asyncio.gather(shared.submit(begin), shared.submit(end))

        assert list(written) == [1000, 1000]
        assert await claimed(shared, wish("b"))

    async def test_an_end_that_comes_late_leaves_the_same_run_of_another_alone(
        self, shared: Store
    ) -> None:
        """A queued run that one began alone, and another took up meanwhile."""
        manual = RunRequest(monitor="shop", trigger=Trigger.MANUAL)
        run_id = await shared.enqueue(manual, queued_at=now(), total=1)
        taken = await taken_by(shared, "b", run_id=run_id)
        late = replace(end_of(taken), claim=Claim(replica="a", epoch=0))

        assert not await shared.finish(late)
        assert await state_of(shared, run_id) is RunState.RUNNING
        assert await shared.finish(end_of(taken))
        assert not await shared.finish(late), "the end of another is not its own"
        assert (await shared.ledger(MONTH))[0].output_tokens == 1

    async def test_an_end_that_was_not_written_does_not_count(
        self, shared: Store
    ) -> None:
        """Somebody interrupted the run: what is shown must be what is stored."""
        taken = await taken_by(shared, "a")
        interrupt = sa.text("UPDATE runs SET state = 'interrupted' WHERE id = :id")

        def work(connection: sa.Connection) -> None:
            """Interrupt it behind its back."""
            connection.execute(interrupt, {"id": taken.run_id})

        await shared._database.write(work)

        assert not await shared.finish(end_of(taken))
        assert await state_of(shared, taken.run_id) is RunState.INTERRUPTED


class TestLeases:
    """Who is there."""

    async def test_renewing_tells_whether_others_are_there(self, shared: Store) -> None:
        """As long as their leases are not over."""
        cluster = cluster_of(shared)
        before = await cluster.renew("a", lease_seconds=60.0, held_tokens=0)
        await cluster.leave("b")
        after = await cluster.renew("a", lease_seconds=60.0, held_tokens=0)

        assert before is not None
        assert after is not None
        assert before.next_end is not None
        assert 0.0 < before.next_end - before.at <= LEASE_SECONDS
        assert after.next_end is None

    async def test_one_that_was_buried_cannot_renew(self, shared: Store) -> None:
        """It has lost everything, and must know."""
        await freeze(shared, "a")

        renewed = await cluster_of(shared).renew("a", lease_seconds=9.0, held_tokens=0)
        assert renewed is None

    async def test_who_renews_is_not_buried(self, shared: Store) -> None:
        """However late it was."""
        cluster = cluster_of(shared)
        await cluster.renew("a", lease_seconds=-5.0, held_tokens=0)
        await cluster.renew("a", lease_seconds=60.0, held_tokens=0)
        taken = await taken_by(shared, "a")
        await cluster.bury()

        assert await shared.finish(end_of(taken))

    async def test_who_joins_at_an_address_takes_the_place_of_who_was_there(
        self, shared: Store
    ) -> None:
        """Two cannot listen there: the old one is gone, and its run interrupted."""
        taken = await taken_by(shared, "a")
        found = await cluster_of(shared).join(Member(id="c", address="a"), 60.0)

        assert found == [(taken.run_id, "shop")]
        assert await claimed(shared, wish("c"))

    async def test_who_leaves_lets_others_go_on(self, shared: Store) -> None:
        """At once."""
        await taken_by(shared, "a")
        await cluster_of(shared).leave("a")

        assert await claimed(shared, wish("b"))

    async def test_a_claim_can_be_given_up(self, shared: Store) -> None:
        """Such as one that nobody knows of, as its commit seemed to have failed."""
        taken = await taken_by(shared, "a")
        await cluster_of(shared).release("shop", taken.claim)

        assert await state_of(shared, taken.run_id) is RunState.INTERRUPTED
        assert await claimed(shared, wish("b"))


class TestNews:
    """What replicas learn of each other's doings."""

    async def test_tells_what_changed_and_what_waits(self, shared: Store) -> None:
        """With what was claimed and spent."""
        taken = await taken_by(shared, "a")
        manual = RunRequest(monitor="shop", trigger=Trigger.MANUAL)
        run_id = await shared.enqueue(manual, queued_at=now(), total=1)
        await shared.add_ledger((spent(10),))

        news = await cluster_of(shared).news(
            "a", since_ever=False, queued_after=0, month=MONTH
        )
        assert news.revisions == {"shop": 1}
        assert news.claimed == {"shop": taken.claim.epoch}
        assert [run.id for run in news.queued] == [run_id]
        assert news.spent_tokens == 11

    @pytest.mark.parametrize(
        "change",
        [
            pytest.param("pause", id="a pause"),
            pytest.param("deploy", id="a deploy"),
            pytest.param("definition", id="another definition"),
            pytest.param("burial", id="a burial"),
        ],
    )
    async def test_a_change_is_a_new_revision(self, shared: Store, change: str) -> None:
        """Whatever it is that others have to know."""
        await taken_by(shared, "a")
        match change:
            case "pause":
                await shared.save_pause("shop", paused=True)
            case "deploy":
                await shared.record_deploy("shop", "v2", now())
            case "definition":
                changed = StoredMonitor(first_seen=now(), definition="d2")
                await shared.save_monitors({"shop": changed})
            case _:
                await freeze(shared, "a")

        told = await cluster_of(shared).tell(["shop"], MONTH)
        assert told["shop"].state.revision == 2

    async def test_loading_the_same_definition_keeps_the_due_time(
        self, shared: Store
    ) -> None:
        """Another replica may have moved it on meanwhile."""
        await shared.finish(end_of(await taken_by(shared, "a")))
        before = (await shared.load_monitors())["shop"].due_at
        again = StoredMonitor(first_seen=now(), due_at=now(), definition="d1")
        await shared.save_monitors({"shop": again})

        assert (await shared.load_monitors())["shop"].due_at == before


class TestOrders:
    """Runs that are asked for at several replicas."""

    async def test_the_same_order_is_one_run(self, shared: Store) -> None:
        """Wherever it is given."""
        manual = RunRequest(monitor="shop", trigger=Trigger.MANUAL, case_ids=("a",))
        begin = Begin(request=manual, queued_at=now(), total=1, merge=True)

        ids = await asyncio.gather(*(shared.write(begin) for _ in range(4)))
        other = replace(begin, request=replace(manual, case_ids=("b",)))
        assert len(set(ids)) == 1
        assert await shared.write(other) not in ids

    async def test_what_is_written_together_waits_for_nobody_who_waits_for_it(
        self, shared: Store
    ) -> None:
        """Who claims a monitor has its row, and needs the counter of runs next."""
        other = StoredMonitor(first_seen=now(), due_at=now(), definition="d1")
        await shared.save_monitors({"other": other})
        end = end_of(await taken_by(shared, "a"))
        manual = RunRequest(monitor="other", trigger=Trigger.MANUAL)
        begin = Begin(request=manual, queued_at=now(), total=1, merge=True)
        async with _claimant(shared) as claimant:
            await claimant.execute(
                sa.text("SELECT FROM monitors WHERE name = 'shop' FOR UPDATE")
            )
            written = [shared.submit(begin), shared.submit(end)]
            await _blocked(claimant)
            await claimant.execute(sa.text("SELECT FROM counters FOR UPDATE NOWAIT"))

        assert None not in await asyncio.gather(*written)

    async def test_deploys_that_pile_up_are_one_run_of_the_last_version(
        self, shared: Store
    ) -> None:
        """With the last one's delay."""
        later = now() + timedelta(minutes=3)
        for version, not_before in (("v1", None), ("v2", later)):
            begin = Begin(
                request=RunRequest(
                    monitor="shop", trigger=Trigger.DEPLOY, version=version
                ),
                queued_at=now(),
                total=1,
                merge=True,
                not_before=not_before,
            )
            await shared.write(begin)

        news = await cluster_of(shared).news(
            "a", since_ever=False, queued_after=0, month=MONTH
        )
        assert [(r.request.version, r.not_before) for r in news.queued] == [
            ("v2", later)
        ]


class TestBudget:
    """The budget of all monitors together."""

    async def test_counts_what_others_hold(self, shared: Store) -> None:
        """While anything is left, one more starts."""

        async def may_start(replica: str, *, held: int) -> bool:
            """Whether a sample of 99 of the 100 tokens may start at *replica*."""
            granted = await cluster_of(shared).grant(
                replica,
                month=MONTH,
                limit_tokens=100,
                held_tokens=held,
                further_tokens=99,
            )
            return granted.may_start

        assert await may_start("a", held=0)
        assert await may_start("b", held=0)
        assert not await may_start("b", held=99)

    async def test_what_was_spent_is_spent_for_all(self, shared: Store) -> None:
        """Whoever wrote it down."""
        await shared.add_ledger((spent(99),))

        granted = await cluster_of(shared).grant(
            "b", month=MONTH, limit_tokens=100, held_tokens=0, further_tokens=1
        )
        assert (granted.may_start, granted.spent_tokens) == (False, 100)


class TestDuties:
    """What one replica does for all."""

    async def test_is_one_replicas_until_it_ends_or_dies(self, shared: Store) -> None:
        """Then somebody else's."""
        cluster = cluster_of(shared)

        assert await cluster.take_duty("prune", "a")
        assert not await cluster.take_duty("prune", "b")
        await cluster.end_duty("prune", "a")
        assert await cluster.take_duty("prune", "b")
        await freeze(shared, "b")
        assert await cluster.take_duty("prune", "a")

    async def test_who_is_no_replica_has_none(self, shared: Store) -> None:
        """Nobody would ever free it."""
        assert not await cluster_of(shared).take_duty("prune", "c")
