"""Where a request goes, and what opens the door."""

import pytest

from answerprobe.connection import Connection, Oauth2Auth
from answerprobe.errors import LlmError
from answerprobe.llm._address import Address
from answerprobe.secret import Secret


class TestAddress:
    """What a model is asked with."""

    def test_oauth2_is_refused(self) -> None:
        """Asking again cannot help; the message says what can be used."""
        auth = Oauth2Auth(
            client_id=Secret("a"), client_secret=Secret("b"), token_url=Secret("c")
        )

        with pytest.raises(LlmError, match="bearer, basic, header") as caught:
            Address.revealed(Connection(url=Secret("http://a.example/"), auth=auth))

        assert caught.value.permanent
