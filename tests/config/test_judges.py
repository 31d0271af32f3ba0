"""Judges: configured, implied, and unsuitable ones."""

import pytest

from answerprobe.config import Config
from answerprobe.connection import BearerAuth, Connection
from answerprobe.monitor import Canary, JudgeSettings, Price
from answerprobe.secret import Secret
from config.loading import load_text, problems, whole


JUDGED = whole(criterion="judge: Says nine.")
OPENAI = """\
monitors:
  - name: a
    protocol: openai
    endpoint: http://h/v1
    model: m
    {more}
    cases: [{{ask: x, expect: [judge: y]}}]
"""


class TestConfigured:
    """The section `judges`."""

    def test_all_keys(self) -> None:
        """As they are written."""
        text = (
            "judges:\n  default:\n    base_url: http://h/v1\n    model: m\n"
            "    auth: {bearer: secret.TOKEN}\n    timeout: 5s\n    attempts: 2\n"
            "    max_tokens: 200\n    votes: 3\n    price: {input: 1, output: 2}\n"
            "    canaries: [{question: q, answer: a, rubric: r, verdict: pass}]\n"
            "    calibrate: 6h\n"
        )

        config = load_text(text + JUDGED)

        assert config.judges["default"] == JudgeSettings(
            name="default",
            connection=Connection(
                url=Secret("http://h/v1"), auth=BearerAuth(token=Secret("secret.TOKEN"))
            ),
            model="m",
            timeout_seconds=5,
            attempts=2,
            max_tokens=200,
            votes=3,
            price=Price(input_dollars=1, output_dollars=2),
            canaries=(Canary(question="q", answer="a", rubric="r", passes=True),),
            calibrate_seconds=6 * 3600,
        )

    def test_defaults(self) -> None:
        """Without `auth` nothing is sent to get in."""
        judge = load_text("judges: {default: {model: m}}\n" + JUDGED).judges["default"]

        assert judge == JudgeSettings(
            name="default",
            connection=Connection(url=Secret("https://api.openai.com/v1")),
            model="m",
        )

    def test_never_calibrated(self) -> None:
        """0 is off."""
        text = "judges: {default: {model: m, calibrate: 0}}\n" + JUDGED

        assert load_text(text).judges["default"].calibrate_seconds == 0

    @pytest.mark.parametrize(
        ("judge", "says"),
        [
            pytest.param("{}", "judges.j: lacks model", id="no model"),
            pytest.param(
                "{model: m, votes: 2}", "votes: is 2; wanted: an odd", id="even"
            ),
            pytest.param(
                "{model: m, votes: 0}", "votes: is 0; wanted: an odd", id="none"
            ),
            pytest.param("{model: m, attempts: 0}", "attempts: is 0", id="attempts"),
            pytest.param("{model: m, timeout: 0s}", "timeout: is 0s", id="timeout"),
            pytest.param(
                "{model: m, canaries: []}", "canaries: is an empty", id="empty"
            ),
            pytest.param(
                "{model: m, canaries: [{question: q, answer: a, verdict: pass}]}",
                "canaries[0]: lacks rubric",
                id="canary without rubric",
            ),
            pytest.param(
                "{model: m, canaries: [{question: q, answer: a, rubric: r, "
                "verdict: no}]}",
                "verdict: is 'no'; wanted: one of pass, fail",
                id="canary without verdict",
            ),
            pytest.param("{model: m, base_url: h}", "base_url: is no URL", id="URL"),
        ],
    )
    def test_unsound(self, judge: str, says: str) -> None:
        """Also where no monitor uses it."""
        (problem,) = problems(f"judges: {{j: {judge}}}\n" + whole())

        assert says in problem


class TestImplied:
    """The judge that is there without a section."""

    def test_of_the_environment(self) -> None:
        """OPENAI_BASE_URL and OPENAI_MODEL set it."""
        environment = {
            "OPENAI_API_KEY": "k",
            "OPENAI_BASE_URL": "http://h/v1",
            "OPENAI_MODEL": "m",
        }

        judge = load_text(JUDGED, environment).judges["default"]

        assert judge.connection.url.reveal() == "http://h/v1"
        assert judge.model == "m"

    def test_of_nothing(self) -> None:
        """A documented model of OpenAI."""
        judge = load_text(JUDGED, {"OPENAI_API_KEY": "k"}).judges["default"]

        assert judge.connection.url.reveal() == "https://api.openai.com/v1"
        assert judge.model == "gpt-4.1-mini"

    def test_needs_its_key_only_where_it_judges(self) -> None:
        """The first judged criterion is where it is missed."""
        assert not load_text(whole(), {}).judges
        (problem,) = problems(JUDGED, {})
        assert problem.startswith("9:20: monitors[0].cases[0].expect[1].judge: secret ")
        assert "OPENAI_API_KEY is not set" in problem

    def test_a_bad_url_is_the_environments(self) -> None:
        """And said so."""
        environment = {"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": "h"}

        (problem,) = problems(JUDGED, environment)

        assert "the environment variable OPENAI_BASE_URL is no URL" in problem


class TestNamed:
    """The judge that a monitor goes to."""

    @pytest.mark.parametrize(
        ("judges", "line", "says"),
        [
            pytest.param(
                "judges: {strict: {model: m}}\n",
                "judge: strct",
                "5:12: monitors[0].judge: there is no judge 'strct' in `judges`; "
                "allowed: strict (did you mean strict?)",
                id="misspelt",
            ),
            pytest.param(
                "judges: {strict: {model: m}}\n",
                "",
                "10:20: monitors[0].cases[0].expect[1].judge: there is no judge "
                "'default' in `judges`; allowed: strict",
                id="no default",
            ),
            pytest.param(
                "judges: {}\n",
                "",
                "10:20: monitors[0].cases[0].expect[1].judge: there is no judge "
                "'default' in `judges`; none is set",
                id="no judges",
            ),
        ],
    )
    def test_must_be_there(self, judges: str, line: str, says: str) -> None:
        """Where something is judged, or it is named."""
        assert problems(judges + whole(line, "judge: Says nine.")) == [says]

    def test_is_no_matter_where_nothing_is_judged(self) -> None:
        """A judge for other monitors need not be the default."""
        assert not problems("judges: {strict: {model: m}}\n" + whole())


class TestSelf:
    """An agent that would grade itself."""

    def test_is_refused(self) -> None:
        """Same model at the same place, however the URL is written."""
        judges = "judges: {default: {base_url: 'HTTP://H:80/v1/', model: m}}\n"

        (problem,) = problems(judges + OPENAI.format(more=""))

        assert problem.startswith(
            "8:38: monitors[0].cases[0].expect[0].judge: the judge"
        )
        assert "is the agent itself" in problem

    @pytest.mark.parametrize(
        ("judge", "more"),
        [
            pytest.param("{base_url: 'http://h/v1', model: other}", "", id="model"),
            pytest.param("{base_url: 'http://i/v1', model: m}", "", id="URL"),
            pytest.param(
                "{base_url: 'http://h/v1', model: m}",
                "allow_self_judge: true",
                id="allowed",
            ),
        ],
    )
    def test_is_another_or_allowed(self, judge: str, more: str) -> None:
        """Then it may."""
        text = f"judges: {{default: {judge}}}\n" + OPENAI.format(more=more)

        assert isinstance(load_text(text), Config)
