"""A replica's lease by its own clock, and what it shows while its store is away."""

import asyncio

from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa

from answerprobe.errors import StoreUnavailable
from answerprobe.evidence import Journal, Member, Store
from answerprobe.ledger import Ledger
from answerprobe.run import RunRequest, Trigger
from answerprobe.scheduler import Follower, LeasedClaims, Membership, Queued
from builders import monitor
from evidence.writing import MONTH, Observer, spent
from postgresql import PostgresServer
from scheduler.conducting import Stage
from scripted import until


@dataclass(slots=True)
class Boottime:
    """A clock that stands until it is moved."""

    seconds: float = 1000.0

    def __call__(self) -> float:
        """Return its seconds."""
        return self.seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A replica's part in a cluster, and the clock it goes by."""

    store: Store
    membership: Membership
    journal: Journal
    observer: Observer
    boottime: Boottime


def _now() -> datetime:
    """Return the present instant."""
    return datetime.now(UTC)


@pytest.fixture
async def part(postgres: PostgresServer) -> AsyncIterator[Part]:
    """Join a cluster of nobody else."""
    store = await Store.open(postgres.new_database(), exclusive=True, clock=_now)
    assert store.cluster is not None
    boottime, observer = Boottime(), Observer()
    membership = Membership(store.cluster, address="here", boottime=boottime)
    await membership.join()
    journal = Journal(
        store, observer=observer, last_run_id=0, may_keep=lambda: membership.alone
    )
    yield Part(
        store=store,
        membership=membership,
        journal=journal,
        observer=observer,
        boottime=boottime,
    )
    await journal.close()
    await store.close()


def _follower(part: Part, stage: Stage) -> Follower:
    """Return what keeps *stage* true to the store of *part*."""
    assert part.store.cluster is not None
    ledger = Ledger((), clock=part.membership.now)
    claims = LeasedClaims(
        cluster=part.store.cluster,
        membership=part.membership,
        faults=part.journal,
        ledger=ledger,
        full=lambda: False,
    )
    return Follower(
        cluster=part.store.cluster,
        membership=part.membership,
        claims=claims,
        scheduler=stage.scheduler,
        journal=part.journal,
        ledger=ledger,
    )


async def _let_an_hour_pass(store: Store) -> None:
    """Make what changed in *store* look as if that was an hour ago."""
    older = sa.text("UPDATE monitors SET changed_at = changed_at - 3600")

    def work(connection: sa.Connection) -> None:
        """Make it older."""
        connection.execute(older)

    await store._database.write(work)


def _newcomer(part: Part) -> Membership:
    """Return another replica, which has not joined yet."""
    assert part.store.cluster is not None
    return Membership(part.store.cluster, address="there", boottime=part.boottime)


async def _company(part: Part) -> None:
    """Let there be another replica."""
    assert part.store.cluster is not None
    await part.store.cluster.join(Member(id="other", address="there"), 3600.0)


class TestMembership:
    """What a replica knows of itself."""

    async def test_its_lease_is_over_by_its_own_clock(self, part: Part) -> None:
        """Whatever the store would say: it may be away, or this process was frozen."""
        before = part.membership.holds()
        part.boottime.seconds += 15.0

        assert (before, part.membership.holds()) == (True, False)
        assert await part.membership.renew(held_tokens=0)
        assert part.membership.holds()

    async def test_it_goes_by_the_clock_of_the_database(self, part: Part) -> None:
        """Its own may have been set to anything."""
        assert abs(part.membership.now() - _now()) < timedelta(seconds=5)
        part.boottime.seconds += 3600.0
        assert part.membership.now() - _now() > timedelta(minutes=59)
        await part.membership.renew(held_tokens=0)
        assert abs(part.membership.now() - _now()) < timedelta(seconds=5)

    async def test_one_that_is_alone_goes_on_without_the_store(
        self, part: Part
    ) -> None:
        """As long as it is away, and no longer."""
        part.membership.detached = True
        part.boottime.seconds += 3600.0
        detached = part.membership.holds()
        part.membership.detached = False

        assert part.membership.alone
        assert (detached, part.membership.holds()) == (True, False)

    async def test_one_that_left_is_told(self, part: Part) -> None:
        """It must join again before it claims."""
        await part.membership.leave()

        assert not await part.membership.renew(held_tokens=0)
        assert not part.membership.holds()


