import csv
import io

from dataclasses import replace

import pytest

from answerprobe.evidence import RunPage, RunQuery, summary
from answerprobe.monitor import AnswerStorage
from answerprobe.run import GradedBy, RunState, Trigger
from answerprobe.sample import (
    ErrorReason,
    Failure,
    Speaker,
    TokenRole,
    TokenUsage,
    ToolCall,
    ToolSource,
    Turn,
)
from answerprobe.shapes import SecondLookView
from answerprobe.verdict import Outcome, Verdict
from builders import NOW, monitor, run, sample_result
from web.serving import FakeEvidence, FakeFleet, World, said, serving, view


INSTANT = "2026-11-30T12:00:00.000Z"
RICH = replace(
    sample_result(Outcome.PASS),
    turns=(
        Turn(speaker=Speaker.USER, text="What about refund?"),
        Turn(
            speaker=Speaker.AGENT,
            text="Within 30 days.",
            tool_calls=(
                ToolCall(name="look_up", arguments={"a": 1}, source=ToolSource.AGENT),
            ),
        ),
    ),
    verdicts=(
        Verdict(
            criterion="contains", outcome=Outcome.PASS, reason="'30 days' is in it"
        ),
    ),
    judge=GradedBy(model="m-1", prompt_version="abc"),
    tokens={TokenRole.AGENT: TokenUsage(input_tokens=5, output_tokens=2)},
    first_token_seconds=0.25,
)

# What /v1/runs/{id} says of a run of RICH: all that a person looks at.
RICH_SHAPE: dict[str, object] = {
    "id": 1,
    "monitor": "shop",
    "trigger": "manual",
    "state": "completed",
    "progress": {"done": 1, "total": 1},
    "confirming": None,
    "exploratory": False,
    "exploratory_reason": None,
    "queued_at": INSTANT,
    "started_at": INSTANT,
    "finished_at": INSTANT,
    "pass_ratio": 1.0,
    "outcomes": {"pass": 1, "fail": 0, "error": 0, "not_judged": 0},
    "samples": [
        {
            "id": 1,
            "case": "refund",
            "outcome": "pass",
            "error_reason": None,
            "answer": "Within 30 days.",
            "transcript": [
                {
                    "role": "user",
                    "text": "What about refund?",
                    "tool_calls": [],
                },
                {
                    "role": "agent",
                    "text": "Within 30 days.",
                    "tool_calls": [
                        {
                            "name": "look_up",
                            "arguments": {"a": 1},
                            "result": None,
                            "error": None,
                            "source": "agent",
                        }
                    ],
                },
            ],
            "criteria": [
                {
                    "criterion": "contains",
                    "outcome": "pass",
                    "reason": "'30 days' is in it",
                }
            ],
            "judge": {"model": "m-1", "prompt_version": "abc"},
            "simulated_user": None,
            "tokens": {"agent": {"input": 5, "output": 2, "estimated": False}},
            "started_at": INSTANT,
            "first_token_seconds": 0.25,
            "duration_seconds": 1.0,
            "termination": None,
            "trace_id": "0" * 32,
        }
    ],
    "second_look": [],
}


