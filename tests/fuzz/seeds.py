"""Good inputs to begin with: what is hostile is near to what is good."""

import gzip
import json

from answerprobe.lock import Lock
from answerprobe.lock import _text as lock
from config.test_hostile import GOOD


_DELTA = {"choices": [{"index": 0, "delta": {"content": "At nine."}}]}
_CALL = {"id": "1", "function": {"name": "look", "arguments": '{"id": 7}'}}
_COMPLETION = {
    "model": "m-1",
    "choices": [
        {
            "finish_reason": "stop",
            "message": {"content": "<think>Hm.</think>At nine.", "tool_calls": [_CALL]},
        }
    ],
    "usage": {"prompt_tokens": 9, "completion_tokens": 4},
}
_ANSWER = (
    "I'm sorry, I can't help. Mail jane.roe@example.org or call +49 30 901820, card "
    "4111 1111 1111 1111 [1]. See https://example.org/a (Smith, 2020).\n[1]: x"
)


def _json(document: object) -> bytes:
    """Return *document* as an agent sends it."""
    return json.dumps(document).encode()


SEEDS: dict[str, tuple[bytes, ...]] = {
    "config": (GOOD.encode(), b"monitors: [*a]", b"a: &a [*a]", b"{a: {b: [1e999]}}"),
    "lock": (lock.write(Lock()).encode(), b"[[case]]\nid = 'a'\n"),
    "packed": (gzip.compress(b"30 days" * 99), gzip.compress(b"") + b"\x00x", b"x\x9c"),
    "patterns": (b"(a+)+$", b'{"type": "object", "$ref": "#"}', b'{"pattern": "("}'),
    "personal": (_ANSWER.encode(), b"DE89 3704 0044 0532 0130 00", b"078-05-1120"),
    "reply": (
        _json({"answer": "At nine."}),
        _json({"message": "How long is it?", "reply": "x", "sources": [{"url": "u"}]}),
        _json(_COMPLETION),
        '{"answer": "é"}'.encode("utf-16"),
        b"\xef\xbb\xbf{}",
    ),
    "rules": (_ANSWER.encode(), b'```json\n{"a": "2026-11-30"}\n```', b"As an AI, "),
    "stream": (
        b"event: message\r\ndata: " + _json(_DELTA) + b"\r\n\r\ndata: [DONE]\n\n",
        b'data: {"answer": "At"}\n\ndata: nine\rdata\r\r: hm\nid: 7\n\n',
        b"\xef\xbb\xbfdata: \xc3\xa9\n\n",
    ),
    "verdict": (
        b'{"reason": "It says so.", "verdict": "pass"}',
        b'<think>{"verdict"</think>```json\n{"verdict": "fail", "reason": "x"}\n```',
    ),
}
