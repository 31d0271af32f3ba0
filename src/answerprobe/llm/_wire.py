"""
The openai package, with what a prober must not have taken away.

No retries (we count attempts), no variables of the environment (keys, organisations
and proxies of whoever started us are not for every server), no redirects, no body of
any length. Loading this module takes about a second: only `_llm` does, when needed.
"""

import logging
import ssl
import zlib

from collections.abc import Callable, Mapping
from datetime import datetime

import httpx2
import openai

from answerprobe import __version__
from answerprobe.connection import TlsSettings
from answerprobe.errors import LlmError, LlmFault
from answerprobe.llm._address import Address
from answerprobe.llm._faults import Refusal, retry_after_seconds
from answerprobe.text import one_line


MAX_BODY_BYTES = 1024 * 1024
_LONGEST_CAUSE = 200
_KEPT_HEADERS = ("content-type", "retry-after", "date")
_UNWRAPPED = ("gzip", "deflate")

# They log each URL, and at debug level headers: both may hold secrets.
for _name in ("httpx2", "httpcore2", "openai"):
    logging.getLogger(_name).setLevel(logging.WARNING)


class Wire:
    """
    The connections to one server; for any number of tasks at once.

    Raises:
        OSError: *tls* names a file that cannot be used.
        ValueError: *proxy* is no URL of a proxy.
    """

    def __init__(
        self,
        *,
        tls: TlsSettings,
        proxy: str | None,
        scrub: Callable[[str], str],
        now: Callable[[], datetime],
    ) -> None:
        self._scrub = scrub
        self._now = now
        self._client: _Client | None = None
        try:
            transport = httpx2.AsyncHTTPTransport(
                verify=_context(tls), trust_env=False, proxy=proxy
            )
        except httpx2.InvalidURL as exc:
            raise ValueError("the proxy's URL is malformed") from exc
        self._http = httpx2.AsyncClient(
            transport=_Bounded(transport),
            trust_env=False,
            follow_redirects=False,
            timeout=None,  # the caller's is by the wall clock
        )

    async def post(self, address: Address, body: Mapping[str, object]) -> bytes:
        """
        Send *body* as a chat completion request and return the reply's body.

        Raises:
            LlmError: there was no reply, or it was no success.
        """
        try:
            client = self._client_for(address)
            response = await client.post(
                "/chat/completions",
                cast_to=httpx2.Response,
                body=body,
                options={"headers": client.own_headers},
            )
        except openai.APIConnectionError as exc:
            raise self._not_reached(exc) from exc
        except openai.APIStatusError as exc:
            raise self._refused(exc) from exc
        except openai.OpenAIError as exc:
            message = f"the reply cannot be read: {type(exc).__name__}"
            raise LlmError(LlmFault.INVALID, message) from exc
        except (httpx2.InvalidURL, UnicodeError) as exc:
            message = f"the request cannot be sent: {type(exc).__name__}"
            raise LlmError(LlmFault.UNREACHABLE, message, permanent=True) from exc
        return response.content

    def _client_for(self, address: Address) -> "_Client":
        """Return the client that sends to *address*, a new one where it changed."""
        if self._client is None or self._client.address != address:
            self._client = _Client(address, self._http)
        return self._client

    def _not_reached(self, exc: openai.APIConnectionError) -> LlmError:
        """Return why the server was not reached, as the layers below put it."""
        cause = exc.__cause__ or exc
        kind = type(cause).__name__
        if isinstance(cause, httpx2.LocalProtocolError):
            # Its text quotes the header that cannot be sent, which may be a key.
            message = f"the request cannot be sent: {kind}"
            return LlmError(LlmFault.UNREACHABLE, message, permanent=True)
        said = one_line(self._scrub(str(cause)), _LONGEST_CAUSE)
        message = f"no connection: {kind}: {said}" if said else f"no connection: {kind}"
        return LlmError(LlmFault.UNREACHABLE, message)

    def _refused(self, exc: openai.APIStatusError) -> LlmError:
        """Return what the server's status and error mean for the caller."""
        refusal = Refusal(status=exc.status_code, error=exc.body)
        headers = exc.response.headers
        return LlmError(
            refusal.fault,
            refusal.message(self._scrub),
            permanent=refusal.permanent,
            unsupported=refusal.unsupported,
            retry_after_seconds=retry_after_seconds(
                headers.get("retry-after"), headers.get("date"), self._now()
            ),
        )

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()


class _Client(openai.AsyncOpenAI):
    """The package's client, sending the headers it is given and no others."""

    def __init__(self, address: Address, http: httpx2.AsyncClient) -> None:
        url = httpx2.URL(address.url)
        super().__init__(
            # It insists on a key and would else take one of the environment; the
            # Authorization header it makes of this is replaced or left out below.
            api_key="unused",
            # Of a base URL with a query it would make `/v1/?a=b/chat/completions`.
            base_url=url.copy_with(query=None),
            default_query=dict(url.params),
            http_client=http,
            max_retries=0,
        )
        self.address = address

    @property
    def default_headers(self) -> dict[str, str | openai.Omit]:
        """What a request carries besides `own_headers`."""
        return {
            "Accept": "application/json",
            "Accept-Encoding": "identity",
            "Content-Type": "application/json",
            "User-Agent": f"answerprobe/{__version__}",
        }

    @property
    def own_headers(self) -> dict[str, str | openai.Omit]:
        """The address's headers, and none that the package adds by itself."""
        omitted = {"x-stainless-retry-count", "x-stainless-read-timeout"}
        if not any(name.lower() == "authorization" for name in self.address.headers):
            omitted.add("Authorization")
        return {**dict.fromkeys(omitted, openai.omit), **self.address.headers}


class _Bounded(httpx2.AsyncBaseTransport):
    """Reads each body whole, error pages too, but never more than a bound."""

    def __init__(self, inner: httpx2.AsyncHTTPTransport) -> None:
        self._inner = inner

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Return the response with its body already read."""
        response = await self._inner.handle_async_request(request)
        try:
            body = bytearray()
            async for piece in response.aiter_raw():
                body += piece
                if len(body) > MAX_BODY_BYTES:
                    raise _too_large()
        finally:
            await response.aclose()
        kept = {
            name: response.headers[name]
            for name in _KEPT_HEADERS
            if name in response.headers
        }
        content = _decoded(bytes(body), response.headers.get("content-encoding", ""))
        return httpx2.Response(response.status_code, headers=kept, content=content)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._inner.aclose()


def _context(tls: TlsSettings) -> ssl.SSLContext:
    """Return how certificates are checked: the system's authorities or *tls*'s own."""
    context = ssl.create_default_context(cafile=tls.ca_file)
    if tls.insecure_skip_verify:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context


def _decoded(body: bytes, encoding: str) -> bytes:
    """Undo a compression we did not ask for but a proxy may have put there."""
    if encoding.strip().lower() not in _UNWRAPPED:
        return body
    try:
        # 32 + 15: gzip or zlib, told apart by the header.
        plain = zlib.decompressobj(32 + zlib.MAX_WBITS).decompress(
            body, MAX_BODY_BYTES + 1
        )
    except zlib.error as exc:
        message = f"the server's reply is no {encoding}"
        raise LlmError(LlmFault.INVALID, message) from exc
    if len(plain) > MAX_BODY_BYTES:
        raise _too_large()
    return plain


def _too_large() -> LlmError:
    """Return the error for a body beyond the bound."""
    message = f"the server's reply is longer than {MAX_BODY_BYTES // 1024} KiB"
    return LlmError(LlmFault.INVALID, message)
