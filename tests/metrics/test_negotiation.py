"""What scrapers ask for and what they get."""

import pytest

from hypothesis import given
from hypothesis import strategies as st

from answerprobe.metrics.negotiation import Format, Negotiated, negotiate


TEXT = "text/plain; version=0.0.4; charset=utf-8"
OPENMETRICS = "application/openmetrics-text; version=1.0.0; charset=utf-8"
OPENMETRICS_0 = "application/openmetrics-text; version=0.0.1; charset=utf-8"


class TestFormat:
    """The format and its content type."""

    @pytest.mark.parametrize(
        ("accept", "content_type"),
        [
            pytest.param(None, TEXT, id="nothing"),
            pytest.param("", TEXT, id="empty"),
            pytest.param("*/*", TEXT, id="anything"),
            pytest.param("text/*", TEXT, id="any-text"),
            pytest.param("application/json", TEXT, id="something-else"),
            pytest.param("*/*;q=0", TEXT, id="nothing-at-all"),
            pytest.param(",;q,=;/;q=nan,", TEXT, id="noise"),
            pytest.param("application/openmetrics-text", OPENMETRICS, id="unversioned"),
            pytest.param(
                "APPLICATION/OpenMetrics-Text ; Version=1.0.0", OPENMETRICS, id="case"
            ),
            pytest.param(
                'application/openmetrics-text;version="1.0.0"', OPENMETRICS, id="quoted"
            ),
            pytest.param(
                "application/openmetrics-text;version=0.0.1", OPENMETRICS_0, id="older"
            ),
            pytest.param(
                "application/openmetrics-text;version=7", TEXT, id="unknown-version"
            ),
            pytest.param(
                "text/plain;version=1.0.0;q=0.9,application/openmetrics-text;q=0.1",
                OPENMETRICS,
                id="text-of-another-version",
            ),
            pytest.param(
                "application/openmetrics-text,text/plain", OPENMETRICS, id="equal"
            ),
            pytest.param(
                "application/openmetrics-text;q=0.4, text/plain;q=0.5",
                TEXT,
                id="text-liked-more",
            ),
            pytest.param(
                "application/openmetrics-text;q=0.5, text/plain;q=0.4",
                OPENMETRICS,
                id="openmetrics-liked-more",
            ),
            pytest.param(
                "application/openmetrics-text;q=0.000, */*;q=0.1", TEXT, id="refused"
            ),
            pytest.param(
                "application/openmetrics-text;q=2,text/plain;q=0.1", TEXT, id="broken-q"
            ),
            pytest.param(
                "application/openmetrics-text;version=0.0.1;q=0.9,"
                "application/openmetrics-text;version=1.0.0;q=0.2",
                OPENMETRICS_0,
                id="the-version-liked-most",
            ),
        ],
    )
    def test_follows_the_accept_header(
        self, accept: str | None, content_type: str
    ) -> None:
        """The higher q wins, text 0.0.4 is what is left."""
        assert negotiate(accept, None).content_type == content_type


class TestGzip:
    """Whether the body is compressed."""

    @pytest.mark.parametrize(
        ("accept_encoding", "gzip"),
        [
            pytest.param(None, False, id="nothing"),
            pytest.param("", False, id="empty"),
            pytest.param("gzip", True, id="gzip"),
            pytest.param("X-GZIP", True, id="old-name"),
            pytest.param("br, gzip;q=0.1", True, id="one-of-several"),
            pytest.param("*", True, id="anything"),
            pytest.param("gzip;q=0, *", False, id="all-but-gzip"),
            pytest.param("gzip;q=0.0", False, id="refused"),
            pytest.param("*;q=0", False, id="nothing-at-all"),
            pytest.param("identity, gzip;q=0.5", False, id="plain-liked-more"),
            pytest.param("identity;q=0.5, gzip", True, id="gzip-liked-more"),
            pytest.param("br", False, id="another"),
        ],
    )
    def test_follows_the_accept_encoding_header(
        self, accept_encoding: str | None, *, gzip: bool
    ) -> None:
        """Only a client that asks for it gets gzip."""
        assert negotiate(None, accept_encoding).gzip is gzip


class TestNegotiate:
    """Both headers, whatever is in them."""

    @given(
        accept=st.none() | st.text(alphabet='a*/;=q.,01 "-', max_size=40) | st.text(),
        accept_encoding=st.none() | st.text(),
    )
    def test_never_fails_and_never_echoes(
        self, accept: str | None, accept_encoding: str | None
    ) -> None:
        """Whatever is asked, the answer is one of ours."""
        found = negotiate(accept, accept_encoding)

        assert found in {
            Negotiated(text_format, content_type, gzip)
            for text_format, content_type in (
                (Format.TEXT, TEXT),
                (Format.OPENMETRICS, OPENMETRICS),
                (Format.OPENMETRICS, OPENMETRICS_0),
            )
            for gzip in (False, True)
        }
