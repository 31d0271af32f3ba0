import pytest

from answerprobe.web._csrf import FormTokens


class Clock:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.now = 1_800_000_000.0

    def __call__(self) -> float:
        """Return the time."""
        return self.now


class TestFormTokens:
    def test_what_was_issued_holds(self) -> None:
        """For the same user, with the same key."""
        tokens = FormTokens()

        assert tokens.holds(tokens.issue("ann", b"key"), "ann", b"key")

    @pytest.mark.parametrize(
        ("user", "key"),
        [
            pytest.param("bob", b"key", id="another-user"),
            pytest.param("", b"key", id="nobody"),
            pytest.param("ann", b"other", id="another-key"),
        ],
    )
    def test_it_holds_for_nobody_else(self, user: str, key: bytes) -> None:
        """A token that was taken from another's page is worth nothing."""
        tokens = FormTokens()

        assert not tokens.holds(tokens.issue("ann", b"key"), user, key)

    @pytest.mark.parametrize(
        "token",
        [
            pytest.param("", id="empty"),
            pytest.param(".", id="dot"),
            pytest.param("6b49d200", id="no-mark"),
            pytest.param("6b49d200." + "0" * 64, id="guessed"),
            pytest.param("x.y", id="no-number"),
            pytest.param("\ud800.\ud800", id="surrogates"),
        ],
    )
    def test_what_we_did_not_issue_never_holds(self, token: str) -> None:
        """Whatever a form sends."""
        assert not FormTokens().holds(token, "ann", b"key")

    def test_it_gets_old(self) -> None:
        """A day later the page must be loaded anew."""
        clock = Clock()
        tokens = FormTokens(clock=clock)
        token = tokens.issue("ann", b"key")

        clock.now += 23 * 3600
        assert tokens.holds(token, "ann", b"key")
        clock.now += 2 * 3600
        assert not tokens.holds(token, "ann", b"key")
