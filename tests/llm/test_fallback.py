"""What a server does not take is left out, and that is remembered."""

from collections.abc import Callable

import pytest

from aiohttp import web

from answerprobe.errors import LlmError
from judge.api import Asked, Script, completion, sends, serving
from llm.asking import ask, model


def refusing(refused: Callable[[Asked], object], status: int = 400) -> Script:
    """Return a server that answers *status* with what *refused* gives, if anything."""

    async def script(asked: Asked) -> web.StreamResponse:
        body = refused(asked)
        if body is None:
            return web.json_response(completion("fine"))
        return web.json_response(body, status=status)

    return script


def about(parameter: str, body: object) -> Callable[[Asked], object]:
    """Refuse requests that have *parameter*, with *body*."""
    return lambda asked: body if parameter in asked.body else None


FORMAT = "response_format"
REFUSALS = [
    pytest.param(
        FORMAT,
        {"error": {"message": "Invalid value.", "param": "response_format.type"}},
        400,
        id="format by param",
    ),
    pytest.param(
        FORMAT,
        {"error": {"message": "json_schema output is not supported by m-1"}},
        400,
        id="format by message",
    ),
    pytest.param(
        FORMAT,
        {"detail": [{"loc": ["body", FORMAT], "msg": "Extra inputs", "input": {}}]},
        422,
        id="format by location",
    ),
    pytest.param(
        FORMAT, {"detail": "response_format is unknown"}, 422, id="format by detail"
    ),
    pytest.param(
        "temperature",
        {"error": {"message": "Only the default is supported", "param": "temperature"}},
        400,
        id="temperature by param",
    ),
    pytest.param(
        "temperature",
        {"error": {"message": "`temperature` is deprecated for this model."}},
        400,
        id="temperature by message",
    ),
    pytest.param(
        "max_tokens",
        {
            "error": {
                "message": "Unsupported: use 'max_completion_tokens' instead.",
                "param": "max_tokens",
            }
        },
        400,
        id="max_tokens",
    ),
]


class TestFallback:
    @pytest.mark.parametrize(("parameter", "body", "status"), REFUSALS)
    async def test_a_refused_parameter_is_left_out_at_once(
        self, parameter: str, body: object, status: int
    ) -> None:
        """The caller gets its reply and never learns of the detour."""
        async with (
            serving(refusing(about(parameter, body), status)) as api,
            model(api.connection) as llm,
        ):
            reply = await ask(llm)

        assert reply.text == "fine"
        assert [parameter in asked.body for asked in api.asked] == [True, False]

    @pytest.mark.parametrize(("parameter", "body", "status"), REFUSALS)
    async def test_it_is_remembered(
        self, parameter: str, body: object, status: int
    ) -> None:
        """The second call leaves it out from the start."""
        async with (
            serving(refusing(about(parameter, body), status)) as api,
            model(api.connection) as llm,
        ):
            for _ in range(2):
                await ask(llm)

        assert [parameter in asked.body for asked in api.asked] == [True, False, False]
        assert llm.structured is (parameter != FORMAT)

    async def test_the_limit_goes_under_its_new_name(self) -> None:
        """`max_tokens` is renamed, not dropped."""
        body = {"error": {"message": "Use max_completion_tokens."}}
        async with (
            serving(refusing(about("max_tokens", body))) as api,
            model(api.connection) as llm,
        ):
            await ask(llm)

        assert api.asked[1].body["max_completion_tokens"] == 50

    async def test_several_are_left_out_one_after_another(self) -> None:
        """A server may name only the first that it does not take."""

        def refused(asked: Asked) -> object:
            for parameter in ("temperature", FORMAT):
                if parameter in asked.body:
                    return {"error": {"message": f"{parameter} is unknown"}}
            return None

        async with serving(refusing(refused)) as api, model(api.connection) as llm:
            reply = await ask(llm)

        assert reply.text == "fine"
        assert api.asked[-1].body.keys() == {"model", "messages", "max_tokens"}

    async def test_what_did_not_help_is_not_remembered(self) -> None:
        """A server that always says so is asked once more, and in full next time."""
        body = {"error": {"message": "temperature out of range"}}
        async with (
            serving(refusing(lambda _: body)) as api,
            model(api.connection) as llm,
        ):
            for _ in range(2):
                with pytest.raises(LlmError, match="temperature out of range"):
                    await ask(llm)

        sent = ["temperature" in asked.body for asked in api.asked]
        assert sent == [True, False, True, False]

    async def test_other_bad_requests_are_no_reason(self) -> None:
        """A context that is too long is refused, whatever we leave out."""
        body = {"error": {"message": "too long, max_tokens included", "code": "x"}}
        async with (
            serving(refusing(lambda _: body)) as api,
            model(api.connection) as llm,
        ):
            with pytest.raises(LlmError, match="too long"):
                await ask(llm)

        assert len(api.asked) == 1

    async def test_an_outage_is_no_reason(self) -> None:
        """Only a bad request can be about a parameter."""
        async with serving(sends(500)) as api, model(api.connection) as llm:
            with pytest.raises(LlmError):
                await ask(llm)

        assert llm.structured
        assert len(api.asked) == 1
