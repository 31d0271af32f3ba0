"""What others did to a monitor while a run of it goes on here."""

import asyncio

from datetime import timedelta

import pytest

from answerprobe.evidence import StoredMonitor, Told
from answerprobe.run import RunRequest, Trigger
from answerprobe.status import MonitorStatus
from builders import monitor
from scheduler.conducting import Stage
from scripted import until


_SHOP = monitor("shop")
_MANUAL = RunRequest(monitor="shop", trigger=Trigger.MANUAL)
_THEIRS = MonitorStatus(up=False, runs_down=3, last_run_id=9)


class TestRunHere:
    """A run that was begun here, and a state that is newer than what is known."""

    @pytest.mark.parametrize(
        ("epochs", "shown"),
        [
            pytest.param(0, MonitorStatus(), id="claim is ours: our run decides"),
            pytest.param(2, _THEIRS, id="claim is lost: theirs is what there is"),
        ],
    )
    async def test_is_shown_until_its_claim_is_lost(
        self, epochs: int, shown: MonitorStatus
    ) -> None:
        """After a freeze the store has what another replica found meanwhile."""
        stage = Stage()
        await stage.watch(_SHOP)
        gate = stage.target("shop").gate = asyncio.Event()
        await stage.scheduler.start_run(_MANUAL)
        await until(lambda: stage.target("shop").busy)
        watch = stage.scheduler.watches["shop"]
        state = StoredMonitor(
            first_seen=stage.clock() - timedelta(days=1),
            definition=_SHOP.definition,
            status=_THEIRS,
            revision=watch.revision + 2,
            epoch=watch.epoch + epochs,
        )

        await stage.scheduler.follow(
            "shop", Told(state=state, last_run=None, spent_tokens=0)
        )

        found = stage.board.shown["shop"]
        gate.set()
        await stage.scheduler.drain(5)
        assert found.runs_down == shown.runs_down
