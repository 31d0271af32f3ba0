"""The lock as text."""

import re

import pytest

from hypothesis import given
from hypothesis import strategies as st

from answerprobe.errors import ConfigError
from answerprobe.lock import Key, Lock
from answerprobe.lock._text import parse, write


# Any text that UTF-8 can hold.
_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
LOCK = (
    Lock()
    .accept(Key("shop", "window"), "f1")
    .accept(Key("bank", "fees"), "f2")
    .accept(Key("shop", "old"), "f3")
    .retire(Key("shop", "old"), 'Policy "14 days": é日本')
)
WRITTEN = """\
# The cases that count, as they were accepted; a case that is not in here is a draft.
# Keep this file in Git. Only `answerprobe accept`, `amend` and `retire` change it.
version = 1

[[case]]
monitor = "bank"
id = "fees"
state = "accepted"
fingerprint = "f2"
checksum = "*"

[[case]]
monitor = "shop"
id = "old"
state = "retired"
fingerprint = "f3"
reason = "Policy \\"14 days\\": é日本"
checksum = "*"

[[case]]
monitor = "shop"
id = "window"
state = "accepted"
fingerprint = "f1"
checksum = "*"
"""


def refusal(text: str) -> str:
    """Return why *text* is refused."""
    with pytest.raises(ConfigError) as refused:
        parse(text, "answerprobe.lock")
    return str(refused.value)


def block(text: str, case_id: str) -> str:
    """Return the block of *case_id* in *text*."""
    (found,) = (b for b in text.split("\n\n") if f'id = "{case_id}"' in b)
    return found.rstrip("\n")


class TestWrite:
    """A block for each case."""

    def test_as_a_person_reads_it(self) -> None:
        """Sorted by monitor and id, so that Git can merge it."""
        assert re.sub(r"[0-9a-f]{16}", "*", write(LOCK)) == WRITTEN

    def test_the_order_of_accepting_does_not_show(self) -> None:
        """The same lock is the same file."""
        backwards = Lock(entries=dict(reversed(list(LOCK.entries.items()))))

        assert write(backwards) == write(LOCK)

    @given(_TEXT, _TEXT, _TEXT, _TEXT)
    def test_whatever_is_written_is_read_again(
        self, monitor: str, case_id: str, reason: str, new: str
    ) -> None:
        """Names and reasons may have any character."""
        key = Key(monitor, case_id)
        lock = Lock().accept(key, "f1").retire(key, reason, replaced_by=new)

        assert parse(write(lock), "answerprobe.lock") == lock


class TestParse:
    """What is no lock is refused with its line."""

    def test_entries_know_their_lines(self) -> None:
        """For messages."""
        entries = parse(write(LOCK), "answerprobe.lock").entries

        assert {key.case: entry.line for key, entry in entries.items()} == {
            "fees": 5,
            "old": 12,
            "window": 20,
        }

    @pytest.mark.parametrize(
        ("text", "says"),
        [
            pytest.param("", "1:1: is empty or no lock", id="empty"),
            pytest.param("version = 1\n", "1:1: is empty", id="no case"),
            pytest.param("{", "1:1: is damaged", id="cut"),
            pytest.param("[]", "1:1: is damaged", id="another shape"),
            pytest.param("\x00\x01", "1:1: is damaged", id="binary"),
            pytest.param("a = 1\nb = \n", "2:1: is damaged", id="its line"),
            pytest.param("version = 2\n", "a newer answerprobe", id="newer"),
            pytest.param(
                "version = 1\n[[case]]\nid = 1\n", "'checksum' is not there", id="block"
            ),
            pytest.param("version = 1\ncase = [1]", "is not there", id="no block"),
        ],
    )
    def test_damaged(self, text: str, says: str) -> None:
        """It never means that every case counts again."""
        assert says in refusal(text)

    @pytest.mark.parametrize(
        ("old", "new"),
        [
            pytest.param('fingerprint = "f1"', 'fingerprint = "f9"', id="fingerprint"),
            pytest.param('id = "window"', 'id = "widnow"', id="id"),
            pytest.param('state = "retired"', 'state = "accepted"', id="state"),
            pytest.param("14 days", "15 days", id="reason"),
            pytest.param('"accepted"', '"draft"', id="no such state"),
        ],
    )
    def test_changed_by_hand(self, old: str, new: str) -> None:
        """The block no longer fits its checksum."""
        said = refusal(write(LOCK).replace(old, new))

        assert re.search(r"^answerprobe\.lock:\d+:1: .*changed by hand", said)

    def test_one_character_of_the_checksum(self) -> None:
        """It is caught like any other."""
        text = write(LOCK)
        (first, *_) = re.findall(r'checksum = "(.)', text)
        wrong = text.replace(
            f'checksum = "{first}', f'checksum = "{"0" if first != "0" else "1"}', 1
        )

        assert "'fees' of 'bank' was changed by hand" in refusal(wrong)

    def test_an_unfinished_merge(self) -> None:
        """It says what to do, at the line of the first mark."""
        text = write(LOCK).replace("\n\n[[case]]", "\n\n<<<<<<< HEAD\n[[case]]", 1)

        assert refusal(text) == (
            "answerprobe.lock:5:1: has the marks of an unfinished merge; keep the "
            "blocks of both sides"
        )

    def test_a_block_that_a_merge_brought_twice(self) -> None:
        """The same twice is once."""
        text = write(LOCK)

        assert parse(f"{text}\n{block(text, 'window')}\n", "") == LOCK

    def test_two_blocks_of_one_case(self) -> None:
        """Nobody but a person can tell which is right."""
        other = write(Lock().accept(Key("shop", "window"), "f9"))
        said = refusal(f"{write(LOCK)}\n{block(other, 'window')}\n")

        assert said.startswith("answerprobe.lock:27:1: has the case 'window' of 'shop'")
        assert "at line 20 too" in said

    def test_blocks_in_any_order(self) -> None:
        """A merge leaves them as it may."""
        head, *blocks = write(LOCK).rstrip("\n").split("\n\n")

        assert parse("\n\n".join([head, *reversed(blocks)]), "") == LOCK
