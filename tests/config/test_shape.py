"""The shape of a configuration, by the schema."""

import json
import random

import jsonschema
import pytest

from hypothesis import given, settings
from hypothesis import strategies as st

from answerprobe.case import BUILT_IN_RUBRICS
from answerprobe.config._findings import Findings
from answerprobe.config._resolve import resolve
from answerprobe.config._shape import Breach, breaches
from answerprobe.config._want import criteria, schema, wanted
from answerprobe.rules import RULES
from config.loading import problems, whole
from config.test_hostile import document


class TestReference:
    """The fast validator says what the reference implementation says."""

    def test_the_schema_is_one(self) -> None:
        """Of the draft that it names."""
        jsonschema.Draft202012Validator.check_schema(schema())

    @settings(max_examples=300)
    @given(st.integers(0, 2**32))
    def test_same_places_and_keywords(self, seed: int) -> None:
        """Whatever is wrong."""
        made = document(wanted(), random.Random(seed))  # noqa: S311  # no secret
        root = json.loads(json.dumps(resolve(made, Findings())))

        reference = jsonschema.Draft202012Validator(schema()).iter_errors(root)

        assert breaches(root) == {
            Breach(tuple(error.absolute_path), str(error.validator))
            for error in reference
        }


class TestCriteria:
    """The criteria that the schema knows."""

    def test_each_has_a_rule(self) -> None:
        """All but the judged ones, and those of later versions."""
        supported = {name for name, want in criteria().items() if not want.later}

        assert supported - {"judge", *BUILT_IN_RUBRICS} == set(RULES)


class TestMessages:
    """What is wrong, and what is wanted in its place."""

    @pytest.mark.parametrize(
        ("line", "says"),
        [
            pytest.param(
                "type: agnet",
                "4:11: monitors[0].type: is 'agnet'; wanted: one of agent "
                "(did you mean agent?)",
                id="enum",
            ),
            pytest.param(
                "evry: 1h",
                "4:5: monitors[0].evry: is no key here (did you mean every?)",
                id="unknown key",
            ),
            pytest.param(
                "retention: {passed: 1d}",
                "4:17: monitors[0].retention.passed: is no key here; allowed: passes, "
                "failures (did you mean passes?)",
                id="unknown key of few",
            ),
            pytest.param(
                "price: {input: 1}",
                "4:12: monitors[0].price: lacks output",
                id="missing key",
            ),
            pytest.param(
                "auth: {bearer: x, basic: {username: u, password: p}}",
                "4:11: monitors[0].auth: is a mapping of 2 keys (bearer, basic); "
                "wanted: a mapping with one of bearer, basic, header",
                id="two for one",
            ),
            pytest.param(
                "auth: hunter2",
                "4:11: monitors[0].auth: is of another kind; wanted: a mapping with "
                "one of bearer, basic, header",
                id="a secret is not shown",
            ),
            pytest.param(
                "samples: 201",
                "4:14: monitors[0].samples: is 201; wanted: a whole number from 1 to "
                "200",
                id="range",
            ),
            pytest.param(
                "labels: [team]",
                "4:13: monitors[0].labels: is a list; wanted: a mapping",
                id="type",
            ),
            pytest.param(
                'system_prompt: ""',
                "4:20: monitors[0].system_prompt: is empty; wanted: a text that is not "
                "empty",
                id="empty",
            ),
            pytest.param(
                '"e\\nvil key": 1',
                "4:5: monitors[0]['e\\nvil key']: is no key here; allowed: name, type",
                id="one line",
            ),
        ],
    )
    def test_of_a_monitor(self, line: str, says: str) -> None:
        """One line each."""
        (problem, *_) = problems(whole(line))

        assert problem.startswith(says)

    @pytest.mark.parametrize(
        ("line", "says"),
        [
            pytest.param(
                "not_contain: x",
                "9:13: monitors[0].cases[0].expect[1].not_contain: is no criterion "
                "(did you mean not_contains?)",
                id="near",
            ),
            pytest.param(
                "{contains: x, regex: y}",
                "9:13: monitors[0].cases[0].expect[1]: is a mapping of 2 keys "
                "(contains, regex); wanted: one criterion an entry, such as "
                "`contains: 30 days`",
                id="two",
            ),
            pytest.param(
                "{type: contains, value: x}",
                "9:13: monitors[0].cases[0].expect[1]: is no criterion; write its type "
                "as the key, such as `contains: …`",
                id="type and value",
            ),
            pytest.param(
                "type: contains",
                "9:13: monitors[0].cases[0].expect[1]: is no criterion; write its type "
                "as the key, such as `contains: …`",
                id="type",
            ),
            pytest.param(
                "max_words: many",
                "9:24: monitors[0].cases[0].expect[1].max_words: is 'many'; wanted: a "
                "whole number from 1 to 100000",
                id="value",
            ),
            pytest.param(
                "is_json: false",
                "9:22: monitors[0].cases[0].expect[1].is_json: is false; wanted: true",
                id="false",
            ),
            pytest.param(
                "no_pii: {kinds: [mail]}",
                "9:30: monitors[0].cases[0].expect[1].no_pii.kinds[0]: is 'mail'; "
                "wanted: one of email, phone, card, iban, ssn (did you mean email?)",
                id="option",
            ),
        ],
    )
    def test_of_a_criterion(self, line: str, says: str) -> None:
        """One line each."""
        (problem, *_) = problems(whole(criterion=line))

        assert problem.startswith(says)


class TestLater:
    """Keys that are known but not supported yet."""

    @pytest.mark.parametrize(
        ("head", "where"),
        [
            pytest.param(
                "judges: {j: {model: m, auth: {oauth2: {client_id: x}}}}\n",
                "1:31: judges.j.auth.oauth2",
                id="judge",
            ),
            pytest.param(
                "simulated_user: {base_url: http://h, model: m, auth: {oauth2: {}}}\n",
                "1:55: simulated_user.auth.oauth2",
                id="simulated user",
            ),
        ],
    )
    def test_models_that_we_ask_take_no_oauth2(self, head: str, where: str) -> None:
        """It is said where it works, and what else there is."""
        assert problems(head + whole()) == [
            (
                f"{where}: not supported yet here, only in monitors; wanted: bearer, "
                "basic or header"
            )
        ]

    def test_a_property_named_in_is_no_key_of_ours(self) -> None:
        """A JSON Schema may say what it wants of its properties."""
        assert not problems(whole(criterion="json_schema: {properties: {in: {}}}"))
