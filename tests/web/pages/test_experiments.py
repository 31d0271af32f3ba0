"""The pages of experiments."""

import re

from dataclasses import replace

from answerprobe.comparison import Experiment, Setup, compare
from answerprobe.run import RunState
from answerprobe.verdict import Outcome, Verdict
from builders import NOW, sample_result
from comparing import compared_case, plan
from web.serving import FakeExperiments, World, serving


def experiment(*, passed: int, changed: int, of: int = 10) -> Experiment:
    """Return one in which so many samples of each setup passed."""
    planned = plan(compared_case(), samples=of)

    def samples(good: int) -> list[Outcome]:
        return [Outcome.PASS] * good + [Outcome.FAIL] * (of - good)

    asked = {
        setup: [
            replace(
                sample_result(outcome),
                verdicts=(
                    Verdict(criterion="contains", outcome=outcome, reason="because"),
                ),
            )
            for outcome in samples(good)
        ]
        for setup, good in ((Setup.CURRENT, passed), (Setup.CHANGED, changed))
    }
    return Experiment(
        id=3,
        epoch=1,
        plan=planned,
        state=RunState.COMPLETED,
        started_at=NOW,
        finished_at=NOW,
        run_ids={Setup.CURRENT: 11, Setup.CHANGED: 12},
        done=2 * of,
        comparison=compare(planned, asked),
    )


async def page(path: str, *kept: Experiment) -> tuple[int, str]:
    """Return the status and the text at *path*, tags and blanks taken out."""
    world = World(experiments=FakeExperiments(kept={one.id: one for one in kept}))
    async with serving(world) as client:
        answer = await client.get(path, headers={"Accept": "text/html"})
        text = re.sub(r"<[^>]*>", " ", await answer.text())
    return answer.status, " ".join(text.split())


class TestExperiment:
    async def test_says_what_changed_and_how_surely(self) -> None:
        """Both setups, the difference, its interval, and one of three words."""
        status, text = await page("/experiments/3", experiment(passed=10, changed=5))

        assert status == 200
        assert "1 regressed" in text
        assert "10 of 10 5 of 10 -50% -76% to -12% regressed" in text
        assert "model" in text

    async def test_what_cannot_be_told_apart_is_called_so(self) -> None:
        """And how many runs would tell."""
        _, text = await page("/experiments/3", experiment(passed=9, changed=7))

        assert "no detectable difference 62" in text

    async def test_another_number_is_404(self) -> None:
        """As a page, with a way on."""
        status, text = await page("/experiments/4")

        assert status == 404
        assert "there is no experiment 4" in text


class TestList:
    async def test_has_each_with_its_result(self) -> None:
        """Newest first."""
        _, text = await page("/experiments", experiment(passed=10, changed=5))

        assert "model: a → b completed" in text
        assert "1 regressed" in text

    async def test_without_any_it_says_how_to_make_one(self) -> None:
        """An empty page is no dead end."""
        _, text = await page("/experiments")

        assert "answerprobe compare CONFIG --set model=…" in text
