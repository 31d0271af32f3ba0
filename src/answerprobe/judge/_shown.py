"""What of a sample a judge is shown: cleaned, and bounded."""

import json
import re

from collections.abc import Callable, Iterator, Mapping, Sequence

from answerprobe.sample import Sample, Speaker, ToolCall
from answerprobe.text import scrub


MAX_ANSWER_BYTES = 16 * 1024
MAX_CONVERSATION_BYTES = 64 * 1024
MAX_TOOL_CALLS = 50
MAX_TOOL_VALUE_BYTES = 2 * 1024
_LEFT_OUT = "… [a part in the middle is left out here] …"
# What no reader sees but a model reads: zero-width and bidirectional marks, soft
# hyphens, fillers, variation selectors, and the tag characters that spell hidden ASCII.
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    "\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)

Scrub = Callable[[str], str]


def data_of(sample: Sample, secrets_out: Scrub) -> Mapping[str, object]:
    """Return what the agent did, bounded and cleaned."""
    answer = _head_and_tail(
        cleaned(_ends(sample.answer), secrets_out), MAX_ANSWER_BYTES
    )
    calls = _Calls(len(sample.tool_calls), secrets_out)
    if not _is_conversation(sample):
        return {"answer": answer, **calls.shown(sample.tool_calls)}
    return {"conversation": _conversation(sample, calls, secrets_out), "answer": answer}


def _is_conversation(sample: Sample) -> bool:
    """Whether the agent was talked with, and not just asked once."""
    asked = sum(turn.speaker is Speaker.USER for turn in sample.turns)
    return sample.termination is not None or asked > 1


def _conversation(
    sample: Sample, calls: "_Calls", secrets_out: Scrub
) -> list[Mapping[str, object]]:
    """Return all that was said, each text by its share of what can be shown."""
    texts = [cleaned(_ends(turn.text), secrets_out) for turn in sample.turns]
    if sum(len(text.encode()) for text in texts) > MAX_CONVERSATION_BYTES:
        share_bytes = MAX_CONVERSATION_BYTES // len(texts)
        texts = [_head_and_tail(text, share_bytes) for text in texts]
    return [
        {"role": turn.speaker.value, "text": text, **calls.shown(turn.tool_calls)}
        for turn, text in zip(sample.turns, texts, strict=True)
    ]


class _Calls:
    """
    The tool calls of one sample as the judge sees them.

    Of too many, *total*, those in the middle are left out, and that is said.
    """

    def __init__(self, total: int, secrets_out: Scrub) -> None:
        self._left_out = range(MAX_TOOL_CALLS // 2, total - MAX_TOOL_CALLS // 2)
        if total <= MAX_TOOL_CALLS:
            self._left_out = range(0)
        self._secrets_out = secrets_out
        self._seen = 0

    def shown(self, calls: Sequence[ToolCall]) -> Mapping[str, object]:
        """Return the next *calls* of the sample as members of a JSON object."""
        numbered = list(enumerate(calls, self._seen))
        self._seen += len(calls)
        kept = [call for number, call in numbered if number not in self._left_out]
        members: dict[str, object] = {}
        if kept:
            members["tool_calls"] = [_call(call, self._secrets_out) for call in kept]
        if len(kept) < len(calls):
            members["tool_calls_left_out"] = len(calls) - len(kept)
        return members


def _call(call: ToolCall, secrets_out: Scrub) -> Mapping[str, object]:
    """Return what was sent to a tool and what came back."""
    name = _head_and_tail(cleaned(call.name, secrets_out), MAX_TOOL_VALUE_BYTES)
    back = ("result", call.result) if call.error is None else ("error", call.error)
    return {
        "name": name,
        "arguments": _value(call.arguments, secrets_out),
        back[0]: _value(back[1], secrets_out),
        "source": call.source.value,
    }


def _value(value: object, secrets_out: Scrub) -> object:
    """Return a JSON value cleaned, or the start and end of its text if it is long."""
    clean = _cleaned_value(value, secrets_out)
    text = json.dumps(clean, ensure_ascii=False)
    if len(text.encode()) <= MAX_TOOL_VALUE_BYTES:
        return clean
    return _head_and_tail(text, MAX_TOOL_VALUE_BYTES)


def _cleaned_value(value: object, secrets_out: Scrub) -> object:
    """Return a JSON value with every text in it cleaned."""
    if isinstance(value, str):
        return cleaned(value, secrets_out)
    if isinstance(value, Mapping):
        return {
            cleaned(str(key), secrets_out): _cleaned_value(item, secrets_out)
            for key, item in value.items()
        }
    if isinstance(value, list | tuple):
        return [_cleaned_value(item, secrets_out) for item in value]
    return value


def texts_in(value: object) -> Iterator[str]:
    """Yield every text in a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from texts_in(item)
    elif isinstance(value, list):
        for item in value:
            yield from texts_in(item)


def cleaned(text: str, secrets_out: Scrub) -> str:
    """Return *text* without secrets and without what no reader would see."""
    return visible(secrets_out(text))


def visible(text: str) -> str:
    """Return *text* without what no reader would see."""
    clean = scrub(text)
    return clean if clean.isascii() else _INVISIBLE.sub("", clean)


def _ends(text: str) -> str:
    """
    Return about four times of *text* what is kept of it in the end.

    It is cleaned before it is cut, so that no half secret stays at the cut; but a
    megabyte need not be.
    """
    half = 2 * MAX_ANSWER_BYTES
    return text if len(text) <= 2 * half else text[:half] + text[-half:]


def _head_and_tail(text: str, limit_bytes: int) -> str:
    """Return *text*, or its start and end where it has more than *limit_bytes*."""
    encoded = text.encode()
    if len(encoded) <= limit_bytes:
        return text
    half = limit_bytes // 2
    head = encoded[:half].decode("utf-8", "ignore")
    tail = encoded[-half:].decode("utf-8", "ignore")
    return f"{head}{_LEFT_OUT}{tail}"
