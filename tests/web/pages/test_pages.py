"""Pages as the server sends them, from the application on a real socket."""

import re

from dataclasses import replace

import pytest

from answerprobe.case import CaseState, Threshold
from answerprobe.estimate import Bounded, Estimate
from answerprobe.evidence import KeptSample, RunSummary, SamplePage, SampleQuery
from answerprobe.passrate import Counted
from answerprobe.run import RunRequest, RunState, SampleResult, Trigger
from answerprobe.sample import Speaker, ToolCall, ToolSource, Turn
from answerprobe.status import DeployComparison, MonitorStatus
from answerprobe.verdict import Outcome, Verdict
from answerprobe.web import WebSettings
from answerprobe.web._guard import FORM_TOKEN
from answerprobe.web._users import Users
from builders import NOW, case, monitor, sample_result
from web.serving import (
    ON_LOOPBACK,
    Client,
    FakeEstimator,
    FakeExperiments,
    FakeFleet,
    FakeHistory,
    FakeJudges,
    FakeLifecycle,
    World,
    serving,
    view,
)
from web.test_experiments import experiment
from web.test_login import USERS, basic


DRAFT = replace(case("later", fingerprint="f2"), state=CaseState.DRAFT)
RETIRED = replace(
    case("old", fingerprint="f3"),
    state=CaseState.RETIRED,
    reason="asked <b>twice</b>",
    replaced_by="refund",
)
HOSTILE = "<script>alert(1)</script>\u202eeno\x1b[31m"


class PastOf(FakeHistory):
    """A past with one run, of one sample."""

    def __init__(
        self, sample: SampleResult, trigger: Trigger = Trigger.MANUAL, run_id: int = 1
    ) -> None:
        self._sample = sample
        self._trigger = trigger
        self._run_id = run_id

    async def run_summary(self, run_id: int) -> RunSummary | None:
        """Return it."""
        if run_id != self._run_id:
            return None
        return RunSummary(
            id=run_id,
            request=RunRequest(monitor="shop", trigger=self._trigger),
            state=RunState.COMPLETED,
            queued_at=NOW,
            started_at=NOW,
            finished_at=NOW,
            total=1,
            done=1,
            outcomes={o: int(o is self._sample.outcome) for o in Outcome},
        )

    async def run_samples(self, query: SampleQuery) -> SamplePage:
        """Return its sample."""
        kept = KeptSample(run_id=query.run_id, number=1, sample=self._sample)
        return SamplePage(samples=(kept,), total=1)


async def page(client: Client, path: str) -> str:
    """Return the text of the page at *path*."""
    response = await client.get(path)
    text = await response.text()
    assert response.status == 200, text
    return text


def with_uncounted() -> FakeFleet:
    """Return a monitor with a draft and a retired case."""
    shop = replace(monitor(), uncounted=(DRAFT, RETIRED))
    return FakeFleet(views={"shop": view(monitor=shop)})


class TestOverview:
    async def test_lists_monitors(self) -> None:
        """Each with a link to its page."""
        async with serving(World()) as client:
            text = await page(client, "/")

        assert 'href="/monitors/shop"' in text

    async def test_leads_to_what_is_for_machines(self) -> None:
        """Metrics, the config, a probe and the API's description."""
        async with serving(World()) as client:
            text = await page(client, "/")

        links = set(re.findall(r'href="([^"]+)"', text))
        assert {"/metrics", "/config", "/v1/openapi.json"} <= links
        assert any(link.startswith("/probe?monitor=shop") for link in links)

    async def test_without_a_store_it_says_so(self) -> None:
        """And shows the monitors all the same."""
        history = FakeHistory()
        history.down = True
        async with serving(World(history=history)) as client:
            text = await page(client, "/")

        assert "The evidence store does not answer" in text
        assert "shop" in text

    async def test_unknown_filters_are_refused_as_a_page(self) -> None:
        """For who looks with a browser."""
        async with serving(World()) as client:
            response = await client.get("/?status=odd", headers={"Accept": "text/html"})

            assert response.status == 400
            assert "<h1>That address cannot be read</h1>" in await response.text()


