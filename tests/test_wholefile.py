"""A file written as a whole or not at all."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

from answerprobe.wholefile import write_whole


class TestWriteWhole:
    """What is there is replaced in one step."""

    def test_nothing_else_is_left_there(self, tmp_path: Path) -> None:
        """Also where a crash left a half."""
        (tmp_path / ".a.yml.new").write_bytes(b"half of something longer")
        write_whole(tmp_path / "a.yml", b"whole")

        assert [path.name for path in tmp_path.iterdir()] == ["a.yml"]
        assert (tmp_path / "a.yml").read_bytes() == b"whole"

    def test_a_new_one_has_the_mode_of_any_new_file(self, tmp_path: Path) -> None:
        """As the umask says."""
        write_whole(tmp_path / "a.yml", b"whole")
        (tmp_path / "b.yml").write_bytes(b"plain")

        modes = {path.stat().st_mode for path in tmp_path.iterdir()}
        assert len(modes) == 1

    def test_what_cannot_be_replaced_stays(self, tmp_path: Path) -> None:
        """And nothing is left beside it."""
        (tmp_path / "a.yml").mkdir()
        with pytest.raises(OSError, match="directory"):
            write_whole(tmp_path / "a.yml", b"whole")

        assert [path.name for path in tmp_path.iterdir()] == ["a.yml"]

    def test_several_at_once_write_one_after_the_other(self, tmp_path: Path) -> None:
        """What is there in the end is one of them, whole."""
        together = Barrier(8)
        contents = [str(number).encode() * 100_000 for number in range(8)]

        def write(content: bytes) -> None:
            together.wait()
            write_whole(tmp_path / "a.yml", content)

        with ThreadPoolExecutor(8) as pool:
            list(pool.map(write, contents))

        assert (tmp_path / "a.yml").read_bytes() in contents
