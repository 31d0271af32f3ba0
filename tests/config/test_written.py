"""A configuration on show: all of it but its secrets."""

import json

from collections.abc import Mapping

import pytest
import yaml

from hypothesis import given
from hypothesis import strategies as st

from answerprobe.config._want import Want, wanted
from answerprobe.config.written import Written, without_credentials
from answerprobe.secret import MASK
from config.loading import load_text


CASES = [{"id": "c", "ask": "Hello?", "expect": [{"contains": "x"}]}]


def agent(name: str, **keys: object) -> dict[str, object]:
    """Return a monitor that is never run."""
    return {"name": name, "endpoint": "http://127.0.0.1:9/", "cases": CASES, **keys}


def full(word: str) -> dict[str, object]:
    """Return a configuration with *word* in every place that can hold a secret."""
    oauth2 = {
        "client_id": word,
        "client_secret": word,
        "token_url": f"https://{word}@t.example/?k={word}",
        "scopes": ["read"],
    }
    live = {
        "url": f"http://u:{word}@tool.example/?key={word}",
        "auth": {"header": {"name": "X-Key", "value": word}},
        "headers": {"X-Tool": word},
    }
    judge = {
        "base_url": f"https://{word}:{word}@llm.example/v1",
        "model": "m",
        "auth": {"bearer": word},
        "headers": {"X-Judge": word},
        "proxy": f"http://me:{word}@proxy.example:3128",
    }
    body = {"deep": [{"key": word}], "text": "{{message}}", "list": [word]}
    tool = {"name": "t", "writes": False, "respond": {"live": live}}
    return {
        "judges": {"default": judge},
        "simulated_user": {**judge},
        "api": {
            "tokens": {"ci": word, "read": {"token": word, "scope": ["read"]}},
        },
        "monitors": [
            agent("bearer", auth={"bearer": word}, headers={"X-One": word}),
            agent("basic", auth={"basic": {"username": word, "password": word}}),
            agent("header", auth={"header": {"name": "X-Key", "value": word}}),
            agent("oauth2", auth={"oauth2": oauth2}),
            agent("extra", request={"extra": {"key": word, "deep": {"list": [word]}}}),
            agent("body", request={"body": body}),
            agent("proxy", proxy=f"http://{word}@proxy.example:3128"),
            agent("tool", protocol="openai", model="m", tools=[tool]),
        ],
    }


def shown(config: Mapping[str, object], **environment: str) -> str:
    """Return how *config*, once loaded, is shown; nothing is scrubbed besides."""
    return load_text(
        json.dumps(config, ensure_ascii=False), environment
    ).written.as_yaml(str)


class TestSecrets:
    @given(st.text("abcdefghijklmnopqrstuvwxyz0123456789", min_size=1, max_size=20))
    def test_none_is_shown_that_is_written_word_for_word(self, word: str) -> None:
        """Not in any place that can hold one."""
        assert f"{word}-7f" not in shown(full(f"{word}-7f"))

    def test_none_is_shown_that_is_written_by_name(self) -> None:
        """Neither its value; its name stands for it in URLs alone."""
        config = full("secret.WORD")

        assert "xq-7f" not in shown(config, WORD="xq-7f")

    def test_one_that_stands_where_none_belongs_is_scrubbed(self) -> None:
        """What is known for a secret is one everywhere."""
        written = Written(root={"monitors": [{"name": "has xq-7f in it"}]})

        text = written.as_yaml(lambda text: text.replace("xq-7f", MASK))

        assert yaml.safe_load(text) == {"monitors": [{"name": f"has {MASK} in it"}]}

    def test_every_place_that_the_schema_marks_is_hidden(self) -> None:
        """Also one that is added later."""
        for path, want in _places(wanted(), ()):
            if want.is_secret and not want.properties and want.kind != "url":
                made = _made(path, "xq-7f")
                assert "xq-7f" not in Written(root=made).as_yaml(str), path


