"""promptfoo configurations, and what becomes of them."""

import json

from pathlib import Path
from typing import Any

import pytest
import yaml

from answerprobe import config as configuration
from answerprobe.errors import ImportRefused
from answerprobe.promptfoo import Imported, import_promptfoo
from answerprobe.secret import SecretSource


HTTP: dict[str, object] = {
    "id": "https",
    "label": "shop",
    "config": {
        "url": "https://shop.example/chat",
        "method": "POST",
        "body": {"q": "{{prompt}}"},
        "transformResponse": "json.output",
    },
}
ASK: dict[str, object] = {"vars": {"q": "Why?"}}


def imported(folder: Path, **document: object) -> Imported:
    """Return what becomes of *document*, which has one provider, prompt and test."""
    whole: dict[str, object] = {
        "providers": ["openai:chat:gpt-x"],
        "prompts": ["{{q}}"],
        "tests": [ASK],
        **document,
    }
    path = folder / "promptfooconfig.yaml"
    path.write_text(yaml.safe_dump(whole, sort_keys=False), encoding="utf-8")
    return import_promptfoo(path)


def monitors(result: Imported) -> Any:  # noqa: ANN401  parsed YAML
    """Return the monitors of *result*, after the loader has taken them."""
    configuration.parse(
        result.text.encode(),
        Path("answerprobe.yml"),
        secrets=SecretSource(environment={}),
        allow_missing_secrets=True,
    )
    return yaml.safe_load(result.text)["monitors"]


def noted(result: Imported) -> str:
    """Return the notes of *result*."""
    return "\n".join(map(str, result.notes))


def criteria(folder: Path, **assertion: object) -> object:
    """Return what one assertion becomes; a second one keeps the case."""
    kept = {"type": "icontains", "value": "kept"}
    tests = [{**ASK, "assert": [assertion, kept]}]
    ((case,),) = [m["cases"] for m in monitors(imported(folder, tests=tests))]
    assert case["expect"][-1] == {"contains": "kept"}
    return case["expect"][:-1]