class TestUncounted:
    async def test_they_are_listed_with_their_state(self) -> None:
        """A draft can be ticked, a retired one can't."""
        async with serving(World(fleet=with_uncounted())) as client:
            text = await page(client, "/monitors/shop")

        assert re.findall(r'name="case" value="(\w+)"', text) == ["refund", "later"]
        assert "A dry run also asks 1 draft." in text

    async def test_a_state_alone_can_be_shown(self) -> None:
        """By the same filter as how cases fare."""
        async with serving(World(fleet=with_uncounted())) as client:
            text = await page(client, "/monitors/shop?state=retired")

        assert re.findall(r'href="/monitors/shop/cases/(\w+)"', text) == ["old"]

    async def test_a_retired_one_leads_to_its_replacement(self) -> None:
        """With its reason, as text."""
        async with serving(World(fleet=with_uncounted())) as client:
            text = await page(client, "/monitors/shop/cases/old")

        assert '<a href="/monitors/shop/cases/refund">refund</a>' in text
        assert "asked &lt;b&gt;twice&lt;/b&gt;" in text

    async def test_a_draft_is_only_for_dry_runs(self) -> None:
        """Its page has no other button."""
        async with serving(World(fleet=with_uncounted())) as client:
            text = await page(client, "/monitors/shop/cases/later")

        assert "Dry run</button>" in text
        assert "Run this case" not in text


class TestSize:
    async def test_ten_thousand_cases_are_shown_in_parts(self) -> None:
        """The end of the list is as near as its beginning."""
        cases = [case(f"case-{n}", fingerprint=f"f{n}") for n in range(10_000)]
        fleet = FakeFleet(views={"shop": view(monitor=monitor(cases=cases))})
        async with serving(World(fleet=fleet)) as client:
            text = await page(client, "/monitors/shop?page=200")

        assert "9,951 to 10,000 of 10,000" in text
        assert len(re.findall(r'href="/monitors/shop/cases/', text)) == 50

    async def test_a_thousand_monitors_are_searched_and_shown_in_parts(self) -> None:
        """Fifty at most."""
        views = {f"m{n}": view(f"m{n}") for n in range(1000)}
        async with serving(World(fleet=FakeFleet(views=views))) as client:
            all_of_them = await page(client, "/")
            one = await page(client, "/?q=M999")

        found = r'<th scope="row"><a href="/monitors/(m\d+)"'
        assert len(re.findall(found, all_of_them)) == 50
        assert re.findall(found, one) == ["m999"]


def estimated(left: int | None, at_most: float | None = 900.0) -> FakeEstimator:
    """Return who expects 300 tokens."""
    found = Estimate(
        samples=3,
        tokens=Bounded(expected=300.0, at_most=at_most),
        dollars=Bounded(expected=0.002, at_most=0.5),
        seconds_expected=12.0,
        budget_left=left,
    )
    return FakeEstimator(found=found)


class TestEstimates:
    async def test_it_stands_beside_the_button(self) -> None:
        """What is expected, the most it can be, and what is left."""
        async with serving(World(estimator=estimated(5000))) as client:
            text = await page(client, "/monitors/shop")

        assert (
            "3 samples, about 300 tokens expected, at most 900, about $0.002, at most "
            "$0.5, about 12 s." in text
        )
        assert "The budget leaves 5,000 tokens." in text
        assert "Run now</button>" in text

    @pytest.mark.parametrize(
        "at_most",
        [pytest.param(900.0, id="more"), pytest.param(None, id="without-bound")],
    )
    async def test_where_it_may_be_short_the_button_says_so(
        self, at_most: float | None
    ) -> None:
        """One click starts it all the same."""
        async with serving(World(estimator=estimated(500, at_most))) as client:
            text = await page(client, "/monitors/shop")

        assert "Run anyway</button>" in text
        assert "Run now</button>" not in text

    async def test_a_case_is_estimated_by_itself(self) -> None:
        """Its own page asks for no other."""
        estimator = estimated(None)
        async with serving(World(estimator=estimator)) as client:
            text = await page(client, "/monitors/shop/cases/refund")

        assert [order.case_ids for order in estimator.asked] == [("refund",)]
        assert "No budget limits it." in text


