"""The command `draft`, with a model that says what it is told to."""

import asyncio
import json
import stat

from collections.abc import Mapping
from pathlib import Path

import pytest

from aiohttp import web

from cli.calling import call
from cli.program import Done, answerprobe, files
from judge.api import Api, Asked, completion, finished, sends, serving


pytestmark = pytest.mark.usefixtures("logging_restored")
CONFIG = """\
# Our shop, watched since 2024.
judges:
  default: {{ base_url: "{url}", model: grader, attempts: 2 }}
monitors:
  - name: shop
    endpoint: http://127.0.0.1:9/chat     # never asked here
    every: manual
    cases:
      - id: window
        ask: When can I return it?
        expect: [ contains: 30 days ]     # the law
{more}"""
WORDS = "Says that returns are free, and never promises a refund."
GOOD: dict[str, object] = {
    "id": "Returns are free",
    "ask": "What does it cost to send something back?",
    "expect": [
        {"criterion": "judge", "values": ["Says that returns are free."]},
        {"criterion": "not_regex", "values": ["(?i)refund (is|will be) paid"]},
    ],
}
ADDED = """\
      # Draft: Says that returns are free, and never promises a refund.
      - id: returns-are-free
        ask: What does it cost to send something back?
        expect:
          - judge: Says that returns are free.
          - not_regex: (?i)refund (is|will be) paid
"""


def written(folder: Path, api: Api, more: str = "") -> Path:
    """Write a configuration whose judge is *api*."""
    path = folder / "shop.yml"
    path.write_text(CONFIG.format(url=api.url, more=more), encoding="utf-8")
    return path


def case(**changed: object) -> str:
    """Return the good case with some of it *changed*, as a model writes it."""
    return json.dumps({**GOOD, **changed})


def expecting(*criteria: object) -> str:
    """Return the good case with other *criteria*."""
    return case(expect=list(criteria))


async def drafted(path: Path, *flags: str, words: str = WORDS) -> Done:
    """Run `draft` for *words*, in a thread of its own."""
    result = await asyncio.to_thread(call, "draft", path, words, *flags)
    return Done(status=result.exit_code, stdout=result.stdout, stderr=result.stderr)


class TestAppended:
    async def test_the_rest_of_the_file_stays_as_it_was(self, tmp_path: Path) -> None:
        """The case stands behind the others, and is checked like them."""
        async with serving(sends(case())) as api:
            path = written(tmp_path, api)
            before = path.read_text("utf-8")

            done = await drafted(path, "--monitor=shop")
            checked = await answerprobe("check", path, cwd=tmp_path)

        assert (done.status, done.stderr) == (0, "")
        assert path.read_text("utf-8") == before + ADDED
        assert checked.status == 0
        assert files(tmp_path) == ["shop.yml"]

    async def test_what_was_appended_and_what_comes_next_is_told(
        self, tmp_path: Path
    ) -> None:
        """With the place, commands that can be copied, and the tokens."""
        async with serving(sends(case())) as api:
            done = await drafted(written(tmp_path, api))

        assert "shop.yml:12: appended to 'shop', by fake-2026-01-01\n" in done.stdout
        assert ADDED in done.stdout
        assert "There is no answerprobe.lock beside it, so the case counts as soon" in (
            done.stdout
        )
        assert "--monitor shop --case returns-are-free --too-loose" in done.stdout
        assert "accept" not in done.stdout
        assert done.stdout.endswith("\nspent 99 tokens (90 in, 9 out)\n")

    async def test_beside_a_lock_it_is_a_draft(self, tmp_path: Path) -> None:
        """Which has to be accepted."""
        async with serving(sends(case())) as api:
            path = written(tmp_path, api)
            await asyncio.to_thread(call, "accept", path, "--all")
            done = await drafted(path)
            status = await asyncio.to_thread(call, "status", path, "--format=json")

        states = {
            each["id"]: each["state"] for each in json.loads(status.stdout)["cases"]
        }
        assert states == {"window": "accepted", "returns-are-free": "draft"}
        assert "It is a draft: it runs in dry runs only" in done.stdout
        assert "answerprobe accept " in done.stdout

    async def test_its_id_is_no_other_cases(self, tmp_path: Path) -> None:
        """A number tells them apart; without an id the question is one."""
        async with serving(sends(case(id="Window"), case(id=None))) as api:
            path = written(tmp_path, api)

            first, second = await drafted(path), await drafted(path)

        assert "- id: window-2\n" in first.stdout
        assert "- id: what-does-it-cost-to-send-something-back\n" in second.stdout

    async def test_its_id_is_that_of_no_retired_case(self, tmp_path: Path) -> None:
        """Which is gone from the file, but not from the lock."""
        retire = ("--case=returns-are-free", "--reason=wrong")
        async with serving(sends(case())) as api:
            path = written(tmp_path, api)
            before = path.read_text("utf-8")
            await drafted(path)
            await asyncio.to_thread(call, "accept", path, "--all")
            await asyncio.to_thread(call, "retire", path, *retire)
            path.write_text(before, encoding="utf-8")
            done = await drafted(path)

        assert "- id: returns-are-free-2\n" in done.stdout

    async def test_a_json_file_stays_json(self, tmp_path: Path) -> None:
        """With the case in it."""
        cases = [{"ask": "When?", "expect": [{"contains": "30"}]}]
        async with serving(sends(case())) as api:
            monitor = {"name": "a", "endpoint": "http://127.0.0.1:9/", "cases": cases}
            judges = {"default": {"base_url": api.url, "model": "grader"}}
            document = {"judges": judges, "monitors": [monitor]}
            path = tmp_path / "shop.json"
            path.write_text(json.dumps(document, indent=2))

            done = await drafted(path)

        (_, new) = json.loads(path.read_text())["monitors"][0]["cases"]
        assert done.status == 0
        assert new["id"] == "returns-are-free"

    async def test_mode_and_links_stay(self, tmp_path: Path) -> None:
        """A config that only its owner may read stays one."""
        async with serving(sends(case())) as api:
            path = written(tmp_path, api)
            path.chmod(0o600)
            link = tmp_path / "link.yml"
            link.symlink_to("shop.yml")

            await drafted(link)

        assert link.is_symlink()
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert path.read_text("utf-8").endswith(ADDED)