class TestAssertions:
    @pytest.mark.parametrize(
        ("kind", "value", "becomes"),
        [
            pytest.param(
                "contains",
                "A {{q}}",
                {"contains": {"text": "A Why?", "case_sensitive": True}},
                id="contains",
            ),
            pytest.param("icontains", 30, {"contains": "30"}, id="a number"),
            pytest.param(
                "not-contains",
                "a",
                {"not_contains": {"text": "a", "case_sensitive": True}},
                id="not-contains",
            ),
            pytest.param(
                "not-icontains", "a", {"not_contains": "a"}, id="not-icontains"
            ),
            pytest.param(
                "contains-any",
                ["a", "b"],
                {"contains_any": {"text": ["a", "b"], "case_sensitive": True}},
                id="contains-any",
            ),
            pytest.param(
                "icontains-all",
                "a, b",
                {"contains_all": ["a", "b"]},
                id="icontains-all with commas",
            ),
            pytest.param(
                "equals",
                "a",
                {"equals": {"text": "a", "case_sensitive": True}},
                id="equals",
            ),
            pytest.param(
                "equals",
                {"a": 1},
                {"json_schema": {"const": {"a": 1}}},
                id="equals JSON",
            ),
            pytest.param(
                "starts-with",
                "a",
                {"starts_with": {"text": "a", "case_sensitive": True}},
                id="starts-with",
            ),
            pytest.param("regex", r"\d+", {"regex": r"\d+"}, id="regex"),
            pytest.param("not-regex", "x", {"not_regex": "x"}, id="not-regex"),
            pytest.param("is-json", None, {"is_json": True}, id="is-json"),
            pytest.param(
                "is-json",
                {"type": "object"},
                {"json_schema": {"type": "object"}},
                id="is-json with a schema",
            ),
            pytest.param(
                "is-json",
                '{"type": "object"}',
                {"json_schema": {"type": "object"}},
                id="is-json with a schema as text",
            ),
            pytest.param("llm-rubric", "Is {{q}}", {"judge": "Is Why?"}, id="rubric"),
            pytest.param(
                "model-graded-closedqa", "Is so.", {"judge": "Is so."}, id="closedqa"
            ),
            pytest.param(
                "factuality",
                "It is 30.",
                {"judge": "States nothing that contradicts this reference: It is 30."},
                id="factuality",
            ),
            pytest.param(
                "answer-relevance",
                None,
                {"judge": "Answers the question that was asked."},
                id="answer-relevance",
            ),
            pytest.param(
                "is-refusal",
                None,
                {"judge": "Declines to do what was asked."},
                id="is-refusal",
            ),
            pytest.param(
                "not-is-refusal", None, {"no_refusal": True}, id="not-is-refusal"
            ),
            pytest.param("word-count", {"max": 9}, {"max_words": 9}, id="word-count"),
        ],
    )
    def test_become_criteria(
        self, tmp_path: Path, kind: str, value: object, becomes: object
    ) -> None:
        """With variables filled in, and the case of letters as it was."""
        given = {} if value is None else {"value": value}

        assert criteria(tmp_path, type=kind, **given) == [becomes]

    @pytest.mark.parametrize(
        ("milliseconds", "becomes"),
        [
            pytest.param(1500, {"responds_within": "1500ms"}, id="short"),
            pytest.param(5000, {"responds_within": "5s"}, id="seconds"),
            pytest.param(
                60000, {"answered": {"within": "60s"}}, id="past the deadline"
            ),
        ],
    )
    def test_latency_becomes_a_time(
        self, tmp_path: Path, milliseconds: int, becomes: dict[str, object]
    ) -> None:
        """One longer than the deadline moves that."""
        assert criteria(tmp_path, type="latency", threshold=milliseconds) == [becomes]

    def test_forms_that_are_not_one_criterion(self, tmp_path: Path) -> None:
        """None of several texts, no such text, so many words, all of a set."""
        inner = [{"type": "icontains", "value": "in"}]
        many: list[dict[str, object]] = [
            {"type": "not-icontains-any", "value": ["a", "b"]},
            {"type": "not-equals", "value": "a.b"},
            {"type": "word-count", "value": 3},
            {"type": "assert-set", "assert": inner},
        ]
        ((case,),) = [
            m["cases"]
            for m in monitors(imported(tmp_path, tests=[{**ASK, "assert": many}]))
        ]

        assert case["expect"] == [
            {"not_contains": "a"},
            {"not_contains": "b"},
            {"not_regex": r"\A\s*a\.b\s*\z"},
            {"regex": r"(?:\S+\s+){2}\S+"},
            {"max_words": 3},
            {"contains": "in"},
        ]

    @pytest.mark.parametrize(
        ("assertion", "says"),
        [
            pytest.param({"type": "javascript", "value": "x"}, "runs code", id="code"),
            pytest.param({"type": "similar", "value": "x"}, "similarity", id="similar"),
            pytest.param({"type": "cost", "threshold": 1}, "token_budget", id="cost"),
            pytest.param({"type": "bogus"}, "has no counterpart", id="unknown"),
            pytest.param({"value": "x"}, "is no assertion with a `type`", id="no type"),
            pytest.param(
                {"type": "not-llm-rubric", "value": "x"}, "no counterpart", id="not"
            ),
            pytest.param(
                {"type": "regex", "value": "(?=a)b"}, "no look-around", id="not RE2"
            ),
            pytest.param(
                {"type": "contains", "value": "file://a.txt"}, "from a file", id="file"
            ),
            pytest.param(
                {"type": "contains", "value": "{{ q | upper }}"},
                "is more than a variable",
                id="filter",
            ),
            pytest.param(
                {"type": "contains", "value": "{{env.KEY}}"},
                "from the environment",
                id="environment",
            ),
            pytest.param({"type": "contains", "value": " "}, "a blank", id="blank"),
            pytest.param(
                {"type": "contains", "value": "x", "weight": 0},
                "never fails",
                id="weight",
            ),
            pytest.param(
                {"type": "contains", "value": "x", "transform": "output.a"},
                "what code makes",
                id="transform",
            ),
            pytest.param(
                {"type": "assert-set", "threshold": 0.5, "assert": []},
                "when some of",
                id="some of a set",
            ),
            pytest.param(
                {"type": "is-json", "value": "{"}, "is no JSON", id="broken schema"
            ),
            pytest.param(
                {"type": "is-json", "value": {"$ref": "http://a/"}},
                "json_schema",
                id="ref",
            ),
        ],
    )
    def test_without_counterpart_are_listed(
        self, tmp_path: Path, assertion: dict[str, object], says: str
    ) -> None:
        """With their line; the rest of the case is kept."""
        kept = {"type": "icontains", "value": "kept"}
        result = imported(tmp_path, tests=[{**ASK, "assert": [kept, assertion]}])

        ((case,),) = [m["cases"] for m in monitors(result)]
        assert case["expect"] == [{"contains": "kept"}]
        (note,) = result.notes
        lines = (tmp_path / "promptfooconfig.yaml").read_text().splitlines()
        assert next(iter(assertion)) in lines[note.line - 1]
        assert says in str(note)

    @pytest.mark.parametrize(
        ("more", "says"),
        [
            pytest.param({"metric": "tone"}, "llm-rubric: metric", id="metric"),
            pytest.param({"weight": 2}, "llm-rubric: weight", id="weight"),
            pytest.param({"threshold": 0.8}, "the score is left out", id="threshold"),
            pytest.param({"provider": "openai:x"}, "judge grades", id="provider"),
        ],
    )
    def test_what_of_one_is_lost_is_listed(
        self, tmp_path: Path, more: dict[str, object], says: str
    ) -> None:
        """Though it is kept."""
        rubric = {"type": "llm-rubric", "value": "Is so.", **more}
        result = imported(tmp_path, tests=[{**ASK, "assert": [rubric]}])

        assert monitors(result)[0]["cases"][0]["expect"] == [{"judge": "Is so."}]
        assert says in noted(result)

    def test_what_of_a_set_is_lost_is_listed(self, tmp_path: Path) -> None:
        """Its assertions are kept."""
        inner = [{"type": "icontains", "value": "x", "threshold": 1}]
        sets = [
            {"type": "assert-set", "assert": inner, "metric": "m", "weight": 2},
            {"type": "assert-set"},
        ]
        result = imported(tmp_path, tests=[{**ASK, "assert": sets}])

        assert monitors(result)[0]["cases"][0]["expect"] == [{"contains": "x"}]
        told = noted(result)
        assert "assert-set: metric" in told
        assert "assert-set: weight" in told
        assert "icontains: threshold" in told
        assert "assert-set: has no `assert`" in told

    def test_what_stands_beside_a_template_counts(self, tmp_path: Path) -> None:
        """It is laid over the template."""
        templates = {"a": {"type": "icontains", "value": "x", "weight": 2}}
        asserts = [
            {"$ref": "#/assertionTemplates/a", "weight": 0},
            {"$ref": "#/assertionTemplates/a", "value": "y"},
        ]
        result = imported(
            tmp_path, assertionTemplates=templates, tests=[{**ASK, "assert": asserts}]
        )

        assert monitors(result)[0]["cases"][0]["expect"] == [{"contains": "y"}]
        assert "has the weight 0" in noted(result)

    def test_templates_are_followed(self, tmp_path: Path) -> None:
        """Also one that holds itself."""
        templates = {
            "a": {"type": "icontains", "value": "x {{q}}"},
            "b": {"type": "assert-set", "assert": [{"$ref": "#/assertionTemplates/b"}]},
        }
        asserts = [{"$ref": f"#/assertionTemplates/{name}"} for name in "ab"]
        result = imported(
            tmp_path, assertionTemplates=templates, tests=[{**ASK, "assert": asserts}]
        )

        assert monitors(result)[0]["cases"][0]["expect"] == [{"contains": "x Why?"}]
        assert "assert-set: is nested too deeply" in noted(result)


