"""The ledger: tokens spent in a month, and what a budget leaves of it."""

import asyncio

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta, timezone

import pytest

from hypothesis import given
from hypothesis import strategies as st

from answerprobe.ledger import Ledger, LedgerEntry, Reservation, month_of
from answerprobe.sample import TokenRole, TokenUsage


_NOVEMBER = datetime(2026, 11, 30, 23, 59, 59, tzinfo=UTC)


class Clock:
    """A clock that a test sets."""

    def __init__(self, now: datetime = _NOVEMBER) -> None:
        self.now = now

    def __call__(self) -> datetime:
        """Return the present instant."""
        return self.now


def ledger(*entries: LedgerEntry, clock: Clock | None = None) -> Ledger:
    """Return a ledger that starts with *entries*, in November."""
    return Ledger(entries, clock=clock or Clock())


def entry(tokens: int, *, monitor: str = "shop", month: str = "2026-11") -> LedgerEntry:
    """Return what an agent's input took."""
    return LedgerEntry(
        month=month,
        monitor=monitor,
        role=TokenRole.AGENT,
        input_tokens=tokens,
        output_tokens=0,
    )


def agent(tokens: int, *, estimated: bool = False) -> Mapping[TokenRole, TokenUsage]:
    """Return a sample's usage by the agent alone."""
    return {TokenRole.AGENT: TokenUsage(input_tokens=tokens, estimated=estimated)}


def reserve(
    book: Ledger,
    monitor: str = "shop",
    *,
    limit: int | None = None,
    total: int | None = None,
    estimate: int = 100,
) -> Reservation | None:
    """Return a reservation in *book*."""
    return book.reserve(
        monitor,
        limit_tokens=limit,
        total_limit_tokens=total,
        estimate_tokens=estimate,
    )


def reserved(
    book: Ledger,
    *,
    limit: int | None = None,
    total: int | None = None,
    estimate: int = 100,
) -> Reservation:
    """Return a reservation that there must be room for."""
    reservation = reserve(book, limit=limit, total=total, estimate=estimate)
    assert reservation is not None
    return reservation


class TestUsed:
    """What a month's tokens come to."""

    def test_all_roles_count(self) -> None:
        """Agent and judge, input and output: all of it is the monitor's."""
        book = ledger()
        spent = {
            TokenRole.AGENT: TokenUsage(input_tokens=10, output_tokens=5),
            TokenRole.JUDGE: TokenUsage(input_tokens=20, output_tokens=2),
        }

        book.settle(reserved(book), spent)

        assert book.used_tokens("shop") == 37
        assert book.total_used_tokens() == 37

    def test_starts_with_what_was_stored(self) -> None:
        """Entries of this month count, those of others don't."""
        book = ledger(entry(5), entry(7), entry(9, month="2026-10"))

        assert book.used_tokens("shop") == 12
        assert book.total_used_tokens() == 12

    def test_canaries_count_in_the_total_alone(self) -> None:
        """What is spent for no monitor is no monitor's."""
        book = ledger()

        book.spend("", {TokenRole.JUDGE: TokenUsage(input_tokens=8)})

        assert book.used_tokens("shop") == 0
        assert book.total_used_tokens() == 8

    def test_monitors_are_apart(self) -> None:
        """One monitor's tokens are not another's."""
        book = ledger(entry(5), entry(7, monitor="other"))

        assert (book.used_tokens("shop"), book.used_tokens("other")) == (5, 7)