class TestForms:
    @pytest.mark.parametrize(
        ("entry", "line"),
        [
            pytest.param(
                {"criterion": "contains", "values": ["30"]}, "contains: '30'", id="text"
            ),
            pytest.param(
                {"criterion": "contains_any", "values": ["a", "b"]},
                "contains_any:\n              - a\n              - b",
                id="list",
            ),
            pytest.param(
                {"criterion": "no_pii", "values": []}, "no_pii: true", id="bare"
            ),
            pytest.param(
                {"criterion": "max_words", "values": ["80"]},
                "max_words: 80",
                id="number",
            ),
            pytest.param({"contains": "free"}, "contains: free", id="as in the file"),
        ],
    )
    async def test_of_criteria_become_ours(
        self, tmp_path: Path, entry: object, line: str
    ) -> None:
        """Those that were asked for, and those of the configuration."""
        async with serving(sends(expecting(entry))) as api:
            done = await drafted(written(tmp_path, api))

        assert f"          - {line}\n" in done.stdout

    async def test_what_is_said_twice_stands_there_once(self, tmp_path: Path) -> None:
        """Small models repeat themselves."""
        async with serving(sends(expecting(*[{"no_pii": True}] * 6))) as api:
            done = await drafted(written(tmp_path, api))

        assert done.stdout.count("no_pii") == 1

    @pytest.mark.parametrize(
        "reply",
        [
            pytest.param(f"Here it is:\n```json\n{case()}\n```\nDone.", id="fence"),
            pytest.param(f"<think>{{hm}}</think>{case()}", id="thoughts"),
            pytest.param(f'{{"note": 1}} {case()}', id="another object"),
        ],
    )
    async def test_of_replies_without_structured_output(
        self, tmp_path: Path, reply: str
    ) -> None:
        """A server that refuses it is asked again without."""

        async def script(asked: Asked) -> web.StreamResponse:
            if "response_format" in asked.body:
                error = {"message": "response_format is not supported"}
                return web.json_response({"error": error}, status=400)
            return web.json_response(completion(reply))

        async with serving(script) as api:
            path = written(tmp_path, api)
            done = await drafted(path)

        assert done.status == 0
        assert path.read_text("utf-8").endswith(ADDED)

    async def test_a_conversation_where_there_is_a_simulated_user(
        self, tmp_path: Path
    ) -> None:
        """Its shape is asked for only then."""
        talk = {"persona": "Angry.", "goal": "Get a refund.", "max_turns": 4}
        reply = case(ask=None, conversation=talk, id="")
        async with serving(sends(reply)) as api:
            user = f'simulated_user: {{ base_url: "{api.url}", model: talker }}\n'
            path = written(tmp_path, api, more=user)
            done = await drafted(path)

        assert done.status == 0, done.stderr
        assert "      - id: get-a-refund\n        conversation:\n" in done.stdout
        assert "conversation" in json.dumps(api.asked[0].body["response_format"])


