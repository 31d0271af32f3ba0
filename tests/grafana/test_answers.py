"""What the trickier queries of the dashboards answer, as promtool computes it."""

from collections.abc import Mapping
from pathlib import Path

import pytest
import yaml

from alerting.tools import ran
from boards import ROOT, filled, load


VARIABLES = {"job": "answerprobe", "monitor": ".*", "judge": ".*", "window": "1h"}
PAUSED = {
    'answerprobe_up{job="answerprobe",monitor="a"}': "1x10",
    'answerprobe_up{job="answerprobe",monitor="b"}': "1x10",
    'answerprobe_paused{job="answerprobe",monitor="a",reason="manual"}': "1x10",
    'answerprobe_consecutive_runs_below_target{job="answerprobe",monitor="a"}': "0x10",
    'answerprobe_consecutive_runs_below_target{job="answerprobe",monitor="b"}': "0x10",
    (
        'answerprobe_case_regressed{job="answerprobe",monitor="a",case="c"'
        ',cause="agent"}'
    ): "0x10",
    (
        'answerprobe_case_regressed{job="answerprobe",monitor="b",case="c"'
        ',cause="agent"}'
    ): "0x10",
}
TWO_MODELS = {
    (
        f'answerprobe_judge_info{{job="answerprobe",instance="{replica}"'
        f',judge="j",model="{model}",prompt_version="p"}}'
    ): "1x10"
    for replica, model in (("one", "old"), ("two", "new"))
} | {
    (
        'answerprobe_judge_canary_samples{job="answerprobe",instance="one"'
        ',judge="j",verdict="pass"}'
    ): "8x10"
}


def asked(board: str, title: str) -> str:
    """Return the first query of the panel *title* on *board*."""
    queries = load(ROOT / "grafana" / f"{board}.json").queries()
    expr = next(query.expr for query in queries if query.where == title)
    return filled(expr, {**VARIABLES, "instance": ".*"})


def check(
    expr: str, series: Mapping[str, str], expected: Mapping[str, float], folder: Path
) -> None:
    """Fail unless *expr* is *expected*, by labels, over *series*."""
    path = folder / "asked.test.yml"
    test = {
        "interval": "1m",
        "input_series": [{"series": s, "values": v} for s, v in series.items()],
        "promql_expr_test": [
            {
                "expr": expr,
                "eval_time": "5m",
                "exp_samples": [{"labels": k, "value": v} for k, v in expected.items()],
            }
        ],
    }
    path.write_text(yaml.safe_dump({"tests": [test]}), encoding="utf-8")

    done = ran("promtool", "test", "rules", path)

    assert done.returncode == 0, done.stdout + done.stderr


class TestFleet:
    """The numbers at the top."""

    @pytest.mark.parametrize("title", ["Down", "Degraded"])
    def test_a_paused_monitor_is_neither(self, title: str, tmp_path: Path) -> None:
        """It is paused, and was well before."""
        check(asked("fleet", title), PAUSED, {"{}": 0}, tmp_path)

    def test_a_monitor_without_answers_is_down(self, tmp_path: Path) -> None:
        """The count sees what it counts."""
        down = {**PAUSED, 'answerprobe_up{job="answerprobe",monitor="b"}': "0x10"}

        check(asked("fleet", "Down"), down, {"{}": 1}, tmp_path)


class TestJudges:
    """The table of who judges."""

    def test_replicas_may_see_different_models(self, tmp_path: Path) -> None:
        """As while the provider renews one; each has a row."""
        rows = {
            f'{{judge="j",model="{model}",prompt_version="p"}}': 8.0
            for model in ("new", "old")
        }

        check(asked("exporter", "Who judges"), TWO_MODELS, rows, tmp_path)