class TestProviders:
    def test_of_openai_keep_model_and_options(self, tmp_path: Path) -> None:
        """Options without counterpart are listed, keys never copied."""
        key = "sk-live-0123456789abcdefghij"
        provider = {
            "id": "openai:chat:gpt-x",
            "label": "ours",
            "config": {
                "apiBaseUrl": "https://llm.example/v1/",
                "apiKey": key,
                "temperature": 0.2,
                "max_tokens": 300,
                "seed": 7,
                "headers": {"X-Team": "blue"},
            },
        }
        result = imported(tmp_path, providers=[provider])

        (monitor,) = monitors(result)
        del monitor["cases"]
        assert monitor == {
            "name": "ours",
            "protocol": "openai",
            "endpoint": "https://llm.example/v1",
            "model": "gpt-x",
            "auth": {"bearer": "secret.OPENAI_API_KEY"},
            "temperature": 0.2,
            "max_tokens": 300,
            "headers": {"X-Team": "blue"},
        }
        assert key not in result.text + noted(result)
        assert "seed: has no counterpart" in noted(result)

    @pytest.mark.parametrize(
        ("config", "secret"),
        [
            pytest.param({"apiKey": "{{ env.MY_KEY }}"}, "MY_KEY", id="template"),
            pytest.param(
                {"apiKey": "sk-1-{{ env.MY_KEY }}"}, "OPENAI_API_KEY", id="in part"
            ),
            pytest.param({"apiKeyEnvar": "OUR_KEY"}, "OUR_KEY", id="variable"),
            pytest.param({}, "OPENAI_API_KEY", id="nothing"),
        ],
    )
    def test_keys_are_secrets(
        self, tmp_path: Path, config: dict[str, object], secret: str
    ) -> None:
        """Named as they were."""
        provider = {"id": "openai:gpt-x", "config": config}

        (monitor,) = monitors(imported(tmp_path, providers=[provider]))

        assert monitor["auth"] == {"bearer": f"secret.{secret}"}

    @pytest.mark.parametrize(
        ("provider", "endpoint", "model"),
        [
            pytest.param(
                "openai:ft:gpt-x:acme::1",
                "https://api.openai.com/v1",
                "ft:gpt-x:acme::1",
                id="fine-tuned",
            ),
            pytest.param(
                "ollama:chat:llama3:8b",
                "http://localhost:11434/v1",
                "llama3:8b",
                id="ollama",
            ),
            pytest.param(
                {"groq:llama": {"label": "fast"}},
                "https://api.groq.com/openai/v1",
                "llama",
                id="name as key",
            ),
        ],
    )
    def test_names_have_several_forms(
        self, tmp_path: Path, provider: object, endpoint: str, model: str
    ) -> None:
        """Compatible APIs have their own address."""
        (monitor,) = monitors(imported(tmp_path, targets=[provider], providers=None))

        assert (monitor["endpoint"], monitor["model"]) == (endpoint, model)

    def test_a_header_lets_in_before_a_key(self, tmp_path: Path) -> None:
        """As for promptfoo; `auth` and the header are not both allowed."""
        headers = {"Authorization": "Bearer {{env.PROXY}}", "X-Team": "a"}
        config = {"apiKey": "{{env.KEY}}", "headers": headers}
        provider = {"id": "openai:gpt-x", "config": config}
        result = imported(tmp_path, providers=[provider])

        (monitor,) = monitors(result)
        assert monitor["auth"] == {"bearer": "secret.PROXY"}
        assert monitor["headers"] == {"X-Team": "a"}
        assert "apiKey: is left out: `Authorization` is there" in noted(result)

    @pytest.mark.parametrize(
        "asked", [pytest.param("prompt", id="prompt"), pytest.param("q", id="variable")]
    )
    def test_a_body_has_what_all_tests_agree_on(
        self, tmp_path: Path, asked: str
    ) -> None:
        """Beside the prompt, or the one variable that differs."""
        body = {"prompt": f"{{{{{asked}}}}}", "model": "{{model}}"}
        config = {
            "url": "https://a.example/chat",
            "body": body,
            "transformResponse": "json.a",
        }
        tests = [{"vars": {"q": q, "model": "gpt-x"}} for q in ("Why?", "How?")]
        result = imported(
            tmp_path, providers=[{"id": "https", "config": config}], tests=tests
        )

        (monitor,) = monitors(result)
        assert monitor["request"]["body"] == {
            "prompt": "{{message}}",
            "model": "gpt-x",
        }
        assert [case["ask"] for case in monitor["cases"]] == ["Why?", "How?"]

    @pytest.mark.parametrize(
        ("config", "says"),
        [
            pytest.param({"temperature": "{{env.T}}"}, "no number", id="temperature"),
            pytest.param({"max_tokens": True}, "no number", id="max_tokens"),
            pytest.param(
                {"apiKeyEnvar": "{{env.K}}"}, "no name of a", id="apiKeyEnvar"
            ),
            pytest.param({"stream": "true"}, "neither true nor false", id="stream"),
            pytest.param(
                {"headers": {"Host": "a.example"}}, "answerprobe sets it", id="header"
            ),
        ],
    )
    def test_what_of_a_config_is_lost_is_listed(
        self, tmp_path: Path, config: dict[str, object], says: str
    ) -> None:
        """The rest of the provider is kept."""
        provider = {"id": "openai:gpt-x", "config": config}
        result = imported(tmp_path, providers=[provider])

        (monitor,) = monitors(result)
        assert not monitor.keys() & config.keys()
        assert f"{next(iter(config))}" in noted(result)
        assert says in noted(result)

    def test_of_two_limits_one_is_listed(self, tmp_path: Path) -> None:
        """The newer name wins."""
        config = {"max_tokens": 5, "max_completion_tokens": 7}
        provider = {"id": "openai:gpt-x", "config": config}
        result = imported(tmp_path, providers=[provider])

        assert monitors(result)[0]["max_tokens"] == 7
        assert "max_tokens: is left out" in noted(result)

    def test_may_each_be_in_a_file(self, tmp_path: Path) -> None:
        """One, or several of them."""
        (tmp_path / "more.yaml").write_text("[openai:gpt-x, openai:gpt-y]")
        (tmp_path / "one.json").write_text('{"id": "openai:gpt-z"}')

        result = imported(
            tmp_path, providers=["file://more.yaml", "file://one.json"], prompts="{{q}}"
        )

        assert [m["model"] for m in monitors(result)] == ["gpt-x", "gpt-y", "gpt-z"]

    def test_of_http_keep_body_and_answer(self, tmp_path: Path) -> None:
        """The prompt is the message, a variable of all tests its value."""
        config: dict[str, object] = {
            "url": "https://shop.example/chat?v=1",
            "headers": {
                "Content-Type": "application/json",
                "Authorization": "Bearer {{env.SHOP_TOKEN}}",
            },
            "queryParams": {"tenant": "a"},
            "body": {
                "messages": [{"role": "user", "content": "Q: {{ prompt }}"}],
                "language": "{{lang}}",
                "session": "{{sessionId}}",
                "n": 1,
            },
            "transformResponse": "json.choices[0]?.message['content']",
        }
        result = imported(
            tmp_path,
            providers=[{"id": "https", "label": "shop", "config": config}],
            defaultTest={"vars": {"lang": "en"}},
        )

        (monitor,) = monitors(result)
        del monitor["cases"]
        assert monitor == {
            "name": "shop",
            "endpoint": "https://shop.example/chat?v=1&tenant=a",
            "request": {
                "body": {
                    "messages": [{"role": "user", "content": "Q: {{message}}"}],
                    "language": "en",
                    "session": "{{session}}",
                    "n": 1,
                }
            },
            "response": {"answer": "choices[0].message.content"},
            "auth": {"bearer": "secret.SHOP_TOKEN"},
        }

    def test_a_body_may_take_a_variable_in_place_of_the_prompt(
        self, tmp_path: Path
    ) -> None:
        """Then that is what is asked."""
        provider = json.loads(json.dumps(HTTP))
        provider["config"]["body"] = '{"q": "{{question}}"}'
        tests = [{"vars": {"question": "When?"}}, {"vars": {"question": "Where?"}}]

        result = imported(tmp_path, providers=[provider], tests=tests)

        (monitor,) = monitors(result)

        assert monitor["request"] == {"body": {"q": "{{message}}"}}
        assert [case["ask"] for case in monitor["cases"]] == ["When?", "Where?"]
        assert "sends the variable question; `prompts` are left out" in noted(result)

    @pytest.mark.parametrize(
        ("changed", "planted"),
        [
            pytest.param({"headers": {"X-Api-Key": "k-1234"}}, "k-1234", id="header"),
            pytest.param(
                {"headers": {"Authorization": "Bearer t-1234"}}, "t-1234", id="bearer"
            ),
            pytest.param({"headers": {"Cookie": "s=12345"}}, "s=12345", id="cookie"),
            pytest.param(
                {"url": "https://shop.example/?api_key=u-1234"}, "u-1234", id="query"
            ),
            pytest.param(
                {"url": "https://bob:p-1234@shop.example/"}, "p-1234", id="user"
            ),
            pytest.param(
                {"queryParams": {"token": "q-1234"}}, "q-1234", id="parameter"
            ),
            pytest.param(
                {"body": {"q": "{{prompt}}", "accessToken": "b-1234"}},
                "b-1234",
                id="body",
            ),
            pytest.param(
                {"headers": {"X-Any": "sk-proj-0123456789abcdef01"}},
                "sk-proj-0123456789abcdef01",
                id="looks like a key",
            ),
            pytest.param(
                {"headers": {"Authorization": "Bearer sk-live-01234{{env.SFX}}"}},
                "sk-live-01234",
                id="bearer beside the environment",
            ),
            pytest.param(
                {"headers": {"X-Api-Key": "hunter2-{{env.Y}}"}},
                "hunter2",
                id="header beside the environment",
            ),
            pytest.param(
                {"headers": {"X-Api-Key": "{{ env['Y'] }}-hunter2"}},
                "hunter2",
                id="header after the environment",
            ),
            pytest.param(
                {"headers": {"X-Any": "sk-proj-0123456789abcdef01{{env.Y}}"}},
                "sk-proj-0123456789abcdef01",
                id="looks like a key beside the environment",
            ),
            pytest.param(
                {"body": {"q": "{{prompt}}", "token": "b-1234{{env.Y}}"}},
                "b-1234",
                id="body beside the environment",
            ),
            pytest.param(
                {"queryParams": {"token": "q-1234{{env.Y}}"}},
                "q-1234",
                id="parameter beside the environment",
            ),
            pytest.param(
                {"url": "https://shop.example/?token={{env.Y}}-u-1234"},
                "u-1234",
                id="query beside the environment",
            ),
            pytest.param(
                {"url": "https://shop.example/api?key=AIzaSyA0123456789abcdefghi"},
                "AIzaSyA0123456789abcdefghi",
                id="query that looks like a key",
            ),
            pytest.param(
                {"url": "https://shop.example/sk-proj-0123456789abcdef01/chat"},
                "sk-proj-0123456789abcdef01",
                id="path that looks like a key",
            ),
        ],
    )
    def test_no_key_is_copied(
        self, tmp_path: Path, changed: dict[str, object], planted: str
    ) -> None:
        """Wherever it stands; what to set is told."""
        provider = json.loads(json.dumps(HTTP))
        provider["config"].update(changed)

        result = imported(tmp_path, providers=[provider])

        assert monitors(result)
        assert planted not in result.text + noted(result)
        assert "not copied" in noted(result)

    def test_of_a_url_only_the_key_is_left_out(self, tmp_path: Path) -> None:
        """Where it goes is kept."""
        provider = json.loads(json.dumps(HTTP))
        key = "AIzaSyA0123456789abcdefghi"
        provider["config"]["url"] = f"https://shop.example/api?key={key}&v=2"

        (monitor,) = monitors(imported(tmp_path, providers=[provider]))

        endpoint = "https://shop.example/api?key=secret.SHOP_KEY&v=2"
        assert monitor["endpoint"] == endpoint

    def test_what_is_no_key_may_stand_beside_the_environment(
        self, tmp_path: Path
    ) -> None:
        """A scheme, a mark or a part of a name."""
        provider = json.loads(json.dumps(HTTP))
        provider["config"]["headers"] = {
            "X-Auth-Token": "Token {{env.A}}",
            "X-Api-Key": "{{env.A}}:{{env.B}}",
            "X-Region": "eu-{{env.C}}",
        }

        (monitor,) = monitors(imported(tmp_path, providers=[provider]))

        assert monitor["headers"] == {
            "X-Auth-Token": "Token secret.A",
            "X-Api-Key": "secret.A:secret.B",
            "X-Region": "eu-secret.C",
        }

    @pytest.mark.parametrize(
        ("provider", "says"),
        [
            pytest.param(
                {
                    **HTTP,
                    "config": {
                        "url": "https://a.example/",
                        "body": {"a": "sk-proj-0123456789abcdef01 {{prompt}}"},
                    },
                },
                "a key stands beside the prompt",
                id="key beside the prompt",
            ),
            pytest.param("file://agent.py", "it is code", id="file"),
            pytest.param("exec: ./run", "it is code", id="program"),
            pytest.param("anthropic:messages:c", "is not spoken", id="protocol"),
            pytest.param("openai:embedding:e", "is no chat", id="embedding"),
            pytest.param({"label": "x", "config": {}}, "has no `id`", id="no id"),
            pytest.param(
                {"id": "openai:a", "transform": "output.a"},
                "`transform`",
                id="transform",
            ),
            pytest.param(
                {**HTTP, "config": {"url": "https://a.example/", "method": "GET"}},
                "its method is GET",
                id="GET",
            ),
            pytest.param(
                {**HTTP, "config": {"request": "POST / HTTP/1.1"}},
                "`request`",
                id="raw",
            ),
            pytest.param(
                {
                    **HTTP,
                    "config": {"url": "https://a.example/", "body": "a={{prompt}}"},
                },
                "is no JSON",
                id="form",
            ),
            pytest.param(
                {**HTTP, "config": {"url": "https://a.example/", "body": {"a": "b"}}},
                "no place for the prompt",
                id="no prompt",
            ),
            pytest.param(
                {
                    **HTTP,
                    "config": {
                        "url": "https://a.example/",
                        "body": {"a": "{{prompt}}", "b": "{{q}}"},
                    },
                },
                "several places that differ by test: prompt, q",
                id="two places",
            ),
            pytest.param(
                {
                    **HTTP,
                    "config": {
                        "url": "https://a.example/",
                        "body": {"a": "{{prompt}}"},
                        "transformResponse": "json.a.toUpperCase()",
                    },
                },
                "`transformResponse` is code",
                id="code for the answer",
            ),
            pytest.param(
                {**HTTP, "config": {"url": "ftp://a/", "body": {"a": "{{prompt}}"}}},
                "no http:// or https:// URL",
                id="URL",
            ),
        ],
    )
    def test_without_counterpart_are_listed(
        self, tmp_path: Path, provider: object, says: str
    ) -> None:
        """And the others are kept."""
        result = imported(
            tmp_path,
            providers=["openai:chat:gpt-x", provider],
            tests=[ASK, {"vars": {"q": "How?"}}],
        )

        assert [monitor["name"] for monitor in monitors(result)] == ["gpt-x"]
        assert "left out: " in noted(result)
        assert says in noted(result)

    def test_one_that_grades_itself_says_so(self, tmp_path: Path) -> None:
        """The config would be refused otherwise."""
        result = imported(
            tmp_path,
            providers=["openai:chat:gpt-4.1-mini"],
            tests=[{**ASK, "assert": [{"type": "llm-rubric", "value": "Is so."}]}],
        )

        assert monitors(result)[0]["allow_self_judge"] is True
        assert "its own model grades it" in noted(result)

    @pytest.mark.parametrize(
        "by_kind", [pytest.param(False, id="one"), pytest.param(True, id="by kind")]
    )
    def test_the_grader_becomes_the_judge(
        self, tmp_path: Path, *, by_kind: bool
    ) -> None:
        """That of all tests; where there is one of each kind, that of text."""
        grader: dict[str, object] = {
            "id": "openai:gpt-g",
            "config": {"apiBaseUrl": "https://g.example/v1"},
        }
        if by_kind:
            grader = {"text": grader, "embedding": "openai:embedding:x"}
        result = imported(
            tmp_path,
            defaultTest={"options": {"provider": grader}},
            tests=[{**ASK, "assert": [{"type": "llm-rubric", "value": "Is so."}]}],
        )

        assert yaml.safe_load(result.text)["judges"]["default"] == {
            "base_url": "https://g.example/v1",
            "model": "gpt-g",
            "auth": {"bearer": "secret.OPENAI_API_KEY"},
        }
        assert ("embedding: has no counterpart" in noted(result)) == by_kind