class TestReserve:
    """Whether one more sample may start."""

    def test_without_limits_there_is_always_room(self) -> None:
        """Unlimited is unlimited."""
        assert reserve(ledger(entry(10**9))) is not None

    @pytest.mark.parametrize(
        ("used", "expected"),
        [
            pytest.param(99, True, id="one token left"),
            pytest.param(100, False, id="nothing left"),
            pytest.param(120, False, id="overshot"),
        ],
    )
    def test_while_anything_is_left(self, used: int, *, expected: bool) -> None:
        """The last sample may take more than is left, then none starts."""
        assert (reserve(ledger(entry(used)), limit=100) is not None) is expected

    def test_samples_in_flight_hold_their_tokens(self) -> None:
        """What is set aside is not given out twice."""
        book = ledger()

        first = reserved(book, limit=100, estimate=60)

        assert reserve(book, limit=100, estimate=60) is not None
        assert reserve(book, limit=100, estimate=60) is None
        book.release(first)
        assert reserve(book, limit=100, estimate=60) is not None

    def test_total_limit_counts_all_monitors(self) -> None:
        """Another monitor's tokens, spent or set aside, count for the total."""
        book = ledger(entry(50, monitor="other"))
        assert reserve(book, "other", total=100, estimate=50) is not None

        assert reserve(book, "shop", total=100) is None

    def test_past_samples_tell_the_next(self) -> None:
        """A sample is held to take what those before it took on average."""
        book = ledger()
        book.settle(reserved(book, estimate=7), agent(100))
        book.settle(reserved(book, estimate=7), agent(201))

        assert reserved(book, estimate=7).tokens == 151

    def test_free_samples_tell_nothing(self) -> None:
        """Samples of an agent that is down don't make the next ones look cheap."""
        book = ledger()
        book.settle(reserved(book), agent(0))

        assert reserved(book, estimate=70).tokens == 70

    def test_no_sample_is_free(self) -> None:
        """An estimate of nothing still holds a token, so that not all start at once."""
        book = ledger()

        assert reserve(book, limit=1, estimate=0) is not None
        assert reserve(book, limit=1, estimate=0) is None

    def test_ending_twice_counts_once(self) -> None:
        """A reservation that has ended gives nothing back again."""
        book = ledger()
        first, _ = reserved(book, limit=200), reserved(book, limit=200)

        book.release(first)
        book.release(first)

        assert reserve(book, limit=200, estimate=100) is not None
        assert reserve(book, limit=200, estimate=100) is None


class TestAcquire:
    """Waiting for samples in flight."""

    async def test_waits_for_a_high_estimate_to_settle(self) -> None:
        """What is only set aside refuses nobody: the sample starts a little later."""
        book = ledger()
        first = reserved(book, limit=100, estimate=500)
        waiting = asyncio.create_task(
            book.acquire(
                "shop", limit_tokens=100, total_limit_tokens=None, estimate_tokens=500
            )
        )
        await asyncio.sleep(0)
        assert not waiting.done()

        book.settle(first, agent(40))

        assert (await waiting) is not None

    async def test_none_once_all_is_spent(self) -> None:
        """Whoever waits learns that nothing is left."""
        book = ledger()
        first = reserved(book, total=100, estimate=500)
        waiting = asyncio.create_task(
            book.acquire(
                "other", limit_tokens=None, total_limit_tokens=100, estimate_tokens=1
            )
        )
        await asyncio.sleep(0)

        book.settle(first, agent(100))

        assert (await waiting) is None

    async def test_waiters_start_one_by_one(self) -> None:
        """Of many that wait no more start than there is room for."""
        book = ledger()
        first = reserved(book, limit=100, estimate=100)
        waiting = [
            asyncio.create_task(
                book.acquire(
                    "shop", limit_tokens=100, total_limit_tokens=None, estimate_tokens=9
                )
            )
            for _ in range(5)
        ]
        await asyncio.sleep(0)

        book.settle(first, agent(30))
        await asyncio.sleep(0)
        await asyncio.sleep(0)

        assert sum(task.done() for task in waiting) == 3
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)