class TestOneRun:
    async def test_it_has_its_shape(self) -> None:
        """Everything a person looks at, in the documented names."""
        world = World(evidence=FakeEvidence(kept={1: run([RICH])}))
        async with serving(world) as client:
            shape = await (await client.get("/v1/runs/1")).json()

        assert shape == RICH_SHAPE

    async def test_what_failed_says_how(self) -> None:
        """An error's reason is one of the closed set; no answer is null."""
        failed = replace(
            sample_result(Outcome.ERROR, answer=None),
            failure=Failure(reason=ErrorReason.TIMEOUT, detail="no answer in 20 s"),
        )
        world = World(evidence=FakeEvidence(kept={1: run([failed])}))
        async with serving(world) as client:
            shape = await (await client.get("/v1/runs/1")).json()

        (sample,) = shape["samples"]
        assert (sample["error_reason"], sample["answer"]) == ("timeout", None)
        assert shape["pass_ratio"] == 0

    async def test_one_that_goes_on_shows_how_far_it_is(self) -> None:
        """The scheduler knows more than the store; there is no ratio yet."""
        going = replace(
            run([]), state=RunState.RUNNING, total=9, done=0, finished_at=None
        )
        world = World(
            evidence=FakeEvidence(kept={1: going}), fleet=FakeFleet(progress={1: 4})
        )
        async with serving(world) as client:
            shape = await (await client.get("/v1/runs/1")).json()

        assert shape["progress"] == {"done": 4, "total": 9}
        assert (shape["state"], shape["pass_ratio"]) == ("running", None)
        assert shape["finished_at"] is None

    async def test_a_second_look_stands_apart(self) -> None:
        """Its samples have ids of their own, and are in no count."""
        failed, passed = sample_result(Outcome.FAIL), sample_result(Outcome.PASS)
        looked = run([failed], second_look=[passed])
        async with serving(World(evidence=FakeEvidence(kept={1: looked}))) as client:
            shape = await (await client.get("/v1/runs/1")).json()

        assert [(s["id"], s["outcome"]) for s in shape["samples"]] == [(1, "fail")]
        assert [(s["id"], s["outcome"]) for s in shape["second_look"]] == [(2, "pass")]
        assert shape["pass_ratio"] == 0
        assert shape["outcomes"]["pass"] == 0

    async def test_one_that_waits_for_its_second_look_says_until_when(self) -> None:
        """Beside how far it is, which stays that of the first look."""
        going = replace(run([]), state=RunState.RUNNING, total=3, finished_at=None)
        look = SecondLookView(at=NOW, done=1, total=3)
        fleet = FakeFleet(progress={1: 3}, looks={1: look})
        world = World(evidence=FakeEvidence(kept={1: going}), fleet=fleet)
        async with serving(world) as client:
            shape = await (await client.get("/v1/runs/1")).json()

        assert shape["progress"] == {"done": 3, "total": 3}
        assert shape["confirming"] == {"at": INSTANT, "done": 1, "total": 3}

    async def test_a_dry_run_says_why_it_does_not_count(self) -> None:
        """Exploratory, and for what reason."""
        dry = run([RICH], trigger=Trigger.DRY_RUN)
        async with serving(World(evidence=FakeEvidence(kept={1: dry}))) as client:
            shape = await (await client.get("/v1/runs/1")).json()

        assert (shape["exploratory"], shape["exploratory_reason"]) == (True, "dry run")

    async def test_answers_none_shows_nothing_that_was_kept_before(self) -> None:
        """Once it is configured, older runs lose their words too."""
        silent = replace(monitor(), answers=AnswerStorage.NONE)
        world = World(
            evidence=FakeEvidence(kept={1: run([RICH])}),
            fleet=FakeFleet(views={"shop": view(monitor=silent)}),
        )
        async with serving(world) as client:
            response = await client.get("/v1/runs/1")

            assert "Within" not in await response.text()
            assert (await response.json())["samples"][0]["answer"] is None

    async def test_many_samples_are_all_there(self) -> None:
        """A body of several pieces is still one JSON document."""
        long = replace(RICH, answer="x" * 2_000)
        world = World(evidence=FakeEvidence(kept={1: run([long] * 100)}))
        async with serving(world) as client:
            shape = await (await client.get("/v1/runs/1")).json()

        assert [sample["id"] for sample in shape["samples"]] == list(range(1, 101))

    @pytest.mark.parametrize(
        "run_id",
        [
            pytest.param("2", id="unknown"),
            pytest.param("abc", id="word"),
            pytest.param("-1", id="negative"),
            pytest.param("1e3", id="exponent"),
            pytest.param("%D9%A1", id="arabic-digit"),
            pytest.param("9223372036854775808", id="one-too-many"),
            pytest.param("9" * 40, id="endless"),
        ],
    )
    async def test_an_odd_id_is_404(self, run_id: str) -> None:
        """And never reaches the store as something it cannot hold."""
        world = World()
        async with serving(world) as client:
            response = await client.get(f"/v1/runs/{run_id}")

            assert response.status == 404
            assert len(await said(response)) < 200
        assert world.internal_errors == 0


