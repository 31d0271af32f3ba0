"""Claims of a replica: what it waits for, and what it is given then."""

import asyncio

from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import UTC, datetime

import pytest

from answerprobe.evidence import Journal, Member, Store
from answerprobe.ledger import Ledger
from answerprobe.run import RunRequest, Trigger
from answerprobe.scheduler import LeasedClaims, Membership
from builders import case, monitor
from evidence.writing import Observer
from postgresql import PostgresServer
from scheduler.conducting import Stage
from scripted import until


LEASE_SECONDS = 15.0
_MANUAL = RunRequest(monitor="shop", trigger=Trigger.MANUAL)
_OLD = monitor("shop", cases=[case("old", samples=1, pass_at_least=1)])
_NEW = monitor("shop", cases=[case("new", samples=1, pass_at_least=1)], definition="d2")


@dataclass(slots=True)
class Places:
    """Those of a replica: all taken, or not; and how often somebody looked."""

    full: bool = False
    looks: int = 0

    def __call__(self) -> bool:
        """Whether none is left."""
        self.looks += 1
        return self.full


@dataclass(frozen=True, slots=True, kw_only=True)
class Crew:
    """A scheduler that claims in a store while it has places."""

    store: Store
    stage: Stage
    membership: Membership
    places: Places

    async def order(self) -> None:
        """Ask for a run, which the store has under the same id."""
        await self.store.enqueue(_MANUAL, queued_at=self.stage.clock(), total=1)
        await self.stage.scheduler.start_run(_MANUAL)

    @property
    def asked(self) -> list[str]:
        """What was asked."""
        return self.stage.target("shop").asked


def _now() -> datetime:
    """Return the present instant."""
    return datetime.now(UTC)


@pytest.fixture
async def crew(postgres: PostgresServer) -> AsyncIterator[Crew]:
    """Watch the old definition as a replica that has not joined yet."""
    store = await Store.open(postgres.new_database(), exclusive=True, clock=_now)
    assert store.cluster is not None
    membership = Membership(store.cluster, address="here")
    places = Places()
    journal = Journal(store, observer=Observer(), last_run_id=0)
    claims = LeasedClaims(
        cluster=store.cluster,
        membership=membership,
        faults=journal,
        ledger=Ledger((), clock=_now),
        full=places,
    )
    made = Crew(
        store=store,
        stage=Stage(live=True, claims=claims),
        membership=membership,
        places=places,
    )
    await made.stage.watch(_OLD)
    await store.save_monitors(made.stage.journal.monitors)
    yield made
    await made.stage.scheduler.drain(5)
    await journal.close()
    await store.close()


class TestWaiting:
    """What is not claimed yet."""

    async def test_nothing_is_asked_before_the_others_know_of_it(
        self, crew: Crew
    ) -> None:
        """One that thinks to be alone could be at the same monitor."""
        cluster = crew.store.cluster
        assert cluster is not None
        await cluster.join(Member(id="other", address="there"), LEASE_SECONDS)
        await crew.membership.join()
        await crew.order()
        await crew.membership.renew(held_tokens=0)
        # Whoever may claim looks once.
        await until(lambda: crew.places.looks >= 3)
        early = (crew.membership.met, list(crew.asked))
        await cluster.renew("other", lease_seconds=LEASE_SECONDS, held_tokens=0)
        await crew.membership.renew(held_tokens=0)
        await until(lambda: crew.asked)

        assert early == (False, [])

    async def test_one_that_is_alone_waits_for_no_store(
        self, crew: Crew, postgres: PostgresServer
    ) -> None:
        """It goes away between the promise of a run and its claim."""
        await crew.membership.join()
        crew.places.full = True
        await crew.order()
        await asyncio.to_thread(postgres.stop, "fast")
        crew.places.full = False
        try:
            await until(lambda: crew.asked)
        finally:
            await asyncio.to_thread(postgres.start)

        assert crew.membership.acts_alone

    async def test_a_reload_in_the_meantime_is_followed(self, crew: Crew) -> None:
        """What waits was made of the old definition: it is not asked any more."""
        await crew.membership.join()
        crew.places.full = True
        await crew.order()
        await crew.stage.watch(_NEW)
        await crew.store.save_monitors(crew.stage.journal.monitors)
        crew.places.full = False
        watch = crew.stage.scheduler.watches["shop"]
        await until(lambda: watch.queue and not watch.going)
        refused = list(crew.asked)
        crew.stage.scheduler.kick()
        await until(lambda: crew.asked)

        assert refused == []
        assert crew.asked == ["What about new?"]
