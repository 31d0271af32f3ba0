from dataclasses import replace

import pytest

from answerprobe.case import CaseState
from answerprobe.estimate import Bounded, Estimate
from answerprobe.run import RunRequest, Trigger
from builders import case, monitor
from web.serving import FakeEstimator, FakeFleet, World, said, serving, view


class TestEstimate:
    async def test_it_has_its_shape(self) -> None:
        """Tokens are whole, what nothing bounds is null."""
        found = Estimate(
            samples=3,
            tokens=Bounded(expected=300.4, at_most=None),
            dollars=Bounded(expected=0.25, at_most=1.5),
            seconds_expected=2.5,
            budget_left=5000,
        )
        async with serving(World(estimator=FakeEstimator(found=found))) as client:
            shape = await (await client.get("/v1/monitors/shop/estimate")).json()

        assert shape == {
            "samples": 3,
            "tokens": {"expected": 300, "at_most": None},
            "dollars": {"expected": 0.25, "at_most": 1.5},
            "seconds_expected": 2.5,
            "budget_left": 5000,
        }

    async def test_cases_and_samples_can_be_chosen(self) -> None:
        """As in the run that would be asked for; and nothing runs."""
        world = World()
        async with serving(world) as client:
            await client.get(
                "/v1/monitors/shop/estimate?case=refund&samples=20&dry_run=true"
            )

        assert world.estimator.asked == [
            RunRequest(
                monitor="shop",
                trigger=Trigger.DRY_RUN,
                case_ids=("refund",),
                samples=20,
            )
        ]
        assert world.fleet.untouched

    @pytest.mark.parametrize(
        ("path", "status", "words"),
        [
            pytest.param("no/estimate", 404, "'no'", id="monitor"),
            pytest.param("shop/estimate?case=no", 404, "'no'", id="case"),
            pytest.param("shop/estimate?samples=0", 400, "samples", id="zero"),
            pytest.param("shop/estimate?samples=201", 400, "samples", id="too-many"),
            pytest.param("shop/estimate?dry_run=2", 400, "dry_run", id="dry-run"),
            pytest.param("shop/estimate?runs=1", 400, "runs", id="unknown"),
        ],
    )
    async def test_bad_queries_are_refused_with_the_reason(
        self, path: str, status: int, words: str
    ) -> None:
        """Naming what is wrong."""
        async with serving(World()) as client:
            response = await client.get(f"/v1/monitors/{path}")

            assert response.status == status
            assert words in await said(response)

    async def test_a_draft_runs_in_dry_runs_only(self) -> None:
        """It is refused as the run itself would be."""
        draft = replace(case("new"), state=CaseState.DRAFT)
        with_draft = replace(monitor(), uncounted=(draft,))
        world = World(fleet=FakeFleet(views={"shop": view(monitor=with_draft)}))
        async with serving(world) as client:
            path = "/v1/monitors/shop/estimate?case=new"
            response = await client.get(path)

            assert response.status == 409
            assert "draft" in await said(response)
            assert (await client.get(f"{path}&dry_run=true")).status == 200
