from dataclasses import replace

import pytest

from answerprobe.case import CaseState
from answerprobe.errors import RequestError
from answerprobe.monitor import Monitor
from answerprobe.run import DeployRequest, RunRequest, RunState, Trigger
from answerprobe.scheduler import Queued
from builders import NOW, case, monitor
from scheduler.conducting import Stage
from scripted import until


DRAFT = replace(case("tone"), state=CaseState.DRAFT)
RETIRED = replace(case("old"), state=CaseState.RETIRED, reason="moved")
SHOP = replace(monitor(), uncounted=(DRAFT, RETIRED))
ONLY_DRAFTS = replace(monitor(), cases=(), uncounted=(DRAFT,))


def asked(stage: Stage) -> set[str]:
    return {sample.case_id for sample in stage.journal.finished[-1].run.samples}


class TestRequests:
    async def test_a_run_by_hand_leaves_drafts_out(self) -> None:
        """It counts, and they do not."""
        stage = Stage()
        await stage.watch(SHOP)

        await stage.scheduler.start_run(
            RunRequest(monitor="shop", trigger=Trigger.MANUAL)
        )
        await until(lambda: stage.journal.finished)

        assert asked(stage) == {"refund"}

    async def test_a_dry_run_asks_drafts_and_no_retired_case(self) -> None:
        """That is how a draft is tried."""
        stage = Stage()
        await stage.watch(SHOP)

        await stage.scheduler.start_run(
            RunRequest(monitor="shop", trigger=Trigger.DRY_RUN)
        )
        await until(lambda: stage.journal.finished)

        assert asked(stage) == {"refund", "tone"}
        assert stage.journal.finished[-1].run.total == 6

    @pytest.mark.parametrize(
        ("watched", "trigger", "cases", "says"),
        [
            pytest.param(SHOP, Trigger.MANUAL, ("tone",), "is a draft", id="draft"),
            pytest.param(SHOP, Trigger.DRY_RUN, ("old",), "is retired", id="retired"),
            pytest.param(
                ONLY_DRAFTS, Trigger.MANUAL, None, "a dry run asks drafts", id="all"
            ),
        ],
    )
    async def test_what_cannot_run_like_this_is_refused(
        self,
        watched: Monitor,
        trigger: Trigger,
        cases: tuple[str, ...] | None,
        says: str,
    ) -> None:
        """With the reason; the caller did not ask for nothing."""
        stage = Stage()
        await stage.watch(watched)

        with pytest.raises(RequestError, match=says) as refused:
            await stage.scheduler.start_run(
                RunRequest(monitor="shop", trigger=trigger, case_ids=cases)
            )

        assert refused.value.status == 409

    async def test_a_promised_run_of_what_is_a_draft_now_is_interrupted(self) -> None:
        """It never becomes a run of nothing that passes."""
        stage = Stage()
        await stage.watch(ONLY_DRAFTS)
        request = RunRequest(monitor="shop", trigger=Trigger.MANUAL)

        await stage.scheduler.requeue([Queued(id=7, request=request, queued_at=NOW)])

        assert [each.run.state for each in stage.journal.finished] == [
            RunState.INTERRUPTED
        ]

    async def test_a_deploy_runs_no_monitor_of_drafts_alone(self) -> None:
        """It learns of the version all the same."""
        stage = Stage()
        await stage.watch(ONLY_DRAFTS)

        assert not await stage.scheduler.deploy(DeployRequest(version="v2"))
        assert stage.board.versions == {"shop": "v2"}
