"""What is remembered of judges while the daemon runs."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import builders

from answerprobe.calibration import Agreement, Calibration
from answerprobe.config import Config
from answerprobe.connection import Connection
from answerprobe.daemon._judge_room import JudgeRoom
from answerprobe.errors import StoreUnavailable
from answerprobe.judge import JudgeOutcome, Unobserved
from answerprobe.monitor import JudgeSettings
from answerprobe.run import GradedBy
from answerprobe.secret import Secret
from answerprobe.shapes import JudgeView
from builders import NOW


GRADED_BY = GradedBy(model="m-1", prompt_version="p1")
CALIBRATION = Calibration(
    judge="default",
    definition="d",
    models=("m-1",),
    prompt_version="p1",
    at=NOW,
    passes=Agreement(agreed=9, judged=10),
    fails=Agreement(agreed=8, judged=10),
)


@dataclass
class Kept:
    """A store that has calibrations, or is down."""

    known: Mapping[str, Calibration] = field(default_factory=dict)
    down: bool = False

    async def calibrations(self) -> Mapping[str, Calibration]:
        """Return them."""
        if self.down:
            raise StoreUnavailable("the database is locked")
        return self.known


def config(*names: str) -> Config:
    """Return a configuration with the judges *names*; `shop` asks `default`."""
    judged = builders.case(expect={"judge": "Gives the window."})
    judges = {
        name: JudgeSettings(
            name=name,
            connection=Connection(url=Secret("http://127.0.0.1:9/v1")),
            model="m",
            canaries=(),
        )
        for name in names
    }
    return Config(
        path=Path("answerprobe.yml"),
        sha256="0",
        monitors=(builders.monitor("shop", cases=[judged]), builders.monitor("faq")),
        judges=judges,
    )


def room(kept: Kept | None = None) -> JudgeRoom:
    """Return a room with the judges `default` and `other`."""
    made = JudgeRoom(after=Unobserved(), calibrations=kept or Kept(), clock=lambda: NOW)
    made.apply(config("default", "other"))
    return made


async def default_of(judges: JudgeRoom) -> JudgeView:
    """Return how the judge `default` is."""
    return next(j for j in await judges.judges() if j.name == "default")


class TestJudgeRoom:
    async def test_nothing_is_known_before_the_first_request(self) -> None:
        """Neither up nor down; who asks it is known."""
        view = await default_of(room())

        assert (view.up, view.last_request_at, view.monitors) == (None, None, ("shop",))
        assert not any(view.requests.values())

    async def test_the_last_request_says_whether_it_is_up(self) -> None:
        """And all are counted."""
        judges = room()
        judges.requested("default", JudgeOutcome.PASS, 0.1)
        judges.requested("default", JudgeOutcome.UNREACHABLE, 0.1)

        view = await default_of(judges)

        assert (view.up, view.last_request_at) == (False, NOW)
        assert (view.requests["pass"], view.requests["unreachable"]) == (1, 1)

    async def test_model_and_disagreements_are_remembered(self) -> None:
        """As the API reported them."""
        judges = room()
        judges.graded_by("default", GRADED_BY)
        judges.disagreed("default")

        view = await default_of(judges)

        assert (view.graded_by, view.disagreements) == (GRADED_BY, 1)

    async def test_its_calibration_comes_from_the_store(self) -> None:
        """Whoever calibrated it."""
        view = await default_of(room(Kept(known={"default": CALIBRATION})))

        assert view.calibration == CALIBRATION

    async def test_a_store_that_is_down_takes_nothing_else(self) -> None:
        """How it fares now is known without it."""
        judges = room(Kept(down=True))
        judges.requested("default", JudgeOutcome.PASS, 0.1)

        view = await default_of(judges)

        assert (view.up, view.calibration) == (True, None)

    async def test_a_judge_that_left_is_forgotten(self) -> None:
        """Should it come back, it begins anew."""
        judges = room()
        judges.requested("default", JudgeOutcome.PASS, 0.1)
        judges.apply(config("other"))
        assert [judge.name for judge in await judges.judges()] == ["other"]

        judges.apply(config("default"))

        assert (await default_of(judges)).up is None
