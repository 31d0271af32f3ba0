import json

import pytest

from answerprobe.errors import RequestError
from answerprobe.run import DeployRequest, RunRequest, Trigger
from answerprobe.status import Pause
from web.serving import FakeFleet, World, said, serving, view


DEPLOYS = "/v1/deploys"
RUNS = "/v1/monitors/shop/runs"
LONG = "x" * 5_000


def written(**body: object) -> bytes:
    """Return *body* as JSON."""
    return json.dumps(body).encode()


class TestBadBodies:
    @pytest.mark.parametrize(
        ("path", "body", "says"),
        [
            pytest.param(DEPLOYS, b"{", "not JSON", id="not-json"),
            pytest.param(DEPLOYS, b"[]", "object", id="list"),
            pytest.param(RUNS, b'"x"', "object", id="text"),
            pytest.param(DEPLOYS, b"[" * 100_000, "not JSON", id="nested"),
            pytest.param(DEPLOYS, b'{"version": "\xff"}', "UTF-8", id="not-utf8"),
            pytest.param(
                DEPLOYS, b'{"version": "1", "version": "2"}', "twice", id="key-twice"
            ),
            pytest.param(
                RUNS, b'{"samples": %s}' % (b"9" * 5_000), "JSON", id="digits"
            ),
            pytest.param(DEPLOYS, b"", "version", id="deploy-empty"),
            pytest.param(DEPLOYS, written(version=""), "version", id="blank-version"),
            pytest.param(DEPLOYS, written(version=["1"]), "version", id="version-list"),
            pytest.param(DEPLOYS, written(version=LONG), "version", id="long-version"),
            pytest.param(
                DEPLOYS, written(version="a\nb"), "version", id="version-of-two-lines"
            ),
            pytest.param(
                DEPLOYS, written(version="1", monitors="shop"), "monitors", id="name"
            ),
            pytest.param(
                DEPLOYS, written(version="1", monitors=[]), "monitors", id="no-names"
            ),
            pytest.param(
                DEPLOYS, written(version="1", labels=["a"]), "labels", id="labels-list"
            ),
            pytest.param(
                DEPLOYS, written(version="1", labels={"a": 1}), "labels", id="number"
            ),
            pytest.param(
                DEPLOYS, written(version="1", delay="soon"), "delay", id="delay-word"
            ),
            pytest.param(
                DEPLOYS, written(version="1", delay="-5s"), "delay", id="delay-past"
            ),
            pytest.param(
                DEPLOYS, written(version="1", delay="8d"), "delay", id="delay-long"
            ),
            pytest.param(
                DEPLOYS, written(version="1", monitor="a"), "monitor", id="deploy-key"
            ),
            pytest.param(RUNS, written(cases="refund"), "cases", id="cases-text"),
            pytest.param(RUNS, written(cases=[]), "cases", id="no-cases"),
            pytest.param(RUNS, written(cases=[1]), "cases", id="case-number"),
            pytest.param(RUNS, written(dry_run="yes"), "dry_run", id="dry-run-text"),
            pytest.param(RUNS, written(samples=0), "samples", id="no-samples"),
            pytest.param(RUNS, written(samples=201), "samples", id="many-samples"),
            pytest.param(RUNS, written(samples=True), "samples", id="samples-true"),
            pytest.param(RUNS, written(samples=2.5), "samples", id="samples-fraction"),
            pytest.param(RUNS, b'{"samples": NaN}', "samples", id="samples-nan"),
            pytest.param(RUNS, written(dryrun=True), "dryrun", id="run-key"),
        ],
    )
    async def test_they_are_400_and_do_nothing(
        self, path: str, body: bytes, says: str
    ) -> None:
        """The message says what is wrong and doesn't repeat it all."""
        world = World()
        async with serving(world) as client:
            response = await client.post(path, data=body)

            message = await said(response)
            assert response.status == 400
            assert says in message
            assert len(message) < 300
        assert world.fleet.untouched

    @pytest.mark.parametrize(
        ("path", "body"),
        [
            pytest.param(f"{RUNS}?samples=1", b"", id="run-key"),
            pytest.param(f"{RUNS}?samples=1", written(samples=2), id="with-a-body"),
            pytest.param(f"{RUNS}?now", b"", id="run-unknown"),
            pytest.param(f"{DEPLOYS}?delay=1h", written(version="1"), id="deploy-key"),
        ],
    )
    async def test_what_stands_in_the_query_instead_is_400(
        self, path: str, body: bytes
    ) -> None:
        """Rather than to run, and pay for, something else than was meant."""
        world = World()
        async with serving(world) as client:
            response = await client.post(path, data=body)

            name = path.partition("?")[2].partition("=")[0]
            assert response.status == 400
            assert name in await said(response)
        assert world.fleet.untouched

    async def test_where_it_is_no_json_is_said(self) -> None:
        """In whole words, not cut in the middle of the place."""
        async with serving(World()) as client:
            response = await client.post(RUNS, data=b'{\n"samples": 1,}')

            assert (await said(response)).endswith("line 2 column 14")

    async def test_a_huge_body_is_413(self) -> None:
        """It is not even read to its end."""
        world = World()
        async with serving(world) as client:
            response = await client.post(DEPLOYS, data=written(version="1" * 1_000_100))

            assert response.status == 413
            assert "large" in await said(response)
        assert world.fleet.untouched

    @pytest.mark.parametrize("what", ["runs", "pause", "resume"])
    async def test_an_unknown_monitor_is_404(self, what: str) -> None:
        """Whatever the body is."""
        async with serving(World()) as client:
            response = await client.post(f"/v1/monitors/nope/{what}", data=b"{")

            assert response.status == 404
            assert "nope" in await said(response)

    async def test_a_name_that_nobody_can_have_is_not_repeated(self) -> None:
        """An error stays short whatever was asked for."""
        async with serving(World()) as client:
            response = await client.post(f"/v1/monitors/{LONG}/pause")
            other = await client.post(RUNS, data=written(cases=[LONG]))

            assert (response.status, other.status) == (404, 404)
            assert len(await said(response)) < 200
            assert len(await said(other)) < 200