def _places(want: Want, path: tuple[str, ...]) -> list[tuple[tuple[str, ...], Want]]:
    """Return every place of the configuration; `[]` is a list's item, `*` any key."""
    found = [(path, want)]
    for key, inner in want.properties.items():
        found += _places(inner, (*path, key))
    if want.items:
        found += _places(want.items, (*path, "[]"))
    if want.others:
        found += _places(want.others, (*path, "*"))
    return found


def _made(path: tuple[str, ...], value: object) -> dict[str, object]:
    """Return a document with *value* at *path*."""
    for step in reversed(path):
        value = [value] if step == "[]" else {step: value}
    assert isinstance(value, dict)
    return value


class TestTheRest:
    def test_all_else_is_as_it_was_written(self) -> None:
        """Names, URLs, models, cases and scopes."""
        document = yaml.safe_load(shown(full("w-7f")))

        first, *_, tool = document["monitors"]
        assert first == {
            **agent("bearer"),
            "auth": {"bearer": MASK},
            "headers": {"X-One": MASK},
        }
        assert document["api"]["tokens"] == {
            "ci": MASK,
            "read": {"token": MASK, "scope": ["read"]},
        }
        live = tool["tools"][0]["respond"]["live"]
        assert live["url"] == f"http://{MASK}@tool.example/?key={MASK}"

    def test_placeholders_of_a_body_are_shown(self) -> None:
        """They are no secret, and say where the question goes."""
        monitor = agent("body", request={"body": {"q": "{{message}}", "key": "k"}})
        document = yaml.safe_load(shown({"monitors": [monitor]}))

        body = document["monitors"][0]["request"]["body"]
        assert body == {"q": "{{message}}", "key": MASK}

    def test_one_monitor_can_be_shown_alone(self) -> None:
        """As it is written among the others."""
        written = load_text(json.dumps(full("w-7f")), {}).written

        assert yaml.safe_load(written.as_yaml(str, "proxy"))["name"] == "proxy"

    def test_all_monitors_and_cases_come_back(self) -> None:
        """In their order, however they are written piece by piece."""
        text = "two\n\n  lines: and\n- more\n"
        cases = [{**CASES[0], "id": f"c{n}", "ask": text} for n in range(3)]
        monitors = [agent(f"m{n}", cases=cases, labels={"n": "1"}) for n in range(3)]
        document = yaml.safe_load(shown({"token_budget": "1M", "monitors": monitors}))

        assert document == {"token_budget": "1M", "monitors": monitors}

    def test_odd_texts_come_back_as_they_were(self) -> None:
        """Line breaks, controls, other scripts, what looks like YAML."""
        odd = "a: [b\n#c\u202e é日本 💬 \t'\""
        monitor = agent("odd", cases=[{**CASES[0], "ask": odd}])
        document = yaml.safe_load(shown({"monitors": [monitor]}))

        assert document["monitors"][0]["cases"][0]["ask"] == odd


@pytest.mark.parametrize(
    ("url", "left"),
    [
        pytest.param("http://h:1/chat", "http://h:1/chat", id="plain"),
        pytest.param("http://u:p@h/", f"http://{MASK}@h/", id="password"),
        pytest.param("http://u@p@h/", f"http://{MASK}@h/", id="two-ats"),
        pytest.param("http://t@h", f"http://{MASK}@h", id="token"),
        pytest.param(
            "http://h/a?k=v&l=w;m=x#f", f"http://h/a?k={MASK}&l={MASK};m={MASK}", id="q"
        ),
        pytest.param("http://h/a?key", f"http://h/a?{MASK}", id="bare"),
        pytest.param("secret.URL", "secret.URL", id="name"),
        pytest.param("http://secret.HOST/a", "http://secret.HOST/a", id="name-within"),
        pytest.param("nonsense", MASK, id="no-url"),
    ],
)
def test_urls_are_shown_without_credentials(url: str, left: str) -> None:
    """Neither before the host nor in the query."""
    assert without_credentials(url) == left
