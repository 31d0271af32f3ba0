"""Agents that break in every way we know of, asked by a whole daemon."""

import asyncio
import gzip
import json
import zlib

from dataclasses import dataclass
from pathlib import Path

import pytest

from cli.program import question
from daemon.watching import Watching, watching
from targets import raw
from targets.raw import Asked, Handler, chunk, chunked_head, http, sending


_GOOD = json.dumps({"answer": "Within 30 days."}).encode()
_PIECES = (_GOOD[:9], _GOOD[9:], b"")
_CUT = gzip.compress(_GOOD)[:-9]
_HTML = b"<!doctype html><title>Just a moment</title>30 days refund"
_DEEP = b'{"answer": "30 days", "x": ' + b"[" * 100_000 + b"]" * 100_000 + b"}"
_LARGE = json.dumps({"answer": "30 days " + "x" * (2 << 20)}).encode()
_BOMB = gzip.compress(b'{"answer": "' + b" " * (64 << 20) + b'"}')


async def _silent(_asked: Asked, _writer: asyncio.StreamWriter) -> None:
    """Take the question and say nothing."""
    await asyncio.sleep(60)


async def _drip(_asked: Asked, writer: asyncio.StreamWriter) -> None:
    """Say a letter now and then, for ever."""
    writer.write(http(length=1000))
    while True:
        writer.write(b" ")
        await writer.drain()
        await asyncio.sleep(0.05)


async def _reset(_asked: Asked, writer: asyncio.StreamWriter) -> None:
    """Break off in the middle of the headers."""
    writer.write(b"HTTP/1.1 200 OK\r\nContent-")
    await writer.drain()
    raw.hang_up(writer)


def _json(document: object) -> Handler:
    """Return a handler that sends *document*."""
    return sending(http(json.dumps(document).encode()))


