import json
import re

from collections.abc import Mapping
from pathlib import Path

import pytest

from cli.calling import call, write


PRICE = {"input": 1, "output": 2}
MONTH = "IN 30 DAYS"
PAGES = "FALSE PAGES"
NOTICED = "A DROP TO 70%"
ADVICE = "WHAT WOULD LOWER THEM"
NOTES = "NOTES"
PLAIN = [{"ask": "Refund?", "expect": [{"contains": "30"}]}]


def parts(*args: str | Path) -> dict[str, list[list[str]]]:
    """Return the tables that `check` prints, by their first words, cell by cell."""
    result = call("check", *args)
    assert result.exit_code == 0
    found = {}
    for part in result.stdout.split("\n\n"):
        title, *lines = part.rstrip("\n").split("\n")
        key = next(
            (k for k in (MONTH, PAGES, NOTICED, ADVICE, NOTES) if title.startswith(k)),
            "",
        )
        found[key] = [re.split("  +", line.strip()) for line in lines]
    return found


def several(folder: Path, *monitors: Mapping[str, object]) -> Path:
    """Write a configuration of several monitors."""
    path = write(folder)
    document = json.loads(path.read_text("utf-8"))
    (first,) = document["monitors"]
    document["monitors"] = [{**first, **changed} for changed in monitors]
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


class TestMonth:
    """What 30 days cost."""

    def test_begins_with_what_there_is(self, tmp_path: Path) -> None:
        """The file, and how many monitors and cases."""
        result = call("check", path := write(tmp_path))

        assert result.stdout.splitlines()[0] == f"{path}: 1 monitor, 1 case"

    def test_a_scheduled_monitor_is_told_by_the_month(self, tmp_path: Path) -> None:
        """Samples and tokens, also by who spends them."""
        head, row = parts(write(tmp_path, every="1h"))[MONTH]

        names = " ".join(head)
        assert names == "MONITOR EVERY SAMPLES TOKENS AGENT JUDGE BUDGET"
        assert row[:3] == ["shop", "1h", "2,160"]
        tokens, agent, judge = (int(n.replace(",", "")) for n in row[3:6])
        assert tokens == agent + judge
        assert row[6] == "none"

    def test_dollars_where_there_are_prices(self, tmp_path: Path) -> None:
        """With a plus where somebody's price is missing, and what it means."""
        head, row, legend = parts(write(tmp_path, price=PRICE))[MONTH]

        assert head[-2] == "DOLLARS"
        assert re.fullmatch(r"\d+\.\d\d\+", row[-2])
        assert legend[0].startswith("+ and what is spent")

    @pytest.mark.parametrize(
        ("monitors", "cost", "explained"),
        [
            pytest.param(
                [{"price": PRICE, "cases": PLAIN}, {"cases": PLAIN}],
                r"\d+\.\d\d\+",
                True,
                id="one without any price",
            ),
            pytest.param(
                [{"price": PRICE, "cases": PLAIN}, {"cases": PLAIN, "every": "manual"}],
                r"\d+\.\d\d",
                False,
                id="one without any price on demand",
            ),
            pytest.param(
                [{"price": PRICE, "every": "manual"}, {"cases": PLAIN}],
                r"[\d,]+",  # of the judge's tokens: the cell is empty
                True,
                id="only one on demand with a price",
            ),
        ],
    )
    def test_a_plus_in_the_sum_is_of_what_is_summed_up(
        self,
        tmp_path: Path,
        monitors: list[dict[str, object]],
        cost: str,
        *,
        explained: bool,
    ) -> None:
        """And is explained."""
        named = [{"name": f"m{n}", **each} for n, each in enumerate(monitors)]
        _, *rows = parts(several(tmp_path, *named))[MONTH]
        (whole,) = [row for row in rows if row[0] == "all monitors"]

        assert re.fullmatch(cost, whole[-1])
        assert (rows[-1][0].startswith("+ and what is spent")) is explained

    def test_a_budget_is_told(self, tmp_path: Path) -> None:
        """Beside what would be spent, and no note that nothing bounds it."""
        budget = {"token_budget": "200k"}
        found = parts(write(tmp_path, **budget))

        assert found[MONTH][1][-1] == "200,000"
        assert "no budget" not in str(found)

    def test_one_on_demand_is_told_by_the_run(self, tmp_path: Path) -> None:
        """Nobody knows how often it will be asked for; nothing pages by itself."""
        found = parts(write(tmp_path, every="manual"))

        assert found[MONTH][1][:3] == ["shop", "on demand", "3 a run"]
        assert found.keys() == {"", MONTH, NOTES}

    def test_several_are_summed_up(self, tmp_path: Path) -> None:
        """Those with a schedule."""
        path = several(
            tmp_path,
            {"name": "a"},
            {"name": "b", "every": "30m"},
            {"name": "c", "every": "manual"},
        )

        *_, last = parts(path)[MONTH]

        assert last[:2] == ["all monitors", "6,480"]