class TestRuns:
    @pytest.mark.parametrize(
        ("body", "request_"),
        [
            pytest.param(
                b"", RunRequest(monitor="shop", trigger=Trigger.MANUAL), id="nothing"
            ),
            pytest.param(
                b" {} ", RunRequest(monitor="shop", trigger=Trigger.MANUAL), id="object"
            ),
            pytest.param(
                b'{"samples": 20.0}',
                RunRequest(monitor="shop", trigger=Trigger.MANUAL, samples=20),
                id="whole-as-json-has-it",
            ),
            pytest.param(
                written(cases=["a", "b", "a"], samples=7, dry_run=True),
                RunRequest(
                    monitor="shop",
                    trigger=Trigger.DRY_RUN,
                    case_ids=("a", "b"),
                    samples=7,
                ),
                id="everything",
            ),
            pytest.param(
                written(cases=None, samples=None, dry_run=False),
                RunRequest(monitor="shop", trigger=Trigger.MANUAL),
                id="nulls",
            ),
        ],
    )
    async def test_a_run_is_ordered_as_asked(
        self, body: bytes, request_: RunRequest
    ) -> None:
        """202 with the id that was promised."""
        world = World()
        async with serving(world) as client:
            response = await client.post(RUNS, data=body)

            assert response.status == 202
            assert await response.json() == {"run": 1}
        assert world.fleet.ordered == [request_]

    @pytest.mark.parametrize("status", [404, 409, 429])
    async def test_a_refusal_says_why(self, status: int) -> None:
        """With the status that the scheduler chose."""
        world = World(fleet=FakeFleet(refusal=RequestError(status, "because")))
        async with serving(world) as client:
            response = await client.post(RUNS)

            assert response.status == status
            assert await said(response) == "because"


class TestDeploys:
    async def test_everything_can_be_said(self) -> None:
        """202, with the run of each monitor that matched."""
        body = written(
            version="1.2", monitors=["shop"], labels={"team": "x"}, delay="1m30s"
        )
        world = World()
        async with serving(world) as client:
            response = await client.post(DEPLOYS, data=body)

            assert response.status == 202
            assert await response.json() == {"runs": {"shop": 7}}
        assert world.fleet.deploys == [
            DeployRequest(
                version="1.2",
                monitors=("shop",),
                labels={"team": "x"},
                delay_seconds=90.0,
            )
        ]

    async def test_the_version_is_enough(self) -> None:
        """Then it is about all monitors, at once."""
        world = World()
        async with serving(world) as client:
            await client.post(DEPLOYS, data=written(version="1.2"))

        assert world.fleet.deploys == [DeployRequest(version="1.2")]


class TestPause:
    @pytest.mark.parametrize("body", [b"", b"{}", b"{"], ids=["none", "object", "junk"])
    async def test_it_needs_no_body(self, body: bytes) -> None:
        """And takes no notice of one."""
        world = World()
        async with serving(world) as client:
            first = await client.post("/v1/monitors/shop/pause", data=body)
            second = await client.post("/v1/monitors/shop/resume", data=body)

            assert (first.status, second.status) == (202, 202)
        assert world.fleet.paused == [("shop", True), ("shop", False)]

    async def test_it_tells_how_the_monitor_is_then(self) -> None:
        """A budget's pause outlives a manual one, and the answer says so."""
        paused = view(pause=Pause.BUDGET)
        async with serving(World(fleet=FakeFleet(views={"shop": paused}))) as client:
            response = await client.post("/v1/monitors/shop/resume")

            assert await response.json() == {"paused": "budget"}