_FAULTS = {
    "silence": (_silent, "timeout"),
    "drip": (_drip, "timeout"),
    "hangs up": (sending(b""), "disconnected"),
    "reset": (_reset, "disconnected"),
    "no http": (sending(b"SSH-2.0-OpenSSH_9.2\r\n\r\n"), "bad_http"),
    "bad chunk": (sending(chunked_head() + b"zz\r\n" + _GOOD), "bad_http"),
    "large header": (sending(http(_GOOD, "X-A: " + "a" * 100_000)), "bad_http"),
    "two lengths": (sending(http(_GOOD, "Content-Length: 3")), "bad_http"),
    "negative length": (sending(http(_GOOD, length=-1)), "bad_http"),
    "no last chunk": (sending(chunked_head() + chunk(_GOOD)), "incomplete_body"),
    "too short": (sending(http(_GOOD, length=999)), "incomplete_body"),
    "large": (sending(http(_LARGE)), "body_too_large"),
    "bomb": (sending(http(_BOMB, "Content-Encoding: gzip")), "body_too_large"),
    "no gzip": (sending(http(_GOOD, "Content-Encoding: gzip")), "decode"),
    "cut gzip": (sending(http(_CUT, "Content-Encoding: gzip")), "decode"),
    "no deflate": (sending(http(_GOOD, "Content-Encoding: deflate")), "decode"),
    "other coding": (sending(http(_GOOD, "Content-Encoding: br")), "decode"),
    "no text": (sending(http(b"\xff\xfe\xff")), "decode"),
    "page": (sending(http(_HTML, content_type="text/html")), "not_json"),
    "page as json": (sending(http(_HTML)), "not_json"),
    "twice a key": (sending(http(b'{"answer": "x", "answer": "30 days"}')), "not_json"),
    "deep": (sending(http(_DEEP)), "not_json"),
    "nan": (sending(http(b'{"answer": "30 days", "x": NaN}')), "not_json"),
    "digits": (sending(http(b'{"answer": ' + b"9" * 5000 + b"}")), "not_json"),
    "two documents": (sending(http(_GOOD + _GOOD)), "not_json"),
    "half a document": (sending(http(_GOOD[:-4])), "not_json"),
    "list": (_json(["30 days"]), "no_answer"),
    "other fields": (_json({"data": "30 days"}), "no_answer"),
    "number": (_json({"answer": 30}), "no_answer"),
    "echo": (_json({"message": "refund?"}), "no_answer"),
    "blank": (_json({"answer": "\u00a0\u200b\u2060\n"}), "empty_answer"),
    "empty": (_json({"answer": ""}), "empty_answer"),
    "thought": (_json({"answer": "<think>30 days</think>"}), "empty_answer"),
    "no body": (sending(http()), "empty_answer"),
    "204": (sending(http(status="204 No Content")), "empty_answer"),
    "500": (sending(http(_GOOD, status="500 Oops")), "http_status"),
    "502 page": (sending(http(_HTML, status="502 Bad Gateway")), "http_status"),
    "503": (sending(http(_GOOD, status="503 Busy")), "http_status"),
    "401": (sending(http(_GOOD, status="401 Who")), "http_status"),
    "429": (sending(http(_GOOD, status="429 Slow")), "rate_limited"),
    "101": (sending(http(status="101 Switch")), "http_status"),
    "304": (sending(http(status="304 Same")), "redirect"),
    "302": (sending(http(b"", "Location: /login", status="302 Found")), "redirect"),
    "307": (
        sending(http(b"", "Location: //b", status="307 There")),
        "redirect",
    ),
    "error": (_json({"error": {"message": "overloaded"}}), "upstream_error"),
    "error first": (_json({"error": True, "message": "30 days"}), "upstream_error"),
}
_HEALTHY = {
    "bom": sending(http(b"\xef\xbb\xbf" + _GOOD)),
    "utf-16": sending(http(_GOOD.decode().encode("utf-16"))),
    "odd charset": sending(
        http(_GOOD, content_type="application/json; charset=utf-8,charset=utf-8")
    ),
    "as html": sending(http(_GOOD, content_type="text/html")),
    "as nothing": sending(http(_GOOD, content_type="")),
    "gzip": sending(http(gzip.compress(_GOOD), "Content-Encoding: gzip")),
    "deflate": sending(http(zlib.compress(_GOOD), "Content-Encoding: deflate")),
    "chunks": sending(chunked_head() + b"".join(map(chunk, _PIECES))),
    "until it closes": sending(b"HTTP/1.0 200 OK\r\n\r\n" + _GOOD),
    "early hints": sending(b"HTTP/1.1 103 Early\r\nLink: x\r\n\r\n" + http(_GOOD)),
    "utf-32": sending(http(_GOOD.decode().encode("utf-32"))),
    "codec that is none": sending(
        http(_GOOD, content_type="application/json; charset=zlib_codec")
    ),
    "odd cookie": sending(http(_GOOD, "Set-Cookie: \u00ff=;;;; =; domain=..")),
    "odd sources": _json({"answer": "30 days", "sources": [None, 1, {"url": 5}]}),
    "echo beside it": _json({"message": "refund?", "reply": "30 days"}),
    "thought before": _json({"answer": "45 days?</think>30 days"}),
    "hostile text": _json({"answer": "30 days \0\x1b[2J\r\n{{ . }}<img src=x>\u202e"}),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What the metrics say after one run, and how often the agent was asked."""

    outcomes: dict[str, float | None]
    reason: float | None
    up: float | None
    judged: float | None
    internal: float | None
    asked: int


async def _seen(handler: Handler, folder: Path, reason: str = "timeout") -> Seen:
    """Return what a daemon sees of an agent that *handler* plays."""
    # Rules that would like the text of most faults.
    case = question("refund", contains="30 days", not_contains="Traceback", judge="x")
    async with (
        raw.serving(handler) as agent,
        watching(_config(folder, agent.url, case)) as world,
    ):
        await world.run("shop")
        return await _look(world, reason, len(agent.asked))


def _config(folder: Path, url: str, case: object, **more: object) -> Path:
    """Write the configuration of one monitor that asks *case* at *url*."""
    monitor = {
        "name": "shop",
        "type": "agent",
        "endpoint": url,
        "every": "manual",
        "within": "1s",
        "confirm": 0,
        "samples": 1,
        "cases": [case],
        **more,
    }
    judge = {"base_url": "http://127.0.0.1:9/v1", "model": "m", "attempts": 1}
    document = {
        "judges": {"default": {**judge, "calibrate": 0}},
        "monitors": [monitor],
    }
    config = folder / "answerprobe.yml"
    config.write_text(json.dumps(document), encoding="utf-8")
    return config


async def _look(world: Watching, reason: str, asked: int) -> Seen:
    """Read the metrics."""
    samples = "answerprobe_samples_total"
    return Seen(
        outcomes={
            outcome: await world.metric(samples, outcome=outcome)
            for outcome in ("pass", "fail", "error", "not_judged")
        },
        reason=await world.metric("answerprobe_sample_errors_total", reason=reason),
        up=await world.metric("answerprobe_up"),
        judged=await world.metric("answerprobe_judge_requests_total"),
        internal=await world.metric("answerprobe_internal_errors_total"),
        asked=asked,
    )


class TestFaults:
    """No usable answer came: an error with its reason, and down."""

    @pytest.mark.parametrize(
        ("handler", "reason"),
        [pytest.param(*fault, id=name) for name, fault in _FAULTS.items()],
    )
    async def test_each_has_its_reason(
        self, handler: Handler, reason: str, tmp_path: Path
    ) -> None:
        """Asked once, never retried; no rule sees it, no judge is asked."""
        seen = await _seen(handler, tmp_path, reason)

        assert seen == Seen(
            outcomes={"pass": 0, "fail": 0, "error": 1, "not_judged": 0},
            reason=1,
            up=0,
            judged=0,
            internal=0,
            asked=1,
        )


class TestHealthy:
    """Odd, and an answer all the same."""

    @pytest.mark.parametrize(
        "handler", [pytest.param(made, id=name) for name, made in _HEALTHY.items()]
    )
    async def test_each_is_graded(self, handler: Handler, tmp_path: Path) -> None:
        """The rules pass; with its judge away it is not judged, and never failed."""
        seen = await _seen(handler, tmp_path)

        assert seen == Seen(
            outcomes={"pass": 0, "fail": 0, "error": 0, "not_judged": 1},
            reason=0,
            up=1,
            judged=1,
            internal=0,
            asked=1,
        )


class TestIdleConnections:
    """An agent drops connections that it promised to keep."""

    async def test_no_sample_meets_one(self, tmp_path: Path) -> None:
        """Each has a fresh one, over several runs."""

        async def promise(_asked: Asked, writer: asyncio.StreamWriter) -> None:
            writer.write(http(_GOOD, "Connection: keep-alive"))
            await writer.drain()
            writer.close()

        async with raw.serving(promise) as agent:
            config = _config(tmp_path, agent.url, question("refund"), samples=5)
            async with watching(config) as world:
                for _ in range(3):
                    await world.run("shop")
                passed = await world.metric("answerprobe_samples_total", outcome="pass")

        assert (passed, agent.connections, len(agent.asked)) == (15, 15, 15)
