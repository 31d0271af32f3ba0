"""What is fed with hostile input: it takes bytes, and raises if a promise breaks."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress

from answerprobe import text
from answerprobe.errors import ConfigError, CriterionError, NoVerdict, ReplyError
from answerprobe.judge.parse import parse_vote
from answerprobe.lock import _text as lock
from answerprobe.pii import redact
from answerprobe.rules import RULES
from answerprobe.targets import _completion, _decode, _json
from answerprobe.targets._chat_events import ChatEvents
from answerprobe.targets._chat_reply import read
from answerprobe.targets._chunks import Chunks
from answerprobe.targets._sse import Event, EventParser
from answerprobe.targets._unpack import unpacker
from answerprobe.verdict import Outcome
from builders import criterion
from config.loading import load_text
from rules.saying import said


_QUESTION = "How long is it?"
_UNPACKED_BYTES = 1 << 20
_GRADED = [
    criterion(name, value)
    for name, value in (
        ("contains", "30 days"),
        ("not_contains", "error"),
        ("equals", "x"),
        ("starts_with", "x"),
        ("regex", r"\b\w+@\w+\b"),
        ("not_regex", r"(a|b)*c"),
        ("is_json", True),
        ("json_schema", {"type": "object", "properties": {"a": {"format": "date"}}}),
        ("max_words", 50),
        ("no_pii", True),
        ("no_refusal", True),
        ("has_citation", True),
    )
]


def config(data: bytes) -> None:
    """Load *data*: a configuration, or problems on a line each that can be printed."""
    try:
        load_text(data)
    except ConfigError as exc:
        problems = [str(problem) for problem in exc.problems]
        assert problems
        assert all(problem.isprintable() for problem in problems)


def lock_file(data: bytes) -> None:
    """Read *data* as a lock; what is read is written the same again."""
    with suppress(ConfigError, UnicodeDecodeError):
        found = lock.parse(data.decode(), "answerprobe.lock")
        assert lock.parse(lock.write(found), "answerprobe.lock") == found


def reply(data: bytes) -> None:
    """Read *data* as the reply of a chat agent and of a completion."""
    charset = _decode.charset_of("application/json")
    with suppress(ReplyError):
        document = _json.parse(_decode.decode(data, charset))
        for content in (read(document, _QUESTION), _completion.read(document)):
            said_what = content.failure is not None or content.text or content.blank
            assert said_what or content.tool_calls
            content.text.encode()


def packed(data: bytes) -> None:
    """Unpack *data*, in pieces none of which is large."""
    for coding in ("gzip", "deflate"):
        made = unpacker(coding)
        assert made is not None
        taken = 0
        with suppress(ReplyError):
            for piece in made.feed(data):
                taken += len(piece)
                assert len(piece) <= 1 << 16
                if taken > _UNPACKED_BYTES:
                    break
            else:
                made.finish()


def _events(pieces: Sequence[bytes]) -> Iterator[Event]:
    """Yield the events in a stream that comes in *pieces*, until it is broken."""
    parser = EventParser()
    with suppress(ReplyError):
        for piece in pieces:
            yield from parser.feed(piece)
        yield from parser.finish()


def stream(data: bytes) -> None:
    """Read *data* as a stream: the same events however it is cut into pieces."""
    whole = list(_events([data]))
    single = list(_events([data[i : i + 1] for i in range(len(data))]))
    assert single == whole
    for reader in (ChatEvents(_QUESTION), Chunks()):
        with suppress(ReplyError):
            for event in whole:
                if reader.take(event):
                    break
            reader.content()


def verdict(data: bytes) -> None:
    """Read *data* as a judge's reply: no pass where it says nothing of passing."""
    said_by_judge = data.decode(errors="replace")
    with suppress(NoVerdict):
        vote = parse_vote(said_by_judge, ["Within 30 days."])
        assert text.scrub(vote.reason) is not None
        if vote.passes:
            assert "pass" in said_by_judge.lower() or "\\u" in said_by_judge


def rules(data: bytes) -> None:
    """Grade *data* as an answer: a verdict with one printable reason from each rule."""
    answer = text.scrub(data.decode(errors="replace"))
    sample = said(answer)
    for each in _GRADED:
        found = each.check.check(sample)  # type: ignore[union-attr]  # no rubric here
        assert found.outcome in {Outcome.PASS, Outcome.FAIL}
        assert found.reason


def patterns(data: bytes) -> None:
    """Take *data* as the value of rules that parse theirs: fine, or refused."""
    value = data.decode(errors="replace")
    for name in ("regex", "not_regex"):
        with suppress(CriterionError):
            RULES[name].parse(value).check(said("30 days"))
    with suppress(CriterionError, ReplyError):
        schema = _json.parse(value)
        RULES["json_schema"].parse(schema).check(said('{"a": 1}'))


def personal(data: bytes) -> None:
    """Redact *data*, and find nothing more to redact in what is left."""
    answer = text.scrub(data.decode(errors="replace"))
    once = redact(answer)
    assert redact(once) == once


FUZZED: dict[str, Callable[[bytes], None]] = {
    "config": config,
    "lock": lock_file,
    "packed": packed,
    "patterns": patterns,
    "personal": personal,
    "reply": reply,
    "rules": rules,
    "stream": stream,
    "verdict": verdict,
}