class TestTests:
    def test_defaults_lie_under_each(self, tmp_path: Path) -> None:
        """Variables are overridden, assertions added, affixes put around."""
        default = {
            "vars": {"who": "Bob", "q": "no"},
            "assert": [{"type": "icontains", "value": "hi {{who}}"}],
            "options": {"prefix": "Dear agent: "},
        }
        own = {"vars": {"q": "Why?"}, "assert": [{"type": "not-is-refusal"}]}

        result = imported(tmp_path, defaultTest=default, tests=[own])

        ((case,),) = [m["cases"] for m in monitors(result)]
        assert case["ask"] == "Dear agent: Why?"
        assert case["expect"] == [{"no_refusal": True}, {"contains": "hi Bob"}]

    def test_lists_of_values_are_combined(self, tmp_path: Path) -> None:
        """Each has a case of its own id."""
        tests = [
            {
                "description": "Greets",
                "vars": {"a": ["x", "y"], "b": [1, 2], "c": {"d": 3}},
            }
        ]
        result = imported(tmp_path, prompts=["{{a}} {{b}} {{c.d}}"], tests=tests)

        ((cases),) = [m["cases"] for m in monitors(result)]
        assert [case["ask"] for case in cases] == ["x 1 3", "x 2 3", "y 1 3", "y 2 3"]
        assert [case["id"] for case in cases] == [
            "greets",
            "greets-2",
            "greets-3",
            "greets-4",
        ]

    def test_without_assertions_only_the_answer_counts(self, tmp_path: Path) -> None:
        """As for promptfoo; that is noted."""
        result = imported(tmp_path)

        assert monitors(result)[0]["cases"][0]["expect"] == [{"answered": True}]
        assert "only that an answer comes is checked" in noted(result)

    @pytest.mark.parametrize(
        ("test", "says"),
        [
            pytest.param(
                {**ASK, "assert": [{"type": "javascript", "value": "x"}]},
                "none of its assertions has a counterpart",
                id="nothing left",
            ),
            pytest.param({"vars": {"q": " "}}, "what it asks is blank", id="blank"),
            pytest.param(
                {"vars": {"q": "{{ a | upper }}"}},
                "test: left out: `{{ a | upper }}` is more",
                id="logic",
            ),
            pytest.param(
                {**ASK, "options": {"transform": "output.a"}},
                "`transform`",
                id="transform",
            ),
            pytest.param(
                {"vars": {"q": "file:///etc/hosts.txt"}}, "outside", id="outside file"
            ),
            pytest.param({"vars": "file://gone.yaml"}, "no such file", id="vars file"),
            pytest.param("file://tests.csv", "no such file", id="gone"),
            pytest.param("file://tests.xlsx", "is not followed", id="Excel"),
            pytest.param("https://a.example/sheet", "is not followed", id="sheet"),
            pytest.param("file://../*.yaml", "outside", id="outside pattern"),
            pytest.param("file://a/*.yaml", "no such file", id="empty pattern"),
        ],
    )
    def test_that_cannot_be_kept_are_left_out(
        self, tmp_path: Path, test: object, says: str
    ) -> None:
        """And listed; the others stay."""
        result = imported(tmp_path, tests=[{"vars": {"q": "Stays?"}}, test])

        ((case,),) = [m["cases"] for m in monitors(result)]
        assert case["ask"] == "Stays?"
        assert says in noted(result)

    def test_files_beside_it_are_followed(self, tmp_path: Path) -> None:
        """Of tests, variables and prompts."""
        (tmp_path / "more.json").write_text('[{"vars": "file://vars.yaml"}]')
        (tmp_path / "vars.yaml").write_text("q: file://long.txt\n")
        (tmp_path / "long.txt").write_text("A long one?")
        (tmp_path / "prompts.txt").write_text("One {{q}}\n---\nTwo {{q}}\n")

        result = imported(
            tmp_path, prompts=["file://prompts.txt"], tests="file://more.json"
        )

        asked = [m["cases"][0]["ask"] for m in monitors(result)]
        assert asked == ["One A long one?", "Two A long one?"]

    def test_repetition_becomes_samples(self, tmp_path: Path) -> None:
        """Other options of a run are listed."""
        options = {"repeat": 5, "maxConcurrency": 2}

        result = imported(tmp_path, evaluateOptions=options)

        assert monitors(result)[0]["samples"] == 5
        assert "maxConcurrency: has no counterpart" in noted(result)

    def test_repetition_has_bounds(self, tmp_path: Path) -> None:
        """What is beyond them is listed."""
        result = imported(tmp_path, evaluateOptions={"repeat": 500})

        assert monitors(result)[0]["samples"] == 200
        assert "repeat: from 1 to 200 samples are possible" in noted(result)

    def test_variables_may_be_in_several_files(self, tmp_path: Path) -> None:
        """And each value of a list in one."""
        (tmp_path / "one.yaml").write_text("a: x\nb: y\n")
        (tmp_path / "two.yaml").write_text("b: [file://long.txt, z]\n")
        (tmp_path / "long.txt").write_text("A long one\n")

        tests = [{"vars": ["one.yaml", "two.yaml"]}]
        result = imported(tmp_path, prompts=["{{a}} {{b}}"], tests=tests)

        ((cases),) = [m["cases"] for m in monitors(result)]
        assert [case["ask"] for case in cases] == ["x A long one", "x z"]

    def test_the_shortest_of_several_deadlines_counts(self, tmp_path: Path) -> None:
        """As each must be met."""
        asserts = [{"type": "latency", "threshold": ms} for ms in (90_000, 30_000)]
        result = imported(tmp_path, tests=[{**ASK, "assert": asserts}])

        ((case,),) = [m["cases"] for m in monitors(result)]
        assert case["expect"] == [{"answered": {"within": "30s"}}]

    @pytest.mark.parametrize(
        "default",
        [pytest.param("file://under.yaml", id="file"), pytest.param(None, id="here")],
    )
    def test_what_of_the_default_is_lost_is_listed(
        self, tmp_path: Path, default: object
    ) -> None:
        """Wherever it is written."""
        under = {"metadata": {"a": 1}, "provider": "x", "vars": {"q": "How?"}}
        (tmp_path / "under.yaml").write_text(yaml.safe_dump(under))

        result = imported(tmp_path, defaultTest=default or under, tests=[{}])

        assert monitors(result)[0]["cases"][0]["ask"] == "How?"
        assert "metadata: has no counterpart" in noted(result)
        assert "provider: has no counterpart" in noted(result)


