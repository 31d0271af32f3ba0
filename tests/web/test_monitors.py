from dataclasses import replace
from urllib.parse import quote

import pytest

from answerprobe.evidence import CaseAnswers, summary
from answerprobe.monitor import AnswerStorage
from answerprobe.run import Decision
from answerprobe.shapes import BudgetView
from answerprobe.status import CaseStatus, Cause, Health, MonitorStatus, Pause
from answerprobe.verdict import Outcome
from builders import NOW, case, monitor, run, sample_result
from web.serving import FakeEvidence, FakeFleet, World, said, serving, view


INSTANT = "2026-11-30T12:00:00.000Z"
FAILING = MonitorStatus(
    cases={
        "refund": CaseStatus(
            fingerprint="f1",
            decision=Decision.FAILING,
            window=(True, True, True, False),
            regressed=Cause.AGENT,
        )
    }
)
ANSWERS = FakeEvidence(
    said={
        "refund": CaseAnswers(
            newest=sample_result(Outcome.FAIL, answer="Sixty."),
            good=sample_result(Outcome.PASS, answer="30 days."),
        )
    }
)


class TestShape:
    async def test_one_that_never_ran(self) -> None:
        """Everything is there, what nobody knows is null."""
        async with serving(World()) as client:
            shape = await (await client.get("/v1/monitors/shop")).json()

        assert shape == {
            "name": "shop",
            "protocol": "chat",
            "labels": {},
            "status": "unknown",
            "paused": None,
            "target": 0.9,
            "interval_seconds": None,
            "next_run_at": None,
            "last_run": None,
            "budget": None,
            "last_deploy": None,
            "cases": [
                {
                    "id": "refund",
                    "ask": "What about refund?",
                    "state": "accepted",
                    "reason": None,
                    "replaced_by": None,
                    "passing": None,
                    "pass_ratio": None,
                    "lower_bound": None,
                    "window_samples": 0,
                    "regressed": None,
                    "answer": None,
                    "last_good_answer": None,
                }
            ],
        }

    async def test_one_that_fails_shows_both_answers(self) -> None:
        """What its runs say, and the new answer beside the last good one."""
        stands = view(
            monitor=monitor(every_seconds=3600.0, labels={"team": "x"}),
            status=FAILING,
            health=Health.PAUSED,
            pause=Pause.BUDGET,
            next_run_at=NOW,
            last_run=summary(run([sample_result(Outcome.FAIL)], run_id=4)),
            budget=BudgetView(limit_tokens=500, used_tokens=480, reset_at=NOW),
        )
        world = World(fleet=FakeFleet(views={"shop": stands}), evidence=ANSWERS)
        async with serving(world) as client:
            shape = await (await client.get("/v1/monitors/shop")).json()

        (one,) = shape["cases"]
        assert (one["passing"], one["regressed"]) == (False, "agent")
        assert (one["pass_ratio"], one["window_samples"]) == (0.75, 4)
        assert 0.2 < one["lower_bound"] < 0.5
        assert (one["answer"], one["last_good_answer"]) == ("Sixty.", "30 days.")
        assert (shape["status"], shape["paused"]) == ("paused", "budget")
        assert (shape["interval_seconds"], shape["labels"]) == (3600.0, {"team": "x"})
        assert shape["next_run_at"] == INSTANT
        assert shape["budget"] == {"limit": 500, "used": 480, "reset_at": INSTANT}
        assert (shape["last_run"]["id"], "samples" in shape["last_run"]) == (4, False)

    async def test_a_changed_case_starts_anew(self) -> None:
        """What an earlier definition did says nothing of this one."""
        changed = monitor(cases=[case(fingerprint="f2")])
        stands = view(monitor=changed, status=FAILING)
        async with serving(World(fleet=FakeFleet(views={"shop": stands}))) as client:
            shape = await (await client.get("/v1/monitors/shop")).json()

        assert shape["cases"][0]["passing"] is None
        assert shape["cases"][0]["window_samples"] == 0


class TestAnswers:
    async def test_those_of_all_monitors_are_asked_for_at_once(self) -> None:
        """The evidence is looked into once, however many monitors there are."""
        names = [f"m{n}" for n in range(50)]
        views = {n: view(monitor=monitor(n), status=FAILING) for n in names}
        world = World(fleet=FakeFleet(views=views), evidence=replace(ANSWERS, asked=[]))
        async with serving(world) as client:
            shape = await (await client.get("/v1/monitors")).json()

        assert world.evidence.asked == [{n: {"refund": "f1"} for n in names}]
        assert {m["cases"][0]["answer"] for m in shape["monitors"]} == {"Sixty."}

    async def test_none_are_shown_with_answers_none(self) -> None:
        """Also those that were kept before."""
        silent = view(
            monitor=replace(monitor(), answers=AnswerStorage.NONE), status=FAILING
        )
        world = World(fleet=FakeFleet(views={"shop": silent}), evidence=ANSWERS)
        async with serving(world) as client:
            response = await client.get("/v1/monitors/shop")

            assert "Sixty." not in await response.text()
            assert "30 days." not in await response.text()

    async def test_status_is_shown_while_the_store_is_down(self) -> None:
        """How the monitor is comes from memory; only the answers are missing."""
        world = World(
            fleet=FakeFleet(views={"shop": view(status=FAILING)}),
            evidence=FakeEvidence(down=True),
        )
        async with serving(world) as client:
            response = await client.get("/v1/monitors")

            (shape,) = (await response.json())["monitors"]
            assert response.status == 200
            assert (shape["cases"][0]["passing"], shape["cases"][0]["answer"]) == (
                False,
                None,
            )


class TestNames:
    async def test_all_are_listed_in_the_fleets_order(self) -> None:
        """Whatever they are called."""
        names = ["b", "a", "日本語 💬"]
        world = World(fleet=FakeFleet(views={name: view(name) for name in names}))
        async with serving(world) as client:
            shape = await (await client.get("/v1/monitors")).json()

        assert [one["name"] for one in shape["monitors"]] == names

    @pytest.mark.parametrize(
        "name",
        [
            'Überprüfung "Retouren"',
            "sales/eu",
            "50% off? #1 & <b>more</b>",
            "日本語 💬",
            "a%2Fb+c",
            "back\\slash'quote",
            "...",
            "é" * 100,
        ],
        ids=ascii,
    )
    async def test_any_printable_name_works_in_a_path(self, name: str) -> None:
        """For reading and for posting."""
        world = World(fleet=FakeFleet(views={name: view(name)}))
        path = f"/v1/monitors/{quote(name, safe='')}"
        async with serving(world) as client:
            shown = await client.get(path)
            posted = await client.post(f"{path}/runs")

            assert (await shown.json())["name"] == name
            assert posted.status == 202
        assert world.fleet.ordered[0].monitor == name

    @pytest.mark.parametrize("name", ["nope", "Shop", "%00", "%FF%FE"])
    async def test_an_unknown_one_is_404(self, name: str) -> None:
        """As JSON, with its name."""
        async with serving(World()) as client:
            response = await client.get(f"/v1/monitors/{name}")

            assert response.status == 404
            assert "there is no monitor" in await said(response)
