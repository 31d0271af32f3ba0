import pytest

from answerprobe.web._limits import Limiter, peer_key


class Clock:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        """Return the time."""
        return self.now


class TestLimiter:
    def test_a_burst_is_let_through(self) -> None:
        """And then one must wait."""
        limiter = Limiter(burst=2, per_second=0.5, clock=Clock())
        waits = []
        for _ in range(3):
            waits.append(limiter.wait_seconds("a"))
            limiter.count("a")

        assert waits == [0, 0, 2]

    def test_time_brings_tries_back(self) -> None:
        """Up to the burst, not beyond."""
        clock = Clock()
        limiter = Limiter(burst=2, per_second=0.5, clock=clock)
        for _ in range(2):
            limiter.count("a")

        clock.now += 1000
        for _ in range(2):
            assert limiter.wait_seconds("a") == 0
            limiter.count("a")
        assert limiter.wait_seconds("a") == 2

    def test_nobody_waits_for_another(self) -> None:
        """Each key has its own tries."""
        limiter = Limiter(burst=1, per_second=1, clock=Clock())
        limiter.count("a")

        assert limiter.wait_seconds("a") == 1
        assert limiter.wait_seconds("b") == 0

    def test_its_memory_is_bounded(self) -> None:
        """However many there are."""
        limiter = Limiter(burst=1, per_second=1, clock=Clock())
        for number in range(10_000):
            limiter.count(str(number))

        assert len(limiter._buckets) == 4096
        assert limiter.wait_seconds("9999") == 1


@pytest.mark.parametrize(
    ("remote", "key"),
    [
        pytest.param("192.0.2.7", "192.0.2.7", id="ipv4"),
        pytest.param("::ffff:192.0.2.7", "192.0.2.7", id="mapped"),
        pytest.param("2001:db8::1:2:3:4", "2001:db8::/64", id="ipv6-network"),
        pytest.param("fe80::1%eth0", "fe80::/64", id="link-local"),
        pytest.param(None, "", id="unknown"),
    ],
)
def test_a_peer_is_an_address_or_a_subscribers_network(
    remote: str | None, key: str
) -> None:
    """Nobody gets more tries by the many addresses of one IPv6 line."""
    assert peer_key(remote) == key
