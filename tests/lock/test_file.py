"""The lock's file."""

import os

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

from answerprobe.errors import ConfigError, LockError
from answerprobe.lock import Key, Lock, change, lock_of, read


def accept(lock: Lock | None) -> Lock:
    return (lock or Lock()).accept(Key("shop", "window"), "f1")


class TestRead:
    """From a file to a lock."""

    def test_without_a_file_there_is_none(self, tmp_path: Path) -> None:
        """That is no fault."""
        assert read(tmp_path / "answerprobe.lock") is None

    def test_what_was_written(self, tmp_path: Path) -> None:
        """It is what is read."""
        path = tmp_path / "answerprobe.lock"
        written = change(path, accept)

        assert read(path) == written == accept(None)

    def test_line_ends_of_another_system(self, tmp_path: Path) -> None:
        """Git may have changed them."""
        path = tmp_path / "answerprobe.lock"
        change(path, accept)
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))

        assert read(path) == accept(None)

    @pytest.mark.parametrize(
        ("content", "says"),
        [
            pytest.param(b"\xff", "is no UTF-8 text", id="bytes"),
            pytest.param(b" " * (32 * 1024**2 + 1), "is larger than 32 MiB", id="huge"),
        ],
    )
    def test_no_text(self, tmp_path: Path, content: bytes, says: str) -> None:
        """It is refused in one line."""
        path = tmp_path / "answerprobe.lock"
        path.write_bytes(content)

        with pytest.raises(ConfigError, match=f"answerprobe.lock:1:1: .*{says}"):
            read(path)

    def test_a_folder(self, tmp_path: Path) -> None:
        """It is no lock."""
        with pytest.raises(ConfigError, match="cannot be read: is a directory"):
            read(tmp_path)

    def test_a_link_to_nothing_is_no_missing_lock(self, tmp_path: Path) -> None:
        """A broken mount must not make every case count."""
        path = tmp_path / "answerprobe.lock"
        path.symlink_to(tmp_path / "gone")

        with pytest.raises(ConfigError, match="a link to nothing"):
            read(path)


class TestChange:
    """From a lock to a file, in one step."""

    def test_nothing_else_is_left(self, tmp_path: Path) -> None:
        """Neither a copy nor a mark that it is being written."""
        change(lock_of(tmp_path / "c.yml"), accept)

        assert [path.name for path in tmp_path.iterdir()] == ["answerprobe.lock"]

    def test_what_does_not_change_is_not_written(self, tmp_path: Path) -> None:
        """Git sees no difference, also where somebody put the blocks in order."""
        path = tmp_path / "answerprobe.lock"
        change(path, accept)
        with path.open("a", encoding="utf-8") as file:
            file.write("# a comment\n")
        before = path.read_bytes()
        change(path, accept)

        assert path.read_bytes() == before

    def test_a_damaged_file_stays_as_it_is(self, tmp_path: Path) -> None:
        """Nothing is written over what nobody understands."""
        path = tmp_path / "answerprobe.lock"
        path.write_text("<<<<<<< HEAD\n", encoding="utf-8")

        with pytest.raises(ConfigError):
            change(path, accept)

        assert path.read_text("utf-8") == "<<<<<<< HEAD\n"

    def test_its_mode_stays(self, tmp_path: Path) -> None:
        """Who could read it still can."""
        path = tmp_path / "answerprobe.lock"
        change(path, accept)
        path.chmod(0o664)
        change(path, lambda lock: (lock or Lock()).accept(Key("shop", "b"), "f2"))

        assert path.stat().st_mode & 0o777 == 0o664

    def test_a_link_stays_a_link(self, tmp_path: Path) -> None:
        """What it points to is changed."""
        kept = tmp_path / "kept"
        kept.mkdir()
        path = tmp_path / "answerprobe.lock"
        change(kept / "the.lock", accept)
        path.symlink_to(kept / "the.lock")
        change(path, lambda lock: (lock or Lock()).accept(Key("shop", "b"), "f2"))

        assert path.is_symlink()
        assert len((read(kept / "the.lock") or Lock()).entries) == 2

    def test_what_a_crash_left_is_written_over(self, tmp_path: Path) -> None:
        """It was never the lock."""
        (tmp_path / ".answerprobe.lock.new").write_text("half", encoding="utf-8")
        change(tmp_path / "answerprobe.lock", accept)

        assert [path.name for path in tmp_path.iterdir()] == ["answerprobe.lock"]

    def test_a_folder_that_is_gone_is_named(self, tmp_path: Path) -> None:
        """In one line."""
        path = tmp_path / "gone" / "answerprobe.lock"

        with pytest.raises(
            LockError, match=r"gone/answerprobe\.lock cannot be written"
        ):
            change(path, accept)

    @pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
    def test_a_folder_that_may_not_be_written_is_named(self, tmp_path: Path) -> None:
        """And the lock is as before."""
        path = tmp_path / "answerprobe.lock"
        change(path, accept)
        tmp_path.chmod(0o555)

        with pytest.raises(LockError, match="cannot be written: permission denied"):
            change(path, lambda _: Lock())

        tmp_path.chmod(0o755)
        assert read(path) == accept(None)

    def test_changes_at_the_same_time_lose_nothing(self, tmp_path: Path) -> None:
        """Each waits for the others."""
        path = tmp_path / "answerprobe.lock"
        together = Barrier(8)

        def add(number: int) -> None:
            together.wait()
            key = Key("shop", f"case-{number}")
            change(path, lambda lock: (lock or Lock()).accept(key, "f1"))

        with ThreadPoolExecutor(8) as pool:
            list(pool.map(add, range(8)))

        assert len((read(path) or Lock()).entries) == 8
