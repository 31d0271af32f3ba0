"""promptfoo's providers as targets of monitors."""

import re

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import UnionType

from yarl import URL

from answerprobe.promptfoo._body import SESSION_ID, answer_path, asked_in, parsed_body
from answerprobe.promptfoo._options import Options, options_of, without_key
from answerprobe.promptfoo._secrets import (
    has_key,
    named_after,
    safe_text,
    without_keys,
)
from answerprobe.promptfoo._source import Item, Lost, Notes, is_file
from answerprobe.promptfoo._template import (
    Unfollowable,
    fill,
    places,
    without_environment,
)


_DEFAULT_MODEL = "gpt-4.1-2025-04-14"
_MESSAGE = "{{message}}"
_SESSION = "{{session}}"
_PROMPT = re.compile(r"\{\{-?\s*prompt\s*-?\}\}")
_PAIR = re.compile(r"([?&])([^=&#]+)=([^&#]*)")
_VARIABLE = re.compile(r"[A-Za-z_]\w*")
_REFERENCE = re.compile(r"secret\.\w+")
# Name of a provider -> base URL and the variable that has its key.
_COMPATIBLE: Mapping[str, tuple[str, str | None]] = {
    "openai": ("https://api.openai.com/v1", "OPENAI_API_KEY"),
    "openrouter": ("https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"),
    "groq": ("https://api.groq.com/openai/v1", "GROQ_API_KEY"),
    "deepseek": ("https://api.deepseek.com/v1", "DEEPSEEK_API_KEY"),
    "mistral": ("https://api.mistral.ai/v1", "MISTRAL_API_KEY"),
    "togetherai": ("https://api.together.xyz/v1", "TOGETHER_API_KEY"),
    "ollama": ("http://localhost:11434/v1", None),
}
_CHAT = frozenset({"chat", "responses"})
_OTHER = frozenset(
    {
        "completion", "embedding", "embeddings", "moderation", "image", "tts", "speech",
        "transcription", "realtime", "video", "assistant", "agents", "chatkit",
        "codex", "codex-sdk", "codex-app-server", "codex-desktop", "live",
    }
)  # fmt: skip
_OPTIONS = frozenset({"id", "label", "config", "prompts", "transform"})
_OPENAI = frozenset(
    {
        "temperature", "max_tokens", "max_completion_tokens", "max_output_tokens",
        "apiBaseUrl", "apiHost", "apiKey", "apiKeyEnvar", "headers", "stream",
    }
)  # fmt: skip
_MOST_TOKENS = ("max_completion_tokens", "max_output_tokens", "max_tokens")
_HTTP = frozenset(
    {
        "url",
        "method",
        "headers",
        "body",
        "transformResponse",
        "responseParser",
        "queryParams",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """
    Whom to ask: the keys of a monitor, what it is called, and its prompts.

    *variable* is what is sent in place of the prompt, None for the prompt itself;
    *prompts* are the labels of those that are for it, None for all.
    """

    name: str
    keys: dict[str, object]
    at: Item
    variable: str | None = None
    prompts: frozenset[str] | None = None
    takes_system: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Providers:
    """
    Turns providers into targets.

    *fixed* are the variables of the default test that no test changes, *same* those
    that all tests happen to agree on. What is lost or changed is noted in *notes*.
    """

    fixed: Mapping[str, object]
    same: Mapping[str, object]
    notes: Notes

    def targets(self, listed: Item) -> Iterator[Target]:
        """Yield the targets of all providers that have a counterpart."""
        for entry in listed.items:
            target = self.target(entry)
            if target:
                yield target

    def target(self, entry: Item) -> Target | None:
        """Return the target of the provider *entry*, None where it has none."""
        options = options_of(entry)
        name = options.text("id")
        try:
            return self._target(name or "", options)
        except (Lost, Unfollowable) as exc:
            what = f"provider {without_key(name or 'without a name')}"
            self.notes.add(entry, what, f"left out: {exc}")
            return None

    def _target(self, name: str, options: Options) -> Target:
        """Return the target of the provider called *name*."""
        if not name:
            raise Lost("has no `id`")
        if options.at.get("transform"):
            raise Lost("code makes something else of its answers (`transform`)")
        self.notes.no_mapping(options.at.get("config"), "config")
        for key in options.at.mapping:
            if key not in _OPTIONS:
                line = options.at.key_line(key)
                self.notes.add(options.at, key, "has no counterpart", line=line)
        kind, _, rest = name.partition(":")
        if kind in ("http", "https"):
            return self._http(name, options)
        if kind in _COMPATIBLE:
            return self._openai(kind, rest, options)
        if is_file(name) or kind in ("exec", "python", "javascript", "ruby", "golang"):
            raise Lost("it is code; put the agent behind HTTP")
        raise Lost("its protocol is not spoken; an OpenAI-compatible or HTTP one is")

    def _openai(self, kind: str, rest: str, options: Options) -> Target:
        """Return a target of an API that OpenAI's clients can talk to."""
        first, _, more = rest.partition(":")
        if first in _OTHER:
            raise Lost(f"{kind}:{first} is no chat")
        if first == "responses":
            why = "is asked by chat completions instead"
            self.notes.add(options.at, f"{kind}:responses", why)
        model = (more if first in _CHAT else rest) or _DEFAULT_MODEL
        if kind == "openai" and first in _CHAT and not more:
            why = f"names no model; {_DEFAULT_MODEL} is taken"
            self.notes.add(options.at, f"{kind}:{first}", why)
        config = options.config
        keys: dict[str, object] = {
            "protocol": "openai",
            "endpoint": self._base_url(kind, config),
            "model": model,
        }
        if secret := self._key(kind, config):
            keys["auth"] = {"bearer": f"secret.{secret}"}
        self._numbers(config, keys)
        self._headers(config, keys, kind)
        self.notes.unknown(config, _OPENAI)
        return Target(
            name=options.text("label") or model,
            keys=keys,
            at=options.at,
            prompts=options.prompts,
            takes_system=True,
        )

    def _base_url(self, kind: str, config: Item) -> str:
        """Return where the API is."""
        url, host = config.get("apiBaseUrl"), config.get("apiHost")
        if url:
            return self._url(url, kind).rstrip("/")
        if host:
            name = safe_text("apiHost", host, self.fixed, self.notes, owner=kind)
            return f"https://{name}/v1"
        return _COMPATIBLE[kind][0]

    def _key(self, kind: str, config: Item) -> str | None:
        """Return the name of the secret that has the API's key, if it is that."""
        written, variable = config.get("apiKey"), config.get("apiKeyEnvar")
        headers = config.get("headers")
        if headers and "authorization" in map(str.lower, headers.mapping):
            for key, item in (("apiKey", written), ("apiKeyEnvar", variable)):
                if item:
                    self.notes.add(item, key, "is left out: `Authorization` is there")
            return None
        if written:
            text = written.text or ""
            found = [p.environment for p in places(text) if p.environment]
            if without_environment(text).strip():
                found = []
            name = (
                found[0] if found else _COMPATIBLE[kind][1] or named_after(kind, "key")
            )
            if not found:
                why = f"its value is not copied; put it into the secret {name}"
                self.notes.add(written, "apiKey", why)
            return name
        if variable and not _VARIABLE.fullmatch(variable.text or ""):
            why = "is left out: it is no name of a variable"
            self.notes.add(variable, "apiKeyEnvar", why)
            variable = None
        return (variable.text if variable else None) or _COMPATIBLE[kind][1]

    def _numbers(self, config: Item, keys: dict[str, object]) -> None:
        """Take over what bounds and shapes an answer."""
        self._scalar(config, ("temperature",), keys, int | float)
        self._scalar(config, _MOST_TOKENS, keys, int)
        self._scalar(config, ("stream",), keys, bool)
        if keys.get("stream") is False:
            del keys["stream"]

    def _scalar(
        self,
        config: Item,
        names: tuple[str, ...],
        keys: dict[str, object],
        wanted: type | UnionType,
    ) -> None:
        """Take over what is at the first of *names* under the last, if *wanted*."""
        given = [(name, found) for name in names if (found := config.get(name))]
        for number, (name, found) in enumerate(given):
            right = isinstance(found.value, wanted)
            if number:
                why = f"is left out: `{given[0][0]}` is there"
                self.notes.add(found, name, why)
            elif not right or (isinstance(found.value, bool) and wanted is not bool):
                why = "is left out: it is no number"
                if wanted is bool:
                    why = "is left out: it is neither true nor false"
                self.notes.add(found, name, why)
            else:
                keys[names[-1]] = found.value

    def _headers(self, config: Item, keys: dict[str, object], owner: str) -> None:
        """Take over headers; the one that lets in becomes `auth`."""
        headers: dict[str, object] = {}
        found = config.get("headers")
        self.notes.no_mapping(found, "headers")
        for name, item in (found.mapping if found else {}).items():
            lower = name.lower()
            if lower in ("content-type", "accept", "content-length", "host"):
                if "json" not in (item.text or ""):
                    why = "is left out: answerprobe sets it"
                    self.notes.add(item, f"headers.{name}", why)
                continue
            value = safe_text(name, item, self.fixed, self.notes, owner=owner)
            scheme, _, token = value.partition(" ")
            if lower != "authorization":
                headers[name] = value
            elif scheme.lower() == "bearer" and token:
                keys["auth"] = {"bearer": token}
            else:
                keys["auth"] = {"header": {"name": name, "value": value}}
        if headers:
            keys["headers"] = headers

    def _http(self, name: str, options: Options) -> Target:
        """Return a target that takes a JSON body."""
        config = options.config
        for key in ("request", "transformRequest"):
            if config.get(key):
                raise Lost(f"`{key}` is no body of JSON; write `url` and `body`")
        method = config.get("method")
        if method and (method.text or "").upper() != "POST":
            raise Lost(f"its method is {method.text}; only POST is spoken")
        url = config.get("url")
        label = options.text("label")
        address = self._url(url or options.at.get("id") or options.at, label or "agent")
        body, variable = self._body(config, label or "agent")
        keys: dict[str, object] = {"endpoint": self._with_query(address, config)}
        keys["request"] = {"body": body}
        self._response(config, keys, options.at)
        self._headers(config, keys, label or "agent")
        self.notes.unknown(config, _HTTP)
        host = URL(address).host or name
        return Target(
            name=label or host,
            keys=keys,
            at=options.at,
            variable=variable,
            prompts=options.prompts,
        )

    def _url(self, at: Item, owner: str) -> str:
        """Return the URL *at*, without a password in it."""
        url = fill(at.text or "", self.fixed, with_secrets=True)
        try:
            parsed = URL(url)
        except ValueError as exc:
            raise Lost("its `url` is no URL") from exc
        if parsed.scheme not in ("http", "https") or not parsed.host:
            raise Lost("its `url` is no http:// or https:// URL")
        if parsed.user or parsed.password:
            why = "user and password are not copied; write `auth: {basic: …}`"
            self.notes.add(at, "url", why)
            url = str(parsed.with_user(None))
        url = _PAIR.sub(lambda pair: self._pair(pair, at, owner), url)
        if has_key(url):
            secret = named_after(owner, "url")
            why = f"a key in it is not copied; put it into the secret {secret}"
            self.notes.add(at, "url", why)
        return without_keys(url, f"secret.{named_after(owner, 'url')}")

    def _pair(self, pair: re.Match[str], at: Item, owner: str) -> str:
        """Return a pair of a query, with a reference in place of a key."""
        before, name, value = pair.groups()
        if _REFERENCE.fullmatch(value):
            return pair[0]
        item = Item(value=value, file=at.file, line=at.line)
        safe = safe_text(name, item, self.fixed, self.notes, owner=owner)
        return f"{before}{name}={safe}"

    def _with_query(self, url: str, config: Item) -> str:
        """Return *url* with the `queryParams`."""
        found = config.get("queryParams")
        self.notes.no_mapping(found, "queryParams")
        pairs = []
        for name, item in (found.mapping if found else {}).items():
            if _PROMPT.search(item.text or ""):
                raise Lost("it sends the prompt in the URL; only a body is spoken")
            value = safe_text(name, item, self.fixed, self.notes, owner="agent")
            pairs.append(f"{name}={value}")
        mark = "&" if "?" in url else "?"
        return f"{url}{mark}{'&'.join(pairs)}" if pairs else url

    def _body(self, config: Item, owner: str) -> tuple[object, str | None]:
        """Return the body with a place for the message, and what that holds."""
        at = config.get("body")
        if at is None:
            raise Lost("it has no `body`")
        if isinstance(at.value, str):
            at = parsed_body(at)
        fixed = self.fixed
        asked = asked_in(at, fixed)
        settled = {**self.same, **fixed}
        # Where all tests agree on all of them, which is asked is not to be told.
        if len(asked) > 1 and asked_in(at, settled):
            fixed, asked = settled, asked_in(at, settled)
        if len(asked) > 1:
            names = ", ".join(sorted(asked))
            raise Lost(f"its body has several places that differ by test: {names}")
        if not asked:
            raise Lost("its body has no place for the prompt")
        (variable,) = asked
        if variable != "prompt":
            why = f"sends the variable {variable}; `prompts` are left out"
            self.notes.add(at, "body", why)
        values = {**fixed, SESSION_ID: _SESSION, variable: _MESSAGE}
        body = self._filled(at, values, owner)
        return body, None if variable == "prompt" else variable

    def _filled(
        self, at: Item, values: Mapping[str, object], owner: str, name: str = "body"
    ) -> object:
        """Return the body *at* with the *values* of its variables."""
        if isinstance(at.value, dict):
            return {
                key: self._filled(item, values, owner, key)
                for key, item in at.mapping.items()
            }
        if isinstance(at.value, list):
            return [self._filled(item, values, owner, name) for item in at.items]
        if not isinstance(at.value, str):
            return at.value
        if any(values.get(each) == _MESSAGE for each in asked_in(at, {})):
            # The message itself is put there as it comes.
            text = safe_text("message", at, values, self.notes, owner=owner)
            if _MESSAGE not in text:
                raise Lost("a key stands beside the prompt in its body")
            return text
        return safe_text(name, at, values, self.notes, owner=owner)

    def _response(self, config: Item, keys: dict[str, object], at: Item) -> None:
        """Take over where the answer is."""
        found = config.get("transformResponse", "responseParser")
        if found is None:
            why = (
                "there is none: promptfoo grades the whole reply, answerprobe the "
                "field that holds the answer; see `response`"
            )
            self.notes.add(at, "transformResponse", why)
            return
        path = answer_path((found.text or "").strip())
        if path is None:
            raise Lost(
                "`transformResponse` is code; only paths as json.a.b[0] are kept"
            )
        keys["response"] = {"answer": path}
