"""One model on one server."""

import asyncio

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Protocol

from answerprobe.connection import Connection, TlsSettings
from answerprobe.errors import LlmError, LlmFault, SecretError
from answerprobe.llm._address import Address
from answerprobe.llm._completion import Completion, read_completion
from answerprobe.llm._faults import MAX_TOKENS, RESPONSE_FORMAT, TEMPERATURE
from answerprobe.sample import estimate_tokens


Message = Mapping[str, str]


class _Wire(Protocol):
    """What is needed of the connections to a server."""

    async def post(self, address: Address, body: Mapping[str, object]) -> bytes:
        """Send *body* and return the reply's."""
        ...

    async def close(self) -> None:
        """Close the connections."""
        ...


class Llm:
    """
    A model behind an OpenAI-compatible API.

    Secrets are read anew for each call. What a server does not take (structured
    output, a temperature, `max_tokens` under that name) is left out and, once that has
    helped, remembered. *scrub* takes secrets out of what a server says; by *now* it is
    told how far off an instant is that a server names.
    """

    def __init__(
        self,
        connection: Connection,
        model: str,
        *,
        scrub: Callable[[str], str],
        now: Callable[[], datetime],
    ) -> None:
        self._connection = connection
        self._model = model
        self._scrub = scrub
        self._now = now
        self._unsupported: frozenset[str] = frozenset()
        self._wires: dict[str | None, _Wire] = {}
        # Protects _wires: of several first calls one opens the connections.
        self._opening = asyncio.Lock()

    @property
    def structured(self) -> bool:
        """Whether the server is not known to refuse `response_format`."""
        return RESPONSE_FORMAT not in self._unsupported

    async def complete(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int,
        temperature: float | None = None,
        response_format: Mapping[str, object] | None = None,
        timeout_seconds: float,
    ) -> Completion:
        """
        Return what the model says to *messages*, within *timeout_seconds* a request.

        Raises:
            LlmError: no usable reply came; its message names no secret.
        """
        wanted = {
            MAX_TOKENS: max_tokens,
            TEMPERATURE: temperature,
            RESPONSE_FORMAT: response_format,
        }
        prompt_tokens = estimate_tokens(*(m["content"] for m in messages))
        dropped = self._unsupported
        while True:
            body = {
                "model": self._model,
                "messages": list(messages),
                **_parameters(wanted, dropped),
            }
            try:
                reply = await self._post(body, timeout_seconds, prompt_tokens)
            except LlmError as exc:
                if exc.unsupported is None or exc.unsupported in dropped:
                    raise
                dropped |= {exc.unsupported}
                continue
            self._unsupported |= dropped
            return read_completion(reply, prompt_tokens=prompt_tokens)

    async def _post(
        self, body: Mapping[str, object], timeout_seconds: float, prompt_tokens: int
    ) -> bytes:
        """Send *body* and return the reply's; past the time limit that is an error."""
        wire, address = await self._opened()
        try:
            async with asyncio.timeout(timeout_seconds):
                return await wire.post(address, body)
        except TimeoutError as exc:
            raise LlmError(
                LlmFault.UNREACHABLE,
                f"no reply within {timeout_seconds:g} s",
                input_tokens=prompt_tokens,
                estimated=True,
            ) from exc

    async def _opened(self) -> tuple[_Wire, Address]:
        """Return the connections, opened if need be, and where to send right now."""
        proxy = self._connection.proxy
        try:
            address = Address.revealed(self._connection)
            wire = await self._wire(proxy.reveal() if proxy else None)
        except SecretError as exc:
            raise _unusable(str(exc)) from exc
        except OSError as exc:  # ssl.SSLError is one
            raise _unusable(f"tls.ca_file cannot be used: {exc.strerror}") from exc
        except (ValueError, ImportError) as exc:
            raise _unusable("proxy cannot be used: not http or https") from exc
        return wire, address

    async def _wire(self, proxy: str | None) -> _Wire:
        """Return the connections through *proxy*, opened if need be."""
        async with self._opening:
            if proxy not in self._wires:
                self._wires[proxy] = await asyncio.to_thread(
                    _open, self._connection.tls, proxy, self._scrub, self._now
                )
            return self._wires[proxy]

    async def close(self) -> None:
        """Close every connection; calls under way fail."""
        wires = list(self._wires.values())
        self._wires.clear()
        for wire in wires:
            await wire.close()


def _open(
    tls: TlsSettings,
    proxy: str | None,
    scrub: Callable[[str], str],
    now: Callable[[], datetime],
) -> _Wire:
    """
    Open connections, in a thread.

    The one import inside a function: it brings the openai package, which takes a second
    to load and which a daemon without judged criteria never needs.
    """
    from answerprobe.llm._wire import Wire  # noqa: PLC0415

    return Wire(tls=tls, proxy=proxy, scrub=scrub, now=now)


def _parameters(
    wanted: Mapping[str, object], dropped: frozenset[str]
) -> dict[str, object]:
    """Return the parameters that are *wanted* in the form that the server takes."""
    parameters = {
        name: value
        for name, value in wanted.items()
        if value is not None and name not in dropped
    }
    if MAX_TOKENS in dropped:
        parameters["max_completion_tokens"] = wanted[MAX_TOKENS]
    return parameters


def _unusable(message: str) -> LlmError:
    """Return the error for settings with which no request can be made."""
    return LlmError(LlmFault.UNREACHABLE, message, permanent=True)
