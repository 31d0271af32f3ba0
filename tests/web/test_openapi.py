"""The description of the API is that of what is served."""

import json
import re

from dataclasses import replace

from jsonschema import Draft202012Validator

from answerprobe.case import CaseState
from answerprobe.evidence import summary
from answerprobe.run import RunState
from answerprobe.sample import ErrorReason, Failure, Termination
from answerprobe.shapes import (
    BudgetView,
    SecondLookView,
    experiment_shape,
    monitor_shape,
    run_summary,
    run_whole,
)
from answerprobe.status import Pause
from answerprobe.verdict import Outcome
from answerprobe.web._openapi import OPERATIONS, document, served
from answerprobe.web._schemas import SCHEMAS, ref
from builders import NOW, case, monitor, run, sample_result
from web.serving import World, serving, view
from web.test_experiments import experiment
from web.test_monitors import ANSWERS, FAILING
from web.test_runs import RICH


class TestDocument:
    def test_every_route_below_v1_is_in_it(self) -> None:
        """Whoever adds one describes it."""
        assert served(World().app()) <= OPERATIONS.keys()

    async def test_it_tells_of_what_is_served_and_no_more(self) -> None:
        """A path that this daemon does not have is left out."""
        world = World()
        async with serving(world) as client:
            shape = await (await client.get("/v1/openapi.json")).json()

        told = {
            (method.upper(), path)
            for path, methods in shape["paths"].items()
            for method in methods
        }
        assert told == served(world.app())

    def test_every_reference_leads_somewhere(self) -> None:
        """Within the document."""
        whole = document(OPERATIONS.keys())
        names = re.findall(r'"\$ref": "#/components/schemas/(\w+)"', json.dumps(whole))

        assert set(names) == whole["components"]["schemas"].keys()  # type: ignore[index]  # JSON

    def test_operations_have_names_of_their_own(self) -> None:
        """Generated clients make a function of each."""
        paths = document(OPERATIONS.keys())["paths"]
        ids = re.findall(r'"operationId": "(\w+)"', json.dumps(paths))

        assert len(set(ids)) == len(ids) == len(OPERATIONS)


def misfits(name: str, shape: object) -> list[str]:
    """Return what of *shape* is not as the schema *name* says."""
    schema = {**ref(name), "components": {"schemas": SCHEMAS}}
    found = Draft202012Validator(schema).iter_errors(json.loads(json.dumps(shape)))
    return [f"{error.json_path}: {error.message}" for error in found]


class TestShapes:
    """What a daemon at rest does not show is held to the description here."""

    def test_an_experiment_is_as_described(self) -> None:
        """With what was compared and what it cost."""
        assert misfits("Experiment", experiment_shape(experiment())) == []

    def test_a_run_with_tools_and_a_second_look_is_as_described(self) -> None:
        """And with everything else that a sample can have."""
        talked = replace(
            RICH, termination=Termination.USER_DONE, simulated_user=RICH.judge
        )
        failure = Failure(reason=ErrorReason.TIMEOUT, detail="x")
        failed = replace(sample_result(Outcome.ERROR, answer=None), failure=failure)
        told = run([RICH, talked, failed], second_look=[RICH])

        assert misfits("Run", run_whole(told)) == []

    def test_a_run_that_waits_for_its_second_look_is_as_described(self) -> None:
        """It has not ended, and says until when."""
        going = replace(run([]), state=RunState.RUNNING, finished_at=None)
        look = SecondLookView(at=NOW, done=1, total=3)

        assert misfits("RunSummary", run_summary(going, confirming=look)) == []

    def test_a_monitor_that_fails_is_as_described(self) -> None:
        """With its budget, its last run, its answers and a draft."""
        draft = replace(case("new"), state=CaseState.DRAFT)
        stands = view(
            monitor=replace(monitor(every_seconds=60.0), uncounted=(draft,)),
            status=FAILING,
            pause=Pause.BUDGET,
            next_run_at=NOW,
            last_run=summary(run([RICH])),
            budget=BudgetView(limit_tokens=5, used_tokens=4, reset_at=NOW),
        )

        assert misfits("Monitor", monitor_shape(stands, ANSWERS.said)) == []