class TestCsv:
    async def test_it_is_a_file_for_a_spreadsheet(self) -> None:
        """A row for each sample, under a name of its own."""
        world = World(evidence=FakeEvidence(kept={17: run([RICH, RICH], run_id=17)}))
        async with serving(world) as client:
            response = await client.get("/v1/runs/17.csv")
            text = await response.text()

        assert response.headers["Content-Type"] == "text/csv; charset=utf-8"
        assert "run-17.csv" in response.headers["Content-Disposition"]
        assert [row["answer"] for row in csv.DictReader(io.StringIO(text))] == [
            "Within 30 days."
        ] * 2

    async def test_a_big_run_is_whole(self) -> None:
        """However it is written."""
        world = World(evidence=FakeEvidence(kept={1: run([RICH] * 1000)}))
        async with serving(world) as client:
            text = await (await client.get("/v1/runs/1.csv")).text()

        assert len(list(csv.reader(io.StringIO(text)))) == 1001

    async def test_answers_none_shows_nothing_that_was_kept_before(self) -> None:
        """Neither of a big run."""
        silent = replace(monitor(), answers=AnswerStorage.NONE)
        world = World(
            evidence=FakeEvidence(kept={1: run([RICH] * 101)}),
            fleet=FakeFleet(views={"shop": view(monitor=silent)}),
        )
        async with serving(world) as client:
            assert "Within" not in await (await client.get("/v1/runs/1.csv")).text()

    @pytest.mark.parametrize("run_id", ["2", "abc", "9" * 40], ids=len)
    async def test_an_odd_id_is_404(self, run_id: str) -> None:
        """With a reason in JSON."""
        async with serving(World()) as client:
            response = await client.get(f"/v1/runs/{run_id}.csv")

            assert (response.status, run_id[:9] in await said(response)) == (404, True)


class TestListing:
    async def test_summaries_come_with_the_next_page(self) -> None:
        """Without samples, and with where to go on."""
        page = RunPage(runs=(summary(run([RICH], run_id=8)),), next=8)
        async with serving(World(evidence=FakeEvidence(page=page))) as client:
            shape = await (await client.get("/v1/runs")).json()

        assert shape["next"] == 8
        assert [one["id"] for one in shape["runs"]] == [8]
        assert "samples" not in shape["runs"][0]

    async def test_nothing_is_an_empty_list(self) -> None:
        """Not null, and no next page."""
        async with serving(World()) as client:
            shape = await (await client.get("/v1/runs")).json()

        assert shape == {"next": None, "runs": []}

    async def test_a_queued_run_has_not_started(self) -> None:
        """Its instants are null."""
        waiting = replace(
            run([]), state=RunState.QUEUED, started_at=None, finished_at=None, total=3
        )
        page = RunPage(runs=(summary(waiting),), next=None)
        async with serving(World(evidence=FakeEvidence(page=page))) as client:
            (shape,) = (await (await client.get("/v1/runs")).json())["runs"]

        assert (shape["state"], shape["started_at"]) == ("queued", None)
        assert shape["queued_at"] == INSTANT

    @pytest.mark.parametrize(
        ("query", "wanted"),
        [
            pytest.param("", RunQuery(limit=100), id="all"),
            pytest.param(
                "monitor=sales%2Feu%20%23%201&trigger=dry_run&outcome=fail"
                "&before=70&limit=5",
                RunQuery(
                    monitor="sales/eu # 1",
                    trigger=Trigger.DRY_RUN,
                    outcome=Outcome.FAIL,
                    before=70,
                    limit=5,
                ),
                id="everything",
            ),
        ],
    )
    async def test_a_query_is_understood(self, query: str, wanted: RunQuery) -> None:
        """Each parameter narrows what is listed."""
        world = World()
        async with serving(world) as client:
            assert (await client.get(f"/v1/runs?{query}")).status == 200

        assert world.evidence.queries == [wanted]

    @pytest.mark.parametrize(
        "query",
        [
            pytest.param("limit=many", id="limit-word"),
            pytest.param("limit=-1", id="limit-negative"),
            pytest.param("limit=0", id="limit-zero"),
            pytest.param("limit=1001", id="limit-above"),
            pytest.param("limit=1&limit=2", id="limit-twice"),
            pytest.param("before=yesterday", id="before-word"),
            pytest.param("before=" + "0" * 19 + "5" + "9" * 5000, id="before-endless"),
            pytest.param("before=9223372036854775808", id="before-above"),
            pytest.param("outcome=maybe", id="outcome"),
            pytest.param("trigger=cron", id="trigger"),
            pytest.param("monitor=%00", id="monitor-nul"),
            pytest.param("page=2", id="unknown-key"),
        ],
    )
    async def test_an_odd_query_is_400_and_names_the_parameter(
        self, query: str
    ) -> None:
        """Nothing is ignored in silence."""
        world = World()
        async with serving(world) as client:
            response = await client.get(f"/v1/runs?{query}")

            message = await said(response)
            assert response.status == 400
            assert query.partition("=")[0] in message
            assert len(message) < 300
        assert world.evidence.queries == []
        assert world.internal_errors == 0