class TestPrompts:
    def test_messages_become_system_prompt_and_question(self, tmp_path: Path) -> None:
        """An HTTP agent has its own system message."""
        messages = [
            {"role": "system", "content": "Be kind."},
            {"role": "user", "content": "{{q}}"},
        ]
        result = imported(
            tmp_path, prompts=[json.dumps(messages)], providers=["openai:gpt-x", HTTP]
        )

        model, http = monitors(result)
        assert model["system_prompt"] == "Be kind."
        assert "system_prompt" not in http
        assert [m["cases"][0]["ask"] for m in (model, http)] == ["Why?", "Why?"]
        assert "an HTTP agent has its own" in noted(result)

    def test_several_make_several_monitors(self, tmp_path: Path) -> None:
        """Providers may take some of them only."""
        prompts = [
            {"label": "short", "raw": "{{q}}"},
            {"label": "long", "raw": "Please: {{q}}"},
        ]
        result = imported(
            tmp_path,
            prompts=prompts,
            providers=["openai:gpt-x", {"id": "openai:gpt-y", "prompts": ["long"]}],
        )

        names = [monitor["name"] for monitor in monitors(result)]
        assert names == ["gpt-x: short", "gpt-x: long", "gpt-y"]

    @pytest.mark.parametrize(
        ("prompt", "says"),
        [
            pytest.param("{% if a %}b{% endif %}", "more than a variable", id="logic"),
            pytest.param("file://make.js", "is not followed", id="code"),
            pytest.param("make.py:prompt", "is not followed", id="function"),
            pytest.param("gone.txt", "no such file", id="gone"),
            pytest.param("exec:make.sh", "write it out", id="program"),
            pytest.param("langfuse://a:1:chat", "write it out", id="elsewhere"),
            pytest.param('[{"role": "user"', "a conversation", id="broken messages"),
            pytest.param("file://../up.txt", "outside", id="outside"),
            pytest.param(
                "{{q}} {{env.HOME}}", "from the environment", id="environment"
            ),
            pytest.param(
                '[{"role":"user","content":"a"},{"role":"assistant","content":"b"}]',
                "it is a conversation",
                id="conversation",
            ),
        ],
    )
    def test_that_cannot_be_followed_are_listed(
        self, tmp_path: Path, prompt: str, says: str
    ) -> None:
        """And the others stay."""
        (tmp_path.parent / "up.txt").write_text("secret")

        result = imported(tmp_path, prompts=["{{q}}", prompt])

        assert len(monitors(result)) == 1
        assert says in noted(result)

    @pytest.mark.parametrize(
        "name",
        [
            pytest.param("file://chat.yaml", id="file"),
            pytest.param("chat.yaml", id="name alone"),
            pytest.param("file://ch*.yaml", id="pattern"),
        ],
    )
    def test_in_files_are_followed(self, tmp_path: Path, name: str) -> None:
        """Messages in YAML, too."""
        folder = tmp_path / "prompts"
        folder.mkdir()
        (folder / "chat.yaml").write_text(
            "- role: system\n  content: Be kind.\n- role: user\n  content: '{{q}}'\n"
        )

        result = imported(folder, prompts=["Say {{q}}", name])

        first, second = monitors(result)
        assert first["cases"][0]["ask"] == "Say Why?"
        assert second["system_prompt"] == "Be kind."
        assert second["cases"][0]["ask"] == "Why?"

    @pytest.mark.parametrize(
        "wanted",
        [
            pytest.param("mine:long", id="label"),
            pytest.param("mine:*", id="group"),
            pytest.param("mine", id="group without a star"),
        ],
    )
    def test_may_be_named_by_group(self, tmp_path: Path, wanted: str) -> None:
        """By tests and providers."""
        prompts = [
            {"label": "other", "raw": "{{q}}"},
            {"label": "mine:long", "raw": "Please: {{q}}"},
        ]
        provider = {"id": "openai:gpt-y", "prompts": [wanted]}
        tests = [ASK, {"vars": {"q": "How?"}, "prompts": [wanted]}]

        result = imported(tmp_path, prompts=prompts, providers=[provider], tests=tests)

        ((one, two),) = [m["cases"] for m in monitors(result)]
        assert [one["ask"], two["ask"]] == ["Please: Why?", "Please: How?"]

    def test_that_name_none_are_listed(self, tmp_path: Path) -> None:
        """A provider and a test that no prompt is for."""
        result = imported(
            tmp_path,
            providers=["openai:gpt-x", {"id": "openai:gpt-y", "prompts": ["gone"]}],
            tests=[ASK, {"vars": {"q": "How?"}, "prompts": ["gone"]}],
        )

        ((case,),) = [m["cases"] for m in monitors(result)]
        assert case["ask"] == "Why?"
        assert "provider gpt-y: left out: its `prompts` name none" in noted(result)
        assert "test: left out: its `prompts` name none" in noted(result)


