"""What others did to the monitors, looked up every two seconds."""

import asyncio
import itertools

from collections.abc import Awaitable, Callable, Collection, Mapping

import structlog

from answerprobe.errors import StoreError, StoreUnavailable
from answerprobe.evidence import Claim, Cluster, Journal, News
from answerprobe.ledger import Ledger, month_of
from answerprobe.scheduler._leased import LeasedClaims
from answerprobe.scheduler._membership import Membership
from answerprobe.scheduler._scheduler import Scheduler
from answerprobe.scheduler._watch import Queued


_log = structlog.get_logger()
_LOOK_SECONDS = 2.0
# One that takes longer is as bad as none: the lease goes on meanwhile.
_PATIENCE_SECONDS = 4.0
# What is known is shown so long without the store.
_SHOWN_SECONDS = 900.0
_AT_ONCE = 100


class Follower:
    """Keeps the lease, and keeps the scheduler true to the store."""

    def __init__(
        self,
        *,
        cluster: Cluster,
        membership: Membership,
        claims: LeasedClaims,
        scheduler: Scheduler,
        journal: Journal,
        ledger: Ledger,
    ) -> None:
        self._cluster = cluster
        self._membership = membership
        self._claims = claims
        self._scheduler = scheduler
        self._journal = journal
        self._ledger = ledger
        self._since_ever = True
        self._withheld = False
        self._last_queued = 0
        self._orphans: Mapping[str, Claim] = {}

    async def follow(self) -> None:
        """Keep the lease and look, for ever, neither held up by the other."""
        async with asyncio.TaskGroup() as group:
            group.create_task(_often(self.keep))
            group.create_task(_often(self.look))

    async def keep(self) -> None:
        """Renew the lease, or know that the store is away."""
        try:
            async with asyncio.timeout(_PATIENCE_SECONDS):
                await self._renew()
        except StoreError as exc:
            self._miss(exc)
        except TimeoutError:
            self._miss(StoreUnavailable("the store does not answer"))

    async def look(self) -> None:
        """Learn what is new, while the store is there."""
        if not self._journal.up or self._membership.detached:
            self._overlook()
            if self._membership.acts_alone:
                # What waits, waits for nobody else.
                self._scheduler.kick()
            return
        try:
            await self._membership.bury()
            await self._learn()
            self._membership.learnt()
        except StoreError as exc:
            self._journal.failed(exc)
            self._overlook()

    def _overlook(self) -> None:
        """Remember that something may have been missed; show nothing stale."""
        # News is only of the last minute: who missed some must ask for all of it.
        self._since_ever = True
        seconds = self._membership.unlearnt_seconds
        late = seconds > _SHOWN_SECONDS and not self._membership.alone
        if late and not self._withheld:
            self._withheld = True
            _log.error("replica.withholds", seconds=round(seconds))
            self._scheduler.withhold()

    def _miss(self, exc: StoreError) -> None:
        """Go on without the store, for a while."""
        membership = self._membership
        membership.detached = True
        self._journal.failed(exc)
        self._overlook()

    async def _renew(self) -> None:
        """Renew the lease; where it was lost, begin anew."""
        if self._membership.alone and not self._journal.up:
            # Who sees it renewed may claim what was done here: that is written first.
            self._membership.detached = True
            return
        held = self._ledger.held_tokens
        if await self._membership.renew(held_tokens=held):
            return
        _log.warning("replica.lease_lost", replica=self._membership.id)
        self._claims.lose()
        self._scheduler.abandon()
        self._since_ever = True
        await self._membership.join(again=True)

    async def _learn(self) -> None:
        """Learn what is new."""
        month = month_of(self._membership.now())
        since_ever, self._since_ever = self._since_ever, False
        try:
            await self._learn_since(month, since_ever=since_ever)
        except BaseException:
            self._since_ever = self._since_ever or since_ever
            raise

    async def _learn_since(self, month: str, *, since_ever: bool) -> None:
        """Learn what changed of late, or ever."""
        news = await self._cluster.news(
            self._membership.id,
            since_ever=since_ever,
            queued_after=self._last_queued,
            month=month,
        )
        self._ledger.take_up_total(news.spent_tokens)
        watches = self._scheduler.watches
        if since_ever:
            # A failover may have lost what was known.
            self._forget(news.revisions)
        changed = [
            name
            for name, revision in news.revisions.items()
            if name in watches and watches[name].revision != revision
        ]
        await self._follow(changed, month)
        self._withheld = False
        await self._take_up(news)
        await self._give_up(news)
        self._scheduler.kick()

    def _forget(self, revisions: Mapping[str, int]) -> None:
        """Take what the store has of monitors for newer, where it is older."""
        for name, watch in self._scheduler.watches.items():
            if revisions.get(name, watch.revision) < watch.revision and not watch.going:
                watch.revision = -1

    async def _follow(self, names: Collection[str], month: str) -> None:
        """Learn what became of the monitors *names*, a few at a time."""
        rest = iter(names)
        while some := list(itertools.islice(rest, _AT_ONCE)):
            told = await self._cluster.tell(some, month)
            for name, state in told.items():
                if not self._claims.has(name):
                    # Of what runs here, nobody knows better.
                    self._ledger.take_up(name, state.spent_tokens)
                await self._scheduler.follow(name, state)

    async def _take_up(self, news: News) -> None:
        """Take up runs that were asked for elsewhere."""
        for run in news.queued:
            self._last_queued = run.id
            await self._scheduler.requeue(
                [
                    Queued(
                        id=run.id,
                        request=run.request,
                        queued_at=run.queued_at,
                        not_before=run.not_before,
                    )
                ]
            )

    async def _give_up(self, news: News) -> None:
        """
        Give up claims that nobody here knows of, twice in a row.

        Such as one whose commit came through after its connection was lost.
        """
        orphans = self._claims.orphans(news.claimed)
        for name, claim in orphans.items():
            if self._orphans.get(name) == claim:
                _log.warning("claim.given_up", monitor=name)
                await self._cluster.release(name, claim)
        self._orphans = orphans


async def _often(look: Callable[[], Awaitable[None]]) -> None:
    """Call *look* every two seconds, for ever."""
    loop = asyncio.get_running_loop()
    while True:
        due = loop.time() + _LOOK_SECONDS
        await look()
        await asyncio.sleep(max(0.0, due - loop.time()))