async def press(client: Client, **fields: str) -> int:
    """Send the form of the monitor's page with *fields*; return the status."""
    text = await page(client, "/monitors/shop")
    found = re.search(rf'name="{FORM_TOKEN}" value="([^"]+)"', text)
    assert found
    response = await client.post(
        "/monitors/shop/run",
        data={FORM_TOKEN: found[1], **fields},
        allow_redirects=False,
    )
    return response.status


class TestButtons:
    @pytest.mark.parametrize(
        ("fields", "order"),
        [
            pytest.param(
                {}, RunRequest(monitor="shop", trigger=Trigger.MANUAL), id="now"
            ),
            pytest.param(
                {"dry_run": "yes"},
                RunRequest(monitor="shop", trigger=Trigger.DRY_RUN),
                id="dry",
            ),
            pytest.param(
                {"some": "yes", "case": "refund", "samples": "10"},
                RunRequest(
                    monitor="shop",
                    trigger=Trigger.MANUAL,
                    case_ids=("refund",),
                    samples=10,
                ),
                id="ticked",
            ),
        ],
    )
    async def test_it_starts_what_it_says(
        self, fields: dict[str, str], order: RunRequest
    ) -> None:
        """And leads to the run."""
        world = World()
        async with serving(world) as client:
            status = await press(client, **fields)

        assert (status, world.fleet.ordered) == (303, [order])

    @pytest.mark.parametrize(
        ("fields", "status"),
        [
            pytest.param({"some": "yes"}, 400, id="nothing-ticked"),
            pytest.param({"samples": "7"}, 400, id="odd-number"),
            pytest.param({"some": "yes", "case": "nope"}, 404, id="unknown"),
            pytest.param({"some": "yes", "case": "later"}, 409, id="draft"),
        ],
    )
    async def test_what_cannot_be_is_refused(
        self, fields: dict[str, str], status: int
    ) -> None:
        """Nothing starts."""
        world = World(fleet=with_uncounted())
        async with serving(world) as client:
            assert await press(client, **fields) == status

        assert world.fleet.untouched


class TestUnreadableForms:
    """What browsers never send."""

    @pytest.mark.parametrize(
        ("kind", "body"),
        [
            pytest.param("multipart/form-data", b"x=1", id="no boundary"),
            pytest.param(
                "application/x-www-form-urlencoded; charset=foo", b"x=1", id="charset"
            ),
            pytest.param(
                "application/x-www-form-urlencoded", b"x=\xff\xfe", id="no text"
            ),
        ],
    )
    @pytest.mark.parametrize("button", ["run", "pause", "resume"])
    async def test_are_the_senders_fault(
        self, button: str, kind: str, body: bytes
    ) -> None:
        """400, and not one of our own mistakes."""
        async with serving(World()) as client:
            response = await client.post(
                f"/monitors/shop/{button}", data=body, headers={"Content-Type": kind}
            )

            assert response.status == 400


class TestAdmins:
    @pytest.mark.parametrize(
        ("admins", "buttons"),
        [
            pytest.param(None, True, id="everybody"),
            pytest.param(frozenset({"ann"}), True, id="an-admin"),
            pytest.param(frozenset({"bob"}), False, id="not-one"),
        ],
    )
    @pytest.mark.parametrize("path", ["/monitors/shop", "/monitors/shop/cases/refund"])
    async def test_others_see_no_buttons(
        self, admins: frozenset[str] | None, path: str, *, buttons: bool
    ) -> None:
        """And no estimate of what they can't start."""
        door = replace(ON_LOOPBACK, settings=WebSettings(users=Users(USERS)))
        lifecycle = FakeLifecycle(api_admins=admins)
        async with serving(World(door=door, lifecycle=lifecycle)) as client:
            response = await client.get(path, headers=basic("ann"))
            text = await response.text()

        assert response.status == 200
        assert ('method="post"' in text) is buttons


