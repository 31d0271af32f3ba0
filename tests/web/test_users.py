import asyncio

import bcrypt
import pytest

from answerprobe.errors import RequestError
from answerprobe.web._users import Users


def hashed(password: str, rounds: int = 4) -> str:
    """Return the bcrypt hash of *password*, quickly made."""
    return bcrypt.hashpw(password.encode()[:72], bcrypt.gensalt(rounds)).decode()


class TestUsers:
    async def test_the_right_password_is_right(self) -> None:
        """For its user, and no other."""
        users = Users({"ann": hashed("secret"), "bob": hashed("other")})

        assert await users.verify("ann", "secret")
        assert not await users.verify("bob", "secret")

    @pytest.mark.parametrize(
        ("name", "password"),
        [
            pytest.param("ann", "", id="empty"),
            pytest.param("ann", "secrets", id="longer"),
            pytest.param("ann", "secret\0", id="nul"),
            pytest.param("ann", "\udcff", id="surrogate"),
            pytest.param("nobody", "secret", id="no-user"),
            pytest.param("", "", id="nothing"),
        ],
    )
    async def test_another_is_wrong(self, name: str, password: str) -> None:
        """Whatever is sent."""
        assert not await Users({"ann": hashed("secret")}).verify(name, password)

    async def test_what_is_longer_than_bcrypt_reads_is_no_fault(self) -> None:
        """It reads 72 bytes, as everywhere else that takes such hashes."""
        long = "x" * 100

        assert await Users({"ann": hashed(long)}).verify("ann", long)

    @pytest.mark.parametrize(
        ("password", "answer"),
        [
            pytest.param("secret", True, id="right"),
            pytest.param("x", False, id="wrong"),
        ],
    )
    async def test_an_answer_is_remembered(
        self, password: str, *, answer: bool
    ) -> None:
        """bcrypt is slow on purpose; it is asked once."""
        users = Users({"ann": hashed("secret")})

        assert users.recall("ann", password) is None
        await users.verify("ann", password)
        assert users.recall("ann", password) is answer

    async def test_a_new_password_is_asked_for_at_once(self) -> None:
        """What is remembered belongs to the hash that it was compared with."""
        users = Users({"ann": hashed("old")})
        await users.verify("ann", "old")

        users.replace({"ann": hashed("new")})

        assert not await users.verify("ann", "old")
        assert await users.verify("ann", "new")

    async def test_who_was_taken_out_is_out(self) -> None:
        """Also who was known a moment ago."""
        users = Users({"ann": hashed("secret"), "bob": hashed("b")})
        await users.verify("ann", "secret")

        users.replace({"bob": hashed("b")})

        assert not await users.verify("ann", "secret")

    async def test_guesses_push_out_nobody_who_knows(self) -> None:
        """However many there were since."""
        users = Users({"ann": hashed("secret")})
        await users.verify("ann", "secret")
        for number in range(1100):
            await users.verify("ann", f"guess {number}")

        assert users.recall("ann", "secret") is True
        assert users.recall("ann", "guess 0") is None

    async def test_the_loop_goes_on_meanwhile(self) -> None:
        """The comparison runs in a thread."""
        users = Users({"ann": hashed("secret", rounds=9)})
        login = asyncio.create_task(users.verify("ann", "secret"))
        turns = 0
        while not login.done():
            turns += 1
            await asyncio.sleep(0)

        assert await login
        assert turns > 100

    async def test_the_same_login_is_compared_once_at_a_time(self) -> None:
        """A browser that loads a page asks for its parts with one password."""
        users = Users({"ann": hashed("secret", rounds=8)})
        logins = [users.verify("ann", "secret") for _ in range(100)]

        assert all(await asyncio.gather(*logins))

    async def test_a_flood_is_told_to_wait(self) -> None:
        """What waits is bounded."""
        users = Users({"ann": hashed("secret", rounds=8)})
        guesses = [users.verify("ann", f"guess {number}") for number in range(50)]
        ended = await asyncio.gather(*guesses, return_exceptions=True)

        refused = [each for each in ended if isinstance(each, RequestError)]
        assert [each.status for each in refused] == [429] * 18

    async def test_an_unknown_name_costs_what_a_known_one_costs(self) -> None:
        """It is compared too, with some user's hash, always the same."""
        users = Users({"ann": hashed("a"), "bob": hashed("b")})
        stand_in = users._stand_in("nobody")

        assert stand_in in {users.hash_of(n).decode() for n in ("ann", "bob")}
        assert users._stand_in("nobody") == stand_in
