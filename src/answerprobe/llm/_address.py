"""Where a request goes and what opens the door, as it is right now."""

import base64

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Self

from answerprobe.connection import (
    Auth,
    BasicAuth,
    BearerAuth,
    Connection,
    HeaderAuth,
    Oauth2Auth,
)
from answerprobe.errors import LlmError, LlmFault


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """A revealed URL and headers: secrets, so nothing of it is ever shown."""

    url: str = field(repr=False)
    headers: Mapping[str, str] = field(repr=False)

    @classmethod
    def revealed(cls, connection: Connection) -> Self:
        """
        Return the address of *connection* with the present values of its secrets.

        Raises:
            SecretError: a secret is missing or empty.
            LlmError: its auth is oauth2, which no model is asked with.
        """
        headers = {name: value.reveal() for name, value in connection.headers.items()}
        if connection.auth is not None:
            name, value = _auth_header(connection.auth)
            written = [given for given in headers if given.lower() == name.lower()]
            for given in written:
                del headers[given]
            headers[name] = value
        return cls(url=connection.url.reveal(), headers=headers)


def _auth_header(auth: Auth) -> tuple[str, str]:
    """Return name and value of the header that *auth* stands for."""
    match auth:
        case BearerAuth():
            return "Authorization", f"Bearer {auth.token.reveal()}"
        case BasicAuth():
            pair = f"{auth.username.reveal()}:{auth.password.reveal()}"
            return "Authorization", f"Basic {base64.b64encode(pair.encode()).decode()}"
        case HeaderAuth():
            return auth.name, auth.value.reveal()
        case Oauth2Auth():
            message = (
                "oauth2 is for agents; a model is asked with bearer, basic, header"
            )
            raise LlmError(LlmFault.UNREACHABLE, message, permanent=True)