class TestFalsePages:
    """How often somebody is woken for nothing."""

    def test_one_case_hourly(self, tmp_path: Path) -> None:
        """Three samples, target 90%."""
        head, degraded, regressed, down, together = parts(write(tmp_path))[PAGES]

        assert head[3:6] == ["99%", "97%", "95%"]
        assert degraded[1:6] == ["AgentDegraded", "-", "0.6", "5.0", "12.5"]
        assert regressed[1:] == [
            *("AgentCaseRegressed", "yes", "0.00", "0.01", "0.04", "0.2", "1.8", "4.5"),
        ]
        assert down[1:3] == ["AgentDown", "yes"]
        assert together[3:] == ["0.6", "5.0", "12.6", "0.8", "6.8", "17.1"]

    @pytest.mark.parametrize(
        ("confirms", "head"),
        [
            pytest.param(["30s", "30s"], "WITHOUT CONFIRM: 99%", id="on"),
            pytest.param(["0", "0"], "WITH CONFIRM: 99%", id="off"),
            pytest.param(["30s", "0"], "THE OTHER WAY: 99%", id="mixed"),
        ],
    )
    def test_the_other_columns_are_of_the_other_setting(
        self, tmp_path: Path, confirms: list[str], head: str
    ) -> None:
        """First what is configured."""
        path = several(
            tmp_path, *({"name": f"m{n}", "confirm": c} for n, c in enumerate(confirms))
        )

        assert parts(path)[PAGES][0][6] == head

    def test_of_the_whole_configuration(self, tmp_path: Path) -> None:
        """Two alike page twice as often."""
        rows = parts(several(tmp_path, {"name": "a"}, {"name": "b"}))[PAGES]

        assert rows[-4][:6] == [
            "all monitors",
            "AgentDegraded",
            "-",
            "1.2",
            "10.0",
            "25.1",
        ]


class TestNoticing:
    """How soon a drop is noticed."""

    def test_of_one_case(self, tmp_path: Path) -> None:
        """By each alert, the sooner in time, and what two runs show."""
        _, row = parts(write(tmp_path))[NOTICED]

        assert row == ["shop", "3.8 runs", "21.4 runs", "3h20m", "47% or less"]

    def test_what_would_lower_the_figures(self, tmp_path: Path) -> None:
        """With its price in samples."""
        _, now, *others = parts(write(tmp_path))[ADVICE]

        assert now == ["shop", "as it is", "5.0", "3h20m", "2,160"]
        assert ["shop", "samples: 10", "0.8", "2h3m", "7,200"] in others

    def test_the_worst_of_many_are_advised(self, tmp_path: Path) -> None:
        """The table stays short, and says so."""
        path = several(tmp_path, *({"name": f"m{n}"} for n in range(12)))

        *rows, last = parts(path)[ADVICE]

        assert len({row[0] for row in rows}) == 1 + 10
        assert last == ["and 2 more monitors with fewer; --format json has all"]

    def test_without_need_there_is_no_advice(self, tmp_path: Path) -> None:
        """It pages never and notices soon."""
        path = write(tmp_path, samples=20, target="80%")

        assert ADVICE not in parts(path)