class TestAsked:
    async def test_the_model_sees_words_tools_and_questions(
        self, tmp_path: Path
    ) -> None:
        """And neither the endpoint nor a secret."""
        tools = "    tools: [ { name: get_order, description: Reads one. } ]\n"
        more = tools + "    system_prompt: x\n    protocol: openai\n    model: m\n"
        async with serving(sends(case())) as api:
            path = written(tmp_path, api, more=more)
            await drafted(path)

        shown = json.loads(api.asked[0].contents[1])
        assert shown["must_be_true"] == WORDS
        assert shown["questions_there_are_already"] == ["When can I return it?"]
        assert shown["tools"] == [{"name": "get_order", "is_for": "Reads one."}]
        assert "127.0.0.1" not in api.asked[0].contents[1]
        assert "invokes_tool" in api.asked[0].contents[0]

    async def test_without_tools_no_criterion_about_them(self, tmp_path: Path) -> None:
        """It could not be met."""
        async with serving(sends(case())) as api:
            await drafted(written(tmp_path, api))

        assert "invokes_tool" not in json.dumps(api.asked[0].body)

    async def test_what_is_wrong_is_told_the_model_once(self, tmp_path: Path) -> None:
        """And then its case is taken; both requests are counted."""
        bad = expecting({"criterion": "regex", "values": ["(?=look)around"]})
        async with serving(sends(bad, case())) as api:
            path = written(tmp_path, api)
            done = await drafted(path)

        assert done.status == 0
        assert path.read_text("utf-8").endswith(ADDED)
        (_, again) = api.asked
        assert again.contents[2] == bad
        assert "\nexpect[0].regex: " in again.contents[3]
        assert "spent 198 tokens" in done.stdout


class TestNothingIsWritten:
    @pytest.mark.parametrize(
        ("reply", "says"),
        [
            pytest.param("I would ask about returns.", "no JSON object", id="prose"),
            pytest.param(case(ask=7), "`ask` is no text", id="no question"),
            pytest.param(case(ask="  "), "ask: is", id="blank question"),
            pytest.param(expecting(), "`expect` is no list", id="no criteria"),
            pytest.param(
                expecting({"criterion": "vibes", "values": ["good"]}),
                "'vibes' is no criterion",
                id="unknown criterion",
            ),
            pytest.param(
                expecting({"criterion": "max_words", "values": ["many"]}),
                "expect[0].max_words: ",
                id="value",
            ),
            pytest.param(
                expecting({"criterion": "regex", "values": ["(a"]}),
                "expect[0].regex: ",
                id="pattern",
            ),
            pytest.param(
                expecting(*[{"contains": "a"}] * 21), "21 criteria, limit 20", id="many"
            ),
            pytest.param(case(ask="a" * 5000), "5,000 characters", id="long"),
            pytest.param(
                expecting({"invokes_tool": "refund"}), "expect[0]", id="no tools here"
            ),
            pytest.param('{"expect": ' * 5000, "no JSON object", id="deep"),
            pytest.param(finished(case(), "length"), "was cut", id="cut"),
        ],
    )
    async def test_of_what_cannot_stay(
        self, tmp_path: Path, reply: object, says: str
    ) -> None:
        """After the second time the errors are told."""
        async with serving(sends(reply)) as api:
            path = written(tmp_path, api)
            before = path.read_bytes()
            done = await drafted(path)

        assert (done.status, done.stdout) == (3, "")
        assert says in done.stderr
        assert "spent 198 tokens" in done.stderr
        assert len(api.asked) == 2
        assert path.read_bytes() == before

    @pytest.mark.parametrize(
        ("reply", "says", "asked"),
        [
            pytest.param(401, "judge default: ", 1, id="key"),
            pytest.param(500, "judge default: ", 2, id="outage"),
            pytest.param(
                completion("", refusal="I can't."), "refused to draft", 1, id="refusal"
            ),
        ],
    )
    async def test_of_a_model_that_cannot_be_used(
        self, tmp_path: Path, reply: object, says: str, asked: int
    ) -> None:
        """An outage is tried again as often as the judge's `attempts` say."""
        async with serving(sends(reply)) as api:
            path = written(tmp_path, api)
            done = await drafted(path)

        assert done.status == 3
        assert says in done.stderr
        assert len(api.asked) == asked
        assert path.read_text("utf-8").count("- id: ") == 1

    async def test_of_a_server_that_is_not_there(self, tmp_path: Path) -> None:
        """It says which judge it is."""
        async with serving(sends(case())) as api:
            path = written(tmp_path, api)

        done = await drafted(path)

        assert done.status == 3
        assert "judge default: no connection" in done.stderr

    async def test_of_cases_that_are_another_monitors(self, tmp_path: Path) -> None:
        """The case is shown, to be put in by hand."""
        more = (
            "  - &two\n    name: two\n    endpoint: http://127.0.0.1:9/\n"
            "    cases: [ { ask: a, expect: [ contains: a ] } ]\n"
            "  - { <<: *two, name: three }\n"
        )
        async with serving(sends(case())) as api:
            path = written(tmp_path, api, more=more)
            before = path.read_bytes()
            done = await drafted(path, "--monitor=two")

        assert done.status == 2
        assert "Put it in yourself:\n- id: returns-are-free\n" in done.stderr
        assert path.read_bytes() == before

    async def test_over_what_somebody_else_has_written(self, tmp_path: Path) -> None:
        """While the model was thinking."""
        path = tmp_path / "shop.yml"

        async def script(_asked: Asked) -> web.StreamResponse:
            path.write_text("mine", encoding="utf-8")
            return web.json_response(completion(case()))

        async with serving(script) as api:
            done = await drafted(written(tmp_path, api))

        assert done.status == 2
        assert "was changed meanwhile; nothing was written" in done.stderr
        assert path.read_text("utf-8") == "mine"

    @pytest.mark.parametrize(
        ("more", "flags", "words", "says"),
        [
            pytest.param("oops: 1\n", (), WORDS, "oops: is no key here", id="config"),
            pytest.param(
                "", ("--monitor=shp",), WORDS, "did you mean 'shop'", id="name"
            ),
            pytest.param("", (), " ", "wanted as WORDS", id="blank"),
            pytest.param("    judge: hers\n", (), WORDS, "judge 'hers'", id="judge"),
            pytest.param(
                "  - name: b\n    endpoint: http://127.0.0.1:9/\n"
                "    cases: [ { ask: a, expect: [ contains: a ] } ]\n",
                (),
                WORDS,
                "there are several monitors: add --monitor (known: 'shop', 'b')",
                id="several",
            ),
        ],
    )
    async def test_of_a_wrong_call(
        self, tmp_path: Path, more: str, flags: tuple[str, ...], words: str, says: str
    ) -> None:
        """And the model is not asked."""
        async with serving(sends(case())) as api:
            path = written(tmp_path, api, more=more)
            done = await drafted(path, *flags, words=words)

        assert (done.status, api.asked) == (2, [])
        assert says in done.stderr


