import asyncio
import io
import json
import logging
import warnings

import pytest
import structlog

from hypothesis import given
from hypothesis import strategies as st

from answerprobe.cli import _logging
from answerprobe.secret import Scrubber, Secret, SecretSource


pytestmark = pytest.mark.usefixtures("logging_restored")
KEY = "sk-very-secret-value"


def keep(text: str) -> str:
    """Mask nothing."""
    return text


@pytest.fixture
def log() -> io.StringIO:
    """Return where the log goes, in logfmt."""
    stream = io.StringIO()
    _logging.configure("info", "logfmt", keep, stream)
    return stream


def as_json() -> io.StringIO:
    """Return where the log goes, in JSON."""
    stream = io.StringIO()
    _logging.configure("info", "json", keep, stream)
    return stream


def scrubbed(form: str) -> io.StringIO:
    """Return where the log goes, with the secret KEY masked."""
    source = SecretSource(environment={"KEY": KEY})
    Secret("secret.KEY", source).reveal()
    stream = io.StringIO()
    _logging.configure("info", form, Scrubber(source).scrub, stream)
    return stream


def fail(words: str) -> None:
    """Raise an error that says *words*."""
    raise ZeroDivisionError(words)


class TestLogfmt:
    def test_an_event_is_one_line_of_key_values(self, log: io.StringIO) -> None:
        """Instant, level and event first."""
        structlog.get_logger().info("run.finished", monitor="shop", ok=True, n=3)

        ts, rest = log.getvalue().split(" ", 1)
        assert ts.startswith("ts=20")
        assert rest == "level=info event=run.finished monitor=shop ok=true n=3\n"

    @pytest.mark.parametrize(
        ("value", "written"),
        [
            pytest.param("two words", '"two words"', id="space"),
            pytest.param("", '""', id="empty"),
            pytest.param('say "hi"', r'"say \"hi\""', id="quotes"),
            pytest.param("a\nlevel=error", r'"a\nlevel=error"', id="newline"),
            pytest.param('a\\" event=x', r'"a\\\" event=x"', id="backslash"),
            pytest.param("\x1b[31mred", r'"\u001b[31mred"', id="ansi"),
            pytest.param("\x9b31mred", r'"\u009b31mred"', id="c1"),
            pytest.param("a\u2028b", r'"a\u2028b"', id="line-separator"),
            pytest.param("\u202eabc", r'"\u202eabc"', id="bidi"),
            pytest.param("\udcff", r'"\udcff"', id="lone-surrogate"),
            pytest.param("日本", "日本", id="letters"),
            pytest.param(None, '""', id="nothing"),
            pytest.param(["a", 1], "\"['a', 1]\"", id="list"),
        ],
    )
    def test_a_value_cannot_forge_anything(
        self, log: io.StringIO, value: object, written: str
    ) -> None:
        """Neither a line, nor a key, nor the colours of a terminal."""
        structlog.get_logger().info("x", value=value)

        assert log.getvalue().endswith(f"event=x value={written}\n")

    def test_less_important_events_are_left_out(self, log: io.StringIO) -> None:
        """At the level info there is no debug."""
        structlog.get_logger().debug("x")

        assert log.getvalue() == ""


class TestJson:
    @given(st.text())
    def test_any_value_comes_back_from_one_printable_line(self, value: str) -> None:
        """What was logged is what a reader of the JSON gets."""
        stream = as_json()
        structlog.get_logger().info("x", value=value)

        line = stream.getvalue()
        assert line[:-1].isprintable()
        assert json.loads(line)["value"] == value

    def test_what_every_event_has_is_there(self) -> None:
        """Under the names of logfmt."""
        stream = as_json()
        structlog.get_logger().warning("x", n=1)

        event = json.loads(stream.getvalue())
        assert list(event) == ["ts", "level", "event", "n"]
        assert (event["level"], event["n"]) == ("warning", 1)


@pytest.mark.parametrize("form", _logging.FORMATS)
class TestSecrets:
    def test_they_are_masked_in_every_value(self, form: str) -> None:
        """Also where the value is no text."""
        stream = scrubbed(form)
        structlog.get_logger().info(f"x {KEY}", a=f"key {KEY}", b=[KEY], c={"k": KEY})

        assert KEY not in stream.getvalue()
        assert "<secret>" in stream.getvalue()

    def test_they_are_masked_in_tracebacks(self, form: str) -> None:
        """Which are one line too."""
        stream = scrubbed(form)
        try:
            fail(f"no such key: {KEY}")
        except ZeroDivisionError:
            structlog.get_logger().exception("run.failed")

        assert KEY not in stream.getvalue()
        assert "ZeroDivisionError" in stream.getvalue()
        assert stream.getvalue().count("\n") == 1

    def test_they_are_masked_in_what_libraries_log(self, form: str) -> None:
        """With arguments and tracebacks."""
        stream = scrubbed(form)
        try:
            fail(KEY)
        except ZeroDivisionError:
            logging.getLogger("aiohttp.server").exception("key %s\nnext", KEY)

        assert KEY not in stream.getvalue()
        assert "aiohttp.server" in stream.getvalue()
        assert "ZeroDivisionError" in stream.getvalue()
        assert stream.getvalue().count("\n") == 1


class TestLibraries:
    async def test_asyncio_speaks_as_we_do(self, log: io.StringIO) -> None:
        """An exception that nobody fetched is one line."""
        loop = asyncio.get_running_loop()
        loop.call_exception_handler({"message": "a\nb", "exception": OSError("c\nd")})

        assert log.getvalue().count("\n") == 1
        assert "level=error" in log.getvalue()
        assert "logger=asyncio" in log.getvalue()

    def test_warnings_are_lines_too(self, log: io.StringIO) -> None:
        """What a library warns of comes as an event."""
        with warnings.catch_warnings():
            warnings.simplefilter("always")
            _logging.configure("info", "logfmt", keep, log)
            warnings.warn("old\nway", stacklevel=1)

        assert log.getvalue().count("\n") == 1
        assert "old" in log.getvalue()

    def test_their_small_talk_is_left_out(self, log: io.StringIO) -> None:
        """They speak of every request at info."""
        logging.getLogger("httpx").info("HTTP Request: POST ...")

        assert log.getvalue() == ""

    def test_an_agents_cookies_are_not_quoted(self, log: io.StringIO) -> None:
        """aiohttp warns of each that it cannot read, in the agent's words."""
        logging.getLogger("aiohttp.client").warning("Can not load cookies: ...")

        assert log.getvalue() == ""


class _Gone(io.StringIO):
    """A stream whose reader went away."""

    def write(self, text: str) -> int:
        """Fail as a broken pipe does."""
        raise BrokenPipeError(text)


def test_a_log_that_nobody_reads_ends_nothing() -> None:
    """`answerprobe serve 2>&1 | head` must not stop the daemon's work."""
    _logging.configure("info", "logfmt", keep, _Gone())

    structlog.get_logger().info("x")
    logging.getLogger("aiohttp.server").error("y")