class TestDocumentation:
    """What the page on false pages shows."""

    def test_is_what_is_printed(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """To the last digit."""
        page = (Path(__file__).parents[2] / "docs/false-pages.md").read_text("utf-8")
        (config,) = re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)
        shown = re.findall(r"```text\n(.*?)```", page, re.DOTALL)
        monkeypatch.chdir(tmp_path)
        Path("answerprobe.yml").write_text(config, encoding="utf-8")

        result = call("check", "answerprobe.yml")

        assert shown[0] == f"$ answerprobe check answerprobe.yml\n{result.stdout}"

    def test_so_is_what_the_readme_shows(self, tmp_path: Path) -> None:
        """Of its own config, two of the tables."""
        page = (Path(__file__).parents[2] / "README.md").read_text("utf-8")
        config = re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)[0]
        (shown,) = re.findall(r"```text\n(FALSE PAGES.*?)```", page, re.DOTALL)
        path = tmp_path / "answerprobe.yml"
        path.write_text(config, encoding="utf-8")

        result = call("check", "--allow-missing-secrets", path)

        for table in shown.rstrip("\n").split("\n\n"):
            assert f"\n{table}\n" in result.stdout


class TestNotes:
    """What its owner may not have meant."""

    def test_are_printed_with_the_monitor(self, tmp_path: Path) -> None:
        """And change no exit status."""
        lines = parts(write(tmp_path))[NOTES]

        assert any(line[0].startswith("shop: no budget: unlimited, ") for line in lines)
        assert any(line[0].startswith("shop: nothing is forbidden") for line in lines)

    def test_that_of_all_monitors_is_printed_too(self, tmp_path: Path) -> None:
        """And comes first."""
        path = several(tmp_path, {"name": "a"}, {"name": "b"})
        document = json.loads(path.read_text("utf-8"))
        path.write_text(json.dumps({**document, "token_budget": "1k"}), "utf-8")
        lines = parts(path)[NOTES]

        assert lines[0][0].startswith("all monitors: budget 1,000 lasts ")

    def test_can_be_left_out(self, tmp_path: Path) -> None:
        """Who knows them need not read them."""
        assert NOTES not in parts("--no-notes", write(tmp_path))

    @pytest.mark.parametrize("form", ["table", "json"])
    def test_those_on_what_is_accepted_can_be_left_out(
        self, tmp_path: Path, form: str
    ) -> None:
        """They are notes like any other."""
        path = write(tmp_path, cases=[{"id": "a", **PLAIN[0]}])
        call("accept", path, "--case=a")
        write(tmp_path, cases=[{"id": "a", **PLAIN[0]}, {"id": "b", **PLAIN[0]}])
        told = call("check", f"--format={form}", path)
        left_out = call("check", f"--format={form}", "--no-notes", path)

        assert "1 draft, only for dry runs: b" in told.stdout
        assert left_out.exit_code == 0
        assert "draft" not in left_out.stdout