class TestDeploys:
    async def test_a_comparison_is_three_words_with_an_interval(self) -> None:
        """Once all of its runs are there."""
        deploy = DeployComparison(
            version="2.0",
            first_run_id=7,
            of_runs=2,
            before=Counted(60, 60),
            before_runs=2,
            after=Counted(20, 60),
            after_runs=2,
        )
        status = MonitorStatus(deploy=deploy)
        fleet = FakeFleet(views={"shop": view(status=status)})
        async with serving(World(fleet=fleet)) as client:
            text = await page(client, "/monitors/shop")

        assert "regressed</span>" in text
        assert "100% of 60 samples before, 33% of 60 samples after" in text
        assert "\u221267 points (95% interval \u221277 to \u221253)" in text


class TestCase:
    async def test_a_threshold_is_told_with_its_confidence(self) -> None:
        """Both beside the lower bound and in the definition."""
        sure = replace(case(), bar=Threshold(samples=5, above=0.5, confidence=0.99))
        fleet = FakeFleet(views={"shop": view(monitor=monitor(cases=[sure]))})
        async with serving(World(fleet=fleet)) as client:
            text = await page(client, "/monitors/shop/cases/refund")

        assert (
            "99% confidence; in a run, each criterion&#39;s must be above 50%" in text
        )


class TestRun:
    async def test_hostile_words_are_only_text(self) -> None:
        """Escaped once, and what is hidden in them is shown."""
        turns = (
            Turn(speaker=Speaker.USER, text="Hello?"),
            Turn(speaker=Speaker.AGENT, text=HOSTILE),
        )
        sample = replace(sample_result(Outcome.FAIL, answer=HOSTILE), turns=turns)
        async with serving(World(history=PastOf(sample))) as client:
            text = await page(client, "/runs/1")

        assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text
        assert not re.search("<script>|[\x1b\u202e]", text)
        assert "⟨U+202E⟩" in text

    async def test_what_tools_have_to_do_with_it_is_told(self) -> None:
        """Never called, and not expected."""
        sample = replace(
            sample_result(Outcome.FAIL),
            verdicts=(
                Verdict(
                    criterion="expected_actions", outcome=Outcome.FAIL, reason="two"
                ),
            ),
            tools_missing=("get_order",),
            tools_unexpected=("refund",),
        )
        async with serving(World(history=PastOf(sample))) as client:
            text = await page(client, "/runs/1")

        assert re.search(r"never called</span>.*get_order", text)
        assert re.search(r"not expected</span>.*refund", text)

    async def test_tool_calls_stand_under_their_turn(self) -> None:
        """What was sent, what came back, and who answered."""
        call = ToolCall(
            name="get_order",
            arguments={"id": 7},
            result="late",
            source=ToolSource.MOCKED,
        )
        turn = Turn(speaker=Speaker.AGENT, text="Wait.", tool_calls=(call,))
        sample = replace(sample_result(Outcome.PASS), turns=(turn,))
        async with serving(World(history=PastOf(sample))) as client:
            text = await page(client, "/runs/1")

        assert "1 tool call:" in text
        assert re.search(r"get_order</code> <small>mocked</small>", text)
        assert "<pre>late</pre>" in text

    async def test_one_of_an_experiment_leads_to_it(self) -> None:
        """Where both setups stand side by side."""
        past = PastOf(sample_result(Outcome.PASS), Trigger.EXPERIMENT, run_id=11)
        kept = FakeExperiments(kept={3: experiment()})
        async with serving(World(history=past, experiments=kept)) as client:
            text = await page(client, "/runs/11")

        assert 'href="/experiments/3"' in text


class TestJudges:
    async def test_without_any_the_page_says_so(self) -> None:
        """Everything is graded by code then."""
        async with serving(World(judges=FakeJudges())) as client:
            text = await page(client, "/judges")

        assert "everything is graded by code" in text
