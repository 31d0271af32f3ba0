"""promptfoo's providers as targets of monitors."""

import re

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import UnionType

from answerprobe.promptfoo._access import Access
from answerprobe.promptfoo._http import HttpAgents
from answerprobe.promptfoo._options import Options, options_of, without_key
from answerprobe.promptfoo._secrets import named_after, safe_text
from answerprobe.promptfoo._source import Item, Lost, Notes, is_file
from answerprobe.promptfoo._target import Target
from answerprobe.promptfoo._template import Unfollowable, places, without_environment


_DEFAULT_MODEL = "gpt-4.1-2025-04-14"
_VARIABLE = re.compile(r"[A-Za-z_]\w*")
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

    @property
    def _access(self) -> Access:
        """What takes over their URLs and headers."""
        return Access(fixed=self.fixed, notes=self.notes)

    @property
    def _agents(self) -> HttpAgents:
        """What takes over those that are asked by HTTP."""
        return HttpAgents(fixed=self.fixed, same=self.same, notes=self.notes)

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
            return self._agents.target(name, options)
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
        self._access.headers(config, keys, kind)
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
            return self._access.url(url, kind).rstrip("/")
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
