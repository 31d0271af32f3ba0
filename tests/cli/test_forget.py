import asyncio

from pathlib import Path

import pytest

from answerprobe.evidence import FinishedRun, Forgotten, Store
from answerprobe.verdict import Outcome
from builders import NOW, run, sample_result
from cli.calling import call, write


@pytest.fixture
def url(tmp_path: Path) -> str:
    """Return where a run of `shop` with three samples of two cases is stored."""
    place = f"sqlite:///{tmp_path}/kept.db"
    asyncio.run(_keep(place))
    return place


async def _opened(place: str, *, exclusive: bool = False) -> Store:
    return await Store.open(place, exclusive=exclusive, clock=lambda: NOW)


async def _keep(place: str) -> None:
    store = await _opened(place)
    ids = ("refund", "refund", "hours")
    whole = run([sample_result(Outcome.PASS, case_id=case) for case in ids])
    run_id = await store.begin(whole.request, started_at=NOW, total=3)
    assert run_id == whole.id
    await store.finish(FinishedRun(run=whole))
    await store.close()


def left(place: str) -> Forgotten:
    """Return what is still stored of `shop`."""

    async def count() -> Forgotten:
        store = await _opened(place)
        try:
            return await store.count_forget("shop")
        finally:
            await store.close()

    return asyncio.run(count())


class TestForget:
    def test_it_names_the_numbers_and_deletes(self, tmp_path: Path, url: str) -> None:
        """After asking."""
        flags = ["--monitor=shop", f"--storage.url={url}"]
        result = call("forget", write(tmp_path), *flags, typed="y\n")

        assert result.exit_code == 0
        assert "Delete 1 run and 3 samples of monitor 'shop'?" in result.stderr
        assert result.stdout.endswith("deleted 1 run and 3 samples of monitor 'shop'\n")
        assert left(url) == Forgotten(runs=0, samples=0)

    @pytest.mark.parametrize("typed", ["n\n", "\n", ""], ids=["no", "enter", "closed"])
    def test_anything_but_yes_deletes_nothing(
        self, tmp_path: Path, url: str, typed: str
    ) -> None:
        """A closed standard input means no."""
        flags = ["--monitor=shop", f"--storage.url={url}"]
        result = call("forget", write(tmp_path), *flags, typed=typed)

        assert result.exit_code == 2
        assert result.stderr.endswith("nothing was deleted\n")
        assert left(url) == Forgotten(runs=1, samples=3)

    def test_yes_asks_nothing(self, tmp_path: Path, url: str) -> None:
        """For scripts; one case leaves the others."""
        flags = ["--monitor=shop", "--case=hours", "--yes", f"--storage.url={url}"]
        result = call("forget", write(tmp_path), *flags)

        assert result.exit_code == 0
        assert "?" not in result.output
        assert left(url).samples == 2

    @pytest.mark.parametrize(
        "flags",
        [
            pytest.param(["--monitor=nope"], id="monitor"),
            pytest.param(["--monitor=shop", "--case=nope"], id="case"),
        ],
    )
    def test_it_is_refused_where_nothing_is(
        self, tmp_path: Path, url: str, flags: list[str]
    ) -> None:
        """A slip of the pen must not look like success."""
        result = call(
            "forget", write(tmp_path), *flags, "--yes", f"--storage.url={url}"
        )

        assert result.exit_code == 2
        assert result.stderr.startswith("nothing is stored of monitor ")
        assert left(url) == Forgotten(runs=1, samples=3)

    def test_no_store_is_made_to_look_into(self, tmp_path: Path) -> None:
        """A wrong URL leaves no empty file behind."""
        missing = tmp_path / "missing.db"
        flags = ["--monitor=shop", f"--storage.url=sqlite:///{missing}"]
        result = call("forget", write(tmp_path), *flags)

        assert result.exit_code == 2
        assert result.stderr == f"there is no store at {missing}\n"
        assert not missing.exists()

    def test_a_daemon_may_be_using_the_store(self, tmp_path: Path, url: str) -> None:
        """It shares the file."""

        async def beside_a_daemon() -> int:
            store = await _opened(url, exclusive=True)
            try:
                flags = ["--monitor=shop", "--yes", f"--storage.url={url}"]
                done = await asyncio.to_thread(call, "forget", write(tmp_path), *flags)
                return done.exit_code
            finally:
                await store.close()

        assert asyncio.run(beside_a_daemon()) == 0
