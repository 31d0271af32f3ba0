"""What the application obeys of a web configuration, also after it changed."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from answerprobe.config import WebConfig
from answerprobe.web._users import Users


@dataclass(slots=True, kw_only=True)
class WebSettings:
    """Who may come in with a password, and the *headers* of every response."""

    users: Users = field(default_factory=Users)
    headers: Mapping[str, str] = field(default_factory=dict)

    def apply(self, config: WebConfig) -> None:
        """Obey *config* from the next request on."""
        self.users.replace(config.users)
        self.headers = config.headers
