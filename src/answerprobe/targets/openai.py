"""The dialect of OpenAI-compatible APIs: `chat/completions`, plain and streamed."""

import json

from answerprobe.monitor import TargetSettings
from answerprobe.targets._chunks import Chunks
from answerprobe.targets._completion import read
from answerprobe.targets._exchange import Head
from answerprobe.targets._reading import Reading, Streamed, Whole


_BAD_REQUEST = 400
_STREAM_OPTIONS = b"stream_options"


class OpenAi:
    """Asks and reads as the OpenAI API reference says, and as others understand it."""

    path = "/chat/completions"

    def __init__(self, settings: TargetSettings) -> None:
        self.stream = settings.stream
        self._settings = settings
        self._with_stream_options = True

    def body(self, message: str) -> bytes:
        """Return the request's body; keys that are not set are not sent."""
        settings = self._settings
        body: dict[str, object] = {"model": settings.model, "messages": []}
        messages = [{"role": "user", "content": message}]
        if settings.system_prompt is not None:
            messages.insert(0, {"role": "system", "content": settings.system_prompt})
        body["messages"] = messages
        if settings.temperature is not None:
            body["temperature"] = settings.temperature
        if settings.max_tokens is not None:
            body["max_tokens"] = settings.max_tokens
        if settings.stream:
            body["stream"] = True
            if self._with_stream_options:
                body["stream_options"] = {"include_usage": True}
        return json.dumps(body).encode()

    def texts(self, message: str) -> tuple[str, ...]:
        """Return the system prompt and *message*."""
        return (self._settings.system_prompt or "", message)

    def reading(self, message: str) -> Reading:  # noqa: ARG002 - Dialect's
        """Return what takes in the reply to *message*."""
        whole = Whole(read)
        return Streamed(Chunks(), whole) if self.stream else whole

    def asks_again(self, body: bytes, head: Head) -> bool:
        """Ask without `stream_options` where that is what *head* refuses; for good."""
        refused = (
            head.status == _BAD_REQUEST
            and b'"%b": {' % _STREAM_OPTIONS in body
            and _STREAM_OPTIONS in head.body
        )
        if refused:
            self._with_stream_options = False
        return refused
