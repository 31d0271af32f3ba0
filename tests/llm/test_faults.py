"""What a server means by an HTTP error."""

from datetime import UTC, datetime

import pytest

from hypothesis import given
from hypothesis import strategies as st

from answerprobe.errors import LlmFault
from answerprobe.llm._faults import Refusal, retry_after_seconds


NOON = datetime(2026, 3, 4, 12, 0, tzinfo=UTC)


class TestRefusal:
    @pytest.mark.parametrize(
        ("status", "error", "fault"),
        [
            pytest.param(
                400, {"code": "content_filter"}, LlmFault.REFUSED, id="filter"
            ),
            pytest.param(400, {"code": "other"}, LlmFault.UNREACHABLE, id="other"),
            pytest.param(
                500, {"code": "content_filter"}, LlmFault.UNREACHABLE, id="outage"
            ),
            pytest.param(400, None, LlmFault.UNREACHABLE, id="nothing"),
        ],
    )
    def test_a_content_filter_is_a_refusal(
        self, status: int, error: object, fault: LlmFault
    ) -> None:
        """Everything else means that the model was not to be had."""
        assert Refusal(status=status, error=error).fault is fault

    @pytest.mark.parametrize(
        ("error", "message"),
        [
            pytest.param({"message": "No\nsuch model"}, ": No such model", id="lines"),
            pytest.param({"detail": "Not here"}, ": Not here", id="detail"),
            pytest.param({"detail": [{"msg": "Bad"}]}, ": Bad", id="details"),
            pytest.param("<html>Bad gateway</html>", "", id="page"),
            pytest.param({"message": 7}, "", id="number"),
            pytest.param({"message": "y" * 900}, ": " + "y" * 199 + "…", id="long"),
        ],
    )
    def test_the_message_is_one_bounded_line(self, error: object, message: str) -> None:
        """It says what the server said, in its own words, if those are words."""
        assert Refusal(status=404, error=error).message(str) == "HTTP 404" + message

    @given(
        st.recursive(
            st.none() | st.integers() | st.text(),
            lambda inner: (
                st.lists(inner)
                | st.dictionaries(
                    st.sampled_from(
                        ["message", "param", "code", "detail", "loc", "msg"]
                    ),
                    inner,
                )
            ),
        )
    )
    def test_no_error_makes_it_crash(self, error: object) -> None:
        """Whatever JSON comes with an error is read."""
        refusal = Refusal(status=400, error=error)

        assert len(refusal.message(str)) <= 220
        assert refusal.unsupported in {
            None,
            "response_format",
            "temperature",
            "max_tokens",
        }


class TestRetryAfter:
    @pytest.mark.parametrize(
        ("value", "date", "seconds"),
        [
            pytest.param(None, None, None, id="none"),
            pytest.param("30", None, 30.0, id="seconds"),
            pytest.param(" 1.5 ", None, 1.5, id="fraction"),
            pytest.param("Wed, 04 Mar 2026 12:01:00 GMT", None, 60.0, id="instant"),
            pytest.param(
                "Wed, 04 Mar 2026 12:01:00 GMT",
                "Wed, 04 Mar 2026 12:00:50 GMT",
                10.0,
                id="by its own clock",
            ),
            pytest.param("Wed, 04 Mar 2026 11:00:00 GMT", None, 0.0, id="past"),
            pytest.param("soon", None, None, id="word"),
            pytest.param("-5", None, None, id="negative"),
            pytest.param("9" * 400, None, None, id="absurd"),
        ],
    )
    def test_seconds_and_instants_are_understood(
        self, value: str | None, date: str | None, seconds: float | None
    ) -> None:
        """What is neither asks for nothing."""
        assert retry_after_seconds(value, date, NOON) == seconds

    @given(st.text(), st.none() | st.text())
    def test_no_header_makes_it_crash(self, value: str, date: str | None) -> None:
        """A wait is never negative."""
        found = retry_after_seconds(value, date, NOON)

        assert found is None or found >= 0