class TestJson:
    """For programs."""

    def test_has_all_of_it(self, tmp_path: Path) -> None:
        """Unrounded."""
        path = write(tmp_path, price=PRICE)
        result = call("check", "--format=json", path)

        (found,) = json.loads(result.stdout)["configs"]
        (shop,) = found["monitors"]
        assert found["file"] == str(path)
        assert shop["samples_a_month"] == 2160
        assert shop["dollars_a_month"] > 0
        at_99, _, at_95 = shop["false_pages_a_month"]
        assert at_99["true_pass_rate"] == 0.99
        assert at_95["with_confirm"]["AgentDegraded"] == pytest.approx(12.54, abs=0.01)
        assert shop["noticed"]["AgentDegraded_runs"] == pytest.approx(3.84, abs=0.01)
        assert shop["options"][0]["change"] == "as it is"
        assert {note["monitor"] for note in found["notes"]} == {"shop"}

    def test_what_never_happens_is_null(self, tmp_path: Path) -> None:
        """JSON knows no infinite number."""
        path = write(tmp_path, target="0.001%", samples=1, pass_at_least=1)
        result = call("check", "--format=json", path)

        assert "Infinity" not in result.stdout
        assert json.loads(result.stdout)["configs"]

    def test_on_demand_there_is_no_month(self, tmp_path: Path) -> None:
        """Null, not nothing."""
        result = call("check", "--format=json", write(tmp_path, every="manual"))

        (shop,) = json.loads(result.stdout)["configs"][0]["monitors"]
        assert shop["samples_a_run"] == 3
        assert shop["false_pages_a_month"] is None
        assert shop["noticed"] is None

    def test_notes_can_be_left_out(self, tmp_path: Path) -> None:
        """There too."""
        result = call("check", "--format=json", "--no-notes", write(tmp_path))

        assert json.loads(result.stdout)["configs"][0]["notes"] == []

    def test_stays_json_where_a_file_is_refused(self, tmp_path: Path) -> None:
        """Errors go to standard error."""
        bad = write(tmp_path, "bad.yml", evry="1h")
        result = call("check", "--format=json", write(tmp_path), bad)

        assert result.exit_code == 2
        assert len(json.loads(result.stdout)["configs"]) == 1

    def test_stays_json_where_all_are_refused(self, tmp_path: Path) -> None:
        """On a line of its own."""
        result = call("check", "--format=json", write(tmp_path, evry="1h"))

        assert result.exit_code == 2
        assert result.stdout == '{"configs": []}\n'


class TestRefusals:
    def test_every_file_is_checked(self, tmp_path: Path) -> None:
        """Sound ones on standard output, every error on standard error."""
        good, bad = write(tmp_path), write(tmp_path, "bad.yml", evry="1h", sample=2)
        result = call("check", good, bad, tmp_path / "gone.yml")

        assert result.exit_code == 2
        assert str(good) in result.stdout
        assert "bad.yml:1:" in result.stderr
        for word in ("evry", "sample", "gone.yml"):
            assert word in result.stderr

    def test_an_empty_lock_is_refused(self, tmp_path: Path) -> None:
        """It does not mean that every case counts."""
        (tmp_path / "answerprobe.lock").touch()
        result = call("check", write(tmp_path))

        assert result.exit_code == 2
        assert "answerprobe.lock" in result.stderr

    @pytest.mark.parametrize("allowed", [True, False], ids=["allowed", "not-allowed"])
    def test_a_missing_secret_is_named(self, tmp_path: Path, *, allowed: bool) -> None:
        """Unless it is CI that checks, which has none."""
        path = write(tmp_path, auth={"bearer": "secret.NO_SUCH_9"})
        flags = ["--allow-missing-secrets"] if allowed else []
        result = call("check", path, *flags)

        assert result.exit_code == (0 if allowed else 2)
        assert ("NO_SUCH_9" in result.stderr) is not allowed

    def test_a_secret_may_lie_in_a_folder(self, tmp_path: Path) -> None:
        """As Kubernetes mounts them."""
        (tmp_path / "NO_SUCH_9").write_text("x\n", encoding="utf-8")
        path = write(tmp_path, auth={"bearer": "secret.NO_SUCH_9"})
        result = call("check", path, f"--secrets.dir={tmp_path}")

        assert result.exit_code == 0

    def test_a_folder_is_no_config(self, tmp_path: Path) -> None:
        """One line says so."""
        result = call("check", tmp_path)

        assert result.exit_code == 2
        assert len(result.stderr.splitlines()) == 1