class TestWhole:
    def test_every_other_key_is_listed(self, tmp_path: Path) -> None:
        """At any level."""
        result = imported(
            tmp_path,
            tags={"a": "b"},
            sharing=True,
            env={"A_KEY": "sk-planted"},
            tests=[{**ASK, "metadata": {"a": 1}, "provider": "x", "threshold": 0.5}],
        )

        listed = {note.what for note in result.notes}
        assert {"tags", "sharing", "env.A_KEY"} <= listed
        assert {"metadata", "provider", "threshold"} <= listed
        assert "planted" not in result.text + noted(result)

    @pytest.mark.parametrize(
        ("document", "what"),
        [
            pytest.param({"env": "file://.env"}, "env", id="env"),
            pytest.param({"evaluateOptions": [1]}, "evaluateOptions", id="run"),
            pytest.param({"defaultTest": [1]}, "defaultTest", id="default"),
            pytest.param({"assertionTemplates": [1]}, "assertionTemplates", id="a"),
            pytest.param({"tests": [{**ASK, "options": "x"}]}, "options", id="options"),
            pytest.param(
                {"providers": [{"id": "openai:gpt-x", "config": "file://a.yaml"}]},
                "config",
                id="config",
            ),
            pytest.param(
                {"providers": [{"id": "openai:gpt-x", "config": {"headers": "x"}}]},
                "headers",
                id="headers",
            ),
        ],
    )
    def test_what_should_be_a_mapping_is_listed(
        self, tmp_path: Path, document: dict[str, object], what: str
    ) -> None:
        """And left out alone."""
        result = imported(tmp_path, **document)

        assert len(monitors(result)) == 1
        assert f"{what}: is left out: it is no mapping" in noted(result)

    def test_anchors_and_merges_are_followed(self, tmp_path: Path) -> None:
        """Each use has what it stands for."""
        path = tmp_path / "promptfooconfig.yaml"
        path.write_text(
            "providers: [openai:gpt-x]\nprompts: ['{{q}}']\n"
            "defaultTest: &d\n  assert: &a [{type: icontains, value: x}]\n"
            "tests:\n- {<<: *d, vars: {q: one}}\n- {assert: *a, vars: {q: two}}\n"
        )

        cases = monitors(import_promptfoo(path))[0]["cases"]

        assert [case["expect"] for case in cases] == [[{"contains": "x"}]] * 2

    @pytest.mark.parametrize(
        ("text", "says"),
        [
            pytest.param("", "is empty", id="empty"),
            pytest.param("- a", "is no mapping", id="list"),
            pytest.param("a: [", "no YAML", id="broken"),
            pytest.param("a: !!python/name:os.system x", "tag", id="tag"),
            pytest.param("a: 1\na: 2", "is written twice", id="twice"),
            pytest.param("a: &a [*a]", "part of what it stands for", id="endless"),
            pytest.param("a: " + "[" * 150, "nested deeper", id="deep"),
            pytest.param("providers: [file://a.py]", "nothing of it", id="nothing"),
            pytest.param("tests: []", "nothing of it could be kept", id="no provider"),
        ],
    )
    def test_what_cannot_be_read_is_refused(
        self, tmp_path: Path, text: str, says: str
    ) -> None:
        """With the reason."""
        path = tmp_path / "promptfooconfig.yaml"
        path.write_text(text)

        with pytest.raises(ImportRefused, match=says):
            import_promptfoo(path)

    def test_what_the_loader_refuses_is_taken_out(self, tmp_path: Path) -> None:
        """So that the result always loads; and noted."""
        provider = {"id": "openai:gpt-x", "config": {"temperature": 9}}
        result = imported(tmp_path, providers=["openai:gpt-y", provider])

        assert [monitor["model"] for monitor in monitors(result)] == ["gpt-y"]
        assert "left out: temperature: is 9" in noted(result)