class TestMonths:
    """The month's turn, in UTC."""

    def test_turn_resets_what_was_used(self) -> None:
        """With the new month all budgets are whole again."""
        clock = Clock()
        book = ledger(entry(100), clock=clock)
        assert reserve(book, limit=100) is None

        clock.now += timedelta(seconds=1)

        assert book.used_tokens("shop") == 0
        assert reserve(book, limit=100) is not None

    def test_sample_over_the_turn_counts_where_it_ends(self) -> None:
        """Tokens are the month's in which they became known."""
        clock = Clock()
        book = ledger(clock=clock)
        reservation = reserved(book)

        clock.now += timedelta(seconds=1)
        book.settle(reservation, agent(40))

        assert [(e.month, e.total) for e in book.take_increments()] == [("2026-12", 40)]
        assert book.used_tokens("shop") == 40

    def test_clock_set_back_forgets_nothing(self) -> None:
        """A wall clock that jumps into the old month finds its sums again."""
        clock = Clock()
        book = ledger(entry(100), clock=clock)
        clock.now += timedelta(days=1)
        book.spend("shop", agent(3))

        clock.now = _NOVEMBER

        assert book.used_tokens("shop") == 100

    @pytest.mark.parametrize(
        ("now", "reset"),
        [
            pytest.param(_NOVEMBER, datetime(2026, 12, 1, tzinfo=UTC), id="november"),
            pytest.param(
                datetime(2026, 12, 1, tzinfo=UTC),
                datetime(2027, 1, 1, tzinfo=UTC),
                id="december",
            ),
            pytest.param(
                datetime(2026, 12, 1, 1, tzinfo=timezone(timedelta(hours=2))),
                datetime(2026, 12, 1, tzinfo=UTC),
                id="another time zone",
            ),
        ],
    )
    def test_reset_is_the_next_first(self, now: datetime, reset: datetime) -> None:
        """The reset is the first instant of the next month in UTC."""
        assert ledger(clock=Clock(now)).reset_at == reset

    def test_month_is_utc(self) -> None:
        """An hour into December two hours east is still November."""
        east = timezone(timedelta(hours=2))

        assert month_of(datetime(2026, 12, 1, 1, tzinfo=east)) == "2026-11"


class TestIncrements:
    """What is handed out to be stored."""

    def test_summed_by_role_and_estimate(self) -> None:
        """One entry for each sort of tokens, however many samples there were."""
        book = ledger()
        for _ in range(2):
            book.settle(reserved(book), agent(10))
        book.settle(reserved(book), agent(7, estimated=True))

        increments = book.take_increments("shop")

        assert {(e.estimated, e.input_tokens) for e in increments} == {
            (False, 20),
            (True, 7),
        }

    def test_taken_once(self) -> None:
        """What was taken is not handed out again."""
        book = ledger()
        book.spend("shop", agent(10))

        assert book.take_increments("shop") == (entry(10),)
        assert book.take_increments("shop") == ()

    def test_other_monitors_stay(self) -> None:
        """Taking one monitor's leaves the others'."""
        book = ledger()
        book.spend("shop", agent(10))
        book.spend("", agent(3))

        assert book.take_increments("shop") == (entry(10),)
        assert book.take_increments() == (entry(3, monitor=""),)

    def test_given_back_is_taken_again(self) -> None:
        """After a failed write nothing is lost, and nothing is used twice."""
        book = ledger()
        book.spend("shop", agent(10))

        book.give_back(book.take_increments("shop"))
        book.spend("shop", agent(5))

        assert book.used_tokens("shop") == 15
        assert book.take_increments("shop") == (entry(15),)

    def test_nothing_spent_is_no_entry(self) -> None:
        """A usage of no tokens needs no row."""
        book = ledger()
        book.spend("shop", agent(0))

        assert book.take_increments() == ()


class _Fund:
    """Grants everything, and remembers what it was asked for."""

    may_start = True

    def __init__(self) -> None:
        self.asked: list[tuple[int, int]] = []

    async def grant(self, limit_tokens: int, further_tokens: int) -> bool:
        """Grant, or not."""
        self.asked.append((limit_tokens, further_tokens))
        return self.may_start