class TestMeeting:
    """One that joins claims nothing before the others know of it."""

    async def test_who_finds_nobody_need_not_wait(self, part: Part) -> None:
        """There is nobody who could go on alone."""
        assert part.membership.met

    async def test_who_joins_waits_until_others_have_looked(self, part: Part) -> None:
        """Until then they think that they are alone, and go on without the store."""
        newcomer = _newcomer(part)
        await newcomer.join()
        await newcomer.renew(held_tokens=0)
        before = (part.membership.alone, newcomer.met)
        await part.membership.renew(held_tokens=0)
        await newcomer.renew(held_tokens=0)

        assert before == (True, False)
        assert (part.membership.alone, newcomer.met) == (False, True)

    async def test_who_was_held_to_be_dead_waits_again(self, part: Part) -> None:
        """The others have found themselves alone meanwhile."""
        newcomer = _newcomer(part)
        await newcomer.join()
        await part.membership.renew(held_tokens=0)
        await newcomer.renew(held_tokens=0)
        before = newcomer.met
        await newcomer.leave()
        await newcomer.join(again=True)

        assert (before, newcomer.met) == (True, False)

    async def test_nobody_waits_for_the_dead(self, part: Part) -> None:
        """Their lease is over, and with it whatever they think."""
        newcomer = _newcomer(part)
        await newcomer.join()
        await part.membership.leave()
        await newcomer.renew(held_tokens=0)

        assert newcomer.met
        assert newcomer.alone

    async def test_one_that_was_alone_writes_first_what_it_did(
        self, part: Part
    ) -> None:
        """Who sees that it has looked may claim the same monitor at once."""
        journal = Journal(
            part.store,
            observer=part.observer,
            last_run_id=0,
            retry_seconds=3600.0,
            may_keep=lambda: True,
        )
        journal.failed(StoreUnavailable("it was away"))
        await journal.add_ledger((spent(10),))
        follower = _follower(replace(part, journal=journal), Stage())
        newcomer = _newcomer(part)
        await newcomer.join()

        await follower.keep()
        await newcomer.renew(held_tokens=0)
        before = (part.membership.acts_alone, newcomer.met)
        await journal.close()
        await follower.keep()
        await newcomer.renew(held_tokens=0)

        assert before == (True, False)
        assert (part.membership.acts_alone, newcomer.met) == (False, True)
        assert await part.store.ledger(MONTH)


class TestFollower:
    """What is shown while the store is away."""

    async def test_withholds_what_it_knows_after_fifteen_minutes(
        self, part: Part, postgres: PostgresServer
    ) -> None:
        """And shows it again when the store is back."""
        stage = Stage()
        await stage.watch(monitor("shop"))
        await part.journal.save_monitors(stage.journal.monitors)
        await _company(part)
        follower = _follower(part, stage)
        await follower.keep()
        await asyncio.to_thread(postgres.stop, "fast")
        try:
            part.boottime.seconds += 890.0
            await follower.keep()
            kept = set(stage.board.shown)
            part.boottime.seconds += 20.0
            await follower.keep()
            withheld = set(stage.board.shown)
        finally:
            await asyncio.to_thread(postgres.start)
        await part.observer.wait_for(lambda: part.journal.up)
        await follower.keep()
        await follower.look()

        assert (kept, withheld) == ({"shop"}, set())
        assert set(stage.board.shown) == {"shop"}

    async def test_misses_nothing_however_long_it_could_not_look(
        self, part: Part
    ) -> None:
        """News is only what changed of late: who missed some asks for all."""
        stage = Stage()
        await stage.watch(monitor("shop"))
        await part.journal.save_monitors(stage.journal.monitors)
        follower = _follower(part, stage)
        await follower.look()
        part.membership.detached = True
        await follower.look()
        await part.store.save_pause("shop", paused=True)
        await _let_an_hour_pass(part.store)
        part.membership.detached = False

        await follower.look()

        assert stage.scheduler.watches["shop"].paused_manually

    async def test_what_waits_is_done_by_one_that_is_alone(self, part: Part) -> None:
        """No news of it will come while the store is away."""
        stage = Stage()
        await stage.watch(monitor("shop"))
        request = RunRequest(monitor="shop", trigger=Trigger.MANUAL)
        waiting = Queued(id=1, request=request, queued_at=stage.clock())
        stage.scheduler.watches["shop"].queue.append(waiting)
        part.membership.detached = True

        await _follower(part, stage).look()
        await until(lambda: stage.target("shop").asked)
        await stage.scheduler.drain(5)

        assert stage.journal.started == [1]

    async def test_learns_a_pause_of_another(self, part: Part) -> None:
        """At its next look."""
        stage = Stage()
        await stage.watch(monitor("shop"))
        await part.journal.save_monitors(stage.journal.monitors)
        await part.store.save_pause("shop", paused=True)

        await _follower(part, stage).look()

        assert stage.scheduler.watches["shop"].paused_manually