class TestHostile:
    async def test_text_is_only_ever_text(self, tmp_path: Path) -> None:
        """Neither YAML nor a terminal takes it for more; other keys are left out."""
        hostile: Mapping[str, object] = {
            "ask": "a\n  - b: c # &d *e !f \x1b[31m\u202ered\ud800\0 {g: h}\n---\n'\"",
            "endpoint": "http://evil.example/",
            "actions": {"get": {"live": {"url": "http://evil.example/"}}},
            "samples": 200,
        }
        async with serving(sends(case(**hostile))) as api:
            path = written(tmp_path, api)
            done = await drafted(path)

        text = path.read_text("utf-8")
        assert done.status == 0, done.stderr
        assert "evil" not in text
        assert "200" not in text
        assert not {"\x1b", "\u202e", "\0"} & set(text + done.stdout)
        assert "          - b: c # &d *e !f [31mred" in text

    async def test_a_secret_stays_what_it_is(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """It is sent to the judge as its key alone, and never written down."""
        monkeypatch.setenv("GRADER_KEY", "sk-planted-4711")
        echo = expecting({"contains": "sk-planted-4711"})
        async with serving(sends(echo)) as api:
            path = written(tmp_path, api)
            keyed = path.read_text().replace(
                "model: grader", "model: grader, auth: { bearer: secret.GRADER_KEY }"
            )
            path.write_text(keyed)
            done = await drafted(path, words=f"{WORDS} sk-planted-4711")

        assert api.asked[0].headers["Authorization"] == "Bearer sk-planted-4711"
        assert "planted" not in "".join(api.asked[0].contents)
        assert "planted" not in done.stdout + done.stderr


class TestImpliedJudge:
    async def test_is_asked_where_none_is_configured(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """As it would be for a judged criterion."""
        async with serving(sends(case())) as api:
            monkeypatch.setenv("OPENAI_BASE_URL", api.url)
            monkeypatch.setenv("OPENAI_API_KEY", "sk-1234567")
            path = written(tmp_path, api)
            text = path.read_text("utf-8")
            start, end = text.index("judges:"), text.index("monitors:")
            path.write_text(text[:start] + text[end:], encoding="utf-8")
            done = await drafted(path)

        assert done.status == 0, done.stderr
        assert api.asked[0].headers["Authorization"] == "Bearer sk-1234567"