class TestShared:
    """A ledger of one of several replicas."""

    def test_knows_what_others_spent(self) -> None:
        """With what was spent here and is not in the store."""
        book = ledger(entry(10))
        book.spend("shop", agent(5))
        book.take_up_total(300)
        book.take_up("shop", 100)

        assert (book.used_tokens("shop"), book.total_used_tokens()) == (105, 305)

    def test_what_was_taken_is_the_stores_from_then_on(self) -> None:
        """It may be on its way: counted twice, a budget would seem to be used up."""
        book = ledger()
        book.spend("shop", agent(5))
        taken = book.take_increments()
        book.take_up_total(0)
        missing = book.total_used_tokens()
        book.give_back(taken)
        book.take_up_total(0)

        assert (missing, book.total_used_tokens()) == (0, 5)

    def test_holds_what_is_set_aside_or_not_known_to_be_written(self) -> None:
        """Others count it as used."""
        book = ledger()
        reserved(book, estimate=100)
        book.spend("shop", agent(5))
        taken = book.take_increments()
        before = book.held_tokens
        book.written(taken)

        assert (before, book.held_tokens) == (105, 100)

    async def test_a_sample_is_granted_by_the_fund(self) -> None:
        """Where there is a budget of all monitors together."""
        book = ledger()
        fund = book.fund = _Fund()
        for total in (1000, None):
            assert await book.acquire(
                "shop",
                limit_tokens=None,
                total_limit_tokens=total,
                estimate_tokens=100,
            )

        assert fund.asked == [(1000, 100)]

    async def test_what_is_not_granted_is_not_held(self) -> None:
        """Here the store tells that others have used up all."""

        class Spent(_Fund):
            """Takes up what others spent."""

            may_start = False

            async def grant(self, limit_tokens: int, further_tokens: int) -> bool:
                """Tell that nothing is left."""
                book.take_up_total(limit_tokens)
                return await super().grant(limit_tokens, further_tokens)

        book = ledger()
        book.fund = Spent()
        got = await book.acquire(
            "shop", limit_tokens=None, total_limit_tokens=9, estimate_tokens=100
        )

        assert got is None
        assert book.held_tokens == 0


class TestProperties:
    """What holds whatever happens."""

    @given(
        st.integers(1, 2000),
        st.integers(1, 300),
        st.lists(st.booleans(), max_size=60),
    )
    def test_overshoot_is_at_most_one_sample(
        self, limit: int, cost: int, starts: list[bool]
    ) -> None:
        """With right estimates, samples at once never spend more than one too many."""
        book = ledger()
        flying: list[Reservation] = []
        for start in starts:
            reservation = (
                reserve(book, limit=limit, estimate=cost)
                if start or not flying
                else None
            )
            if reservation is not None:
                flying.append(reservation)
            elif flying:
                book.settle(flying.pop(0), agent(cost))
        for reservation in flying:
            book.settle(reservation, agent(cost))

        assert book.used_tokens("shop") < limit + cost

    @given(
        st.lists(
            st.tuples(
                st.sampled_from(["shop", "other", ""]),
                st.sampled_from(list(TokenRole)),
                st.integers(0, 1000),
                st.integers(0, 1000),
                st.booleans(),
                st.sampled_from(["keep", "take", "fail"]),
            )
        )
    )
    def test_increments_sum_up_to_what_was_used(
        self, spendings: list[tuple[str, TokenRole, int, int, bool, str]]
    ) -> None:
        """However they are taken and given back, no token is lost or doubled."""
        book = ledger()
        written: list[LedgerEntry] = []
        for monitor, role, sent, received, estimated, then in spendings:
            usage = TokenUsage(
                input_tokens=sent, output_tokens=received, estimated=estimated
            )
            book.spend(monitor, {role: usage})
            if then == "take":
                written.extend(book.take_increments(monitor))
            elif then == "fail":
                book.give_back(book.take_increments())
        written.extend(book.take_increments())

        restored = ledger(*written)
        for monitor in ("shop", "other", ""):
            assert restored.used_tokens(monitor) == book.used_tokens(monitor)
        assert restored.total_used_tokens() == book.total_used_tokens()
