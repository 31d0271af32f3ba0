import asyncio

from dataclasses import replace

import pytest

from answerprobe.comparison import Experiment, Setup, compare
from answerprobe.run import RunState
from answerprobe.verdict import Outcome, Verdict
from builders import NOW, sample_result
from comparing import compared_case, plan
from web.serving import FakeExperiments, World, said, serving


INSTANT = "2026-11-30T12:00:00.000Z"


def experiment(number: int = 3) -> Experiment:
    """Return an experiment of two samples: one passes, one was never judged."""
    planned = plan(compared_case(), samples=1)
    verdict = Verdict(criterion="contains", outcome=Outcome.PASS, reason="")
    sample = replace(sample_result(Outcome.PASS), verdicts=(verdict,))
    return Experiment(
        id=number,
        epoch=1,
        plan=planned,
        state=RunState.INTERRUPTED,
        started_at=NOW,
        finished_at=NOW,
        run_ids={Setup.CURRENT: 11, Setup.CHANGED: 12},
        done=1,
        comparison=compare(planned, {Setup.CURRENT: [sample]}),
    )


class TestOneExperiment:
    async def test_it_has_its_shape(self) -> None:
        """As the command line prints it."""
        world = World(experiments=FakeExperiments(kept={3: experiment()}))
        async with serving(world) as client:
            found = await (await client.get("/v1/experiments/3")).json()

        assert found == {
            "id": 3,
            "monitor": "shop",
            "exploratory": True,
            "exploratory_reason": "model: a → b",
            "state": "interrupted",
            "progress": {"done": 1, "total": 2},
            "started_at": INSTANT,
            "finished_at": INSTANT,
            "runs": 1,
            "cases": ["refund"],
            "setups": {
                "current": {"run": 11},
                "changed": {"run": 12, "set": {"model": "b"}},
            },
            "criteria": [
                {
                    "case": "refund",
                    "criterion": "contains",
                    "current": {"passed": 1, "judged": 1},
                    "changed": {"passed": 0, "judged": 0},
                    "difference": None,
                    "interval": None,
                    "result": "no_detectable_difference",
                    "runs_to_separate": None,
                },
                {
                    "case": "refund",
                    "criterion": "answered",
                    "current": {"passed": 0, "judged": 1},
                    "changed": {"passed": 0, "judged": 0},
                    "difference": None,
                    "interval": None,
                    "result": "no_detectable_difference",
                    "runs_to_separate": None,
                },
            ],
            "expected_by_chance": 0.0,
            "cost": {
                "current": {"dollars": 0, "unpriced": [], "tokens": {}},
                "changed": {"dollars": 0, "unpriced": [], "tokens": {}},
            },
            "duration": {"current": 1.0, "changed": None},
            "duration_p95": {"current": 1.0, "changed": None},
        }

    @pytest.mark.parametrize("path", ["/v1/experiments/3", "/v1/experiments"])
    async def test_others_are_served_while_a_large_one_is_made(self, path: str) -> None:
        """However many cases it has."""
        planned = plan(*(compared_case(f"c{number}") for number in range(3_000)))
        large = replace(experiment(), plan=planned, comparison=compare(planned, {}))
        world = World(experiments=FakeExperiments(kept={3: large}))
        async with serving(world) as client:
            async with asyncio.TaskGroup() as group:
                asking = group.create_task(client.get(path))
                served = 0
                while not asking.done():
                    (await client.get("/-/healthy")).close()
                    served += 1
            found = await asking.result().json()

        (made,) = found.get("experiments", [found])
        assert len(made["criteria"]) == 6_000
        assert served > 2

    @pytest.mark.parametrize(
        "number",
        [
            pytest.param("4", id="none"),
            pytest.param("abc", id="word"),
            pytest.param("9" * 40, id="huge"),
        ],
    )
    async def test_one_that_is_not_there_is_404(self, number: str) -> None:
        """Whatever stands for its number."""
        async with serving(World()) as client:
            response = await client.get(f"/v1/experiments/{number}")

            assert response.status == 404
            assert "there is no experiment" in await said(response)


class TestListing:
    async def test_they_are_listed_in_their_shape(self) -> None:
        """A page at a time."""
        experiments = FakeExperiments(kept={3: experiment()})
        async with serving(World(experiments=experiments)) as client:
            response = await client.get("/v1/experiments?before=9&limit=5")
            found = await response.json()

        assert [each["id"] for each in found["experiments"]] == [3]
        assert found["next"] is None
        assert experiments.asked == [(9, 5)]

    @pytest.mark.parametrize(
        ("query", "names"),
        [
            pytest.param("limit=0", "limit", id="limit"),
            pytest.param("before=x", "before", id="before"),
            pytest.param("monitor=shop", "monitor", id="unknown"),
            pytest.param("limit=1&limit=2", "limit", id="twice"),
        ],
    )
    async def test_a_bad_query_is_400(self, query: str, names: str) -> None:
        """The message names the parameter."""
        async with serving(World()) as client:
            response = await client.get(f"/v1/experiments?{query}")

            assert response.status == 400
            assert names in await said(response)
