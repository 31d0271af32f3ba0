"""promptfoo's HTTP providers as agents of the chat protocol."""

import re

from collections.abc import Mapping
from dataclasses import dataclass

from yarl import URL

from answerprobe.promptfoo._access import Access
from answerprobe.promptfoo._body import SESSION_ID, answer_path, asked_in, parsed_body
from answerprobe.promptfoo._options import Options
from answerprobe.promptfoo._secrets import safe_text
from answerprobe.promptfoo._source import Item, Lost, Notes
from answerprobe.promptfoo._target import Target


_MESSAGE = "{{message}}"
_SESSION = "{{session}}"
_PROMPT = re.compile(r"\{\{-?\s*prompt\s*-?\}\}")
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
class HttpAgents:
    """
    Turns HTTP providers into targets.

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

    def target(self, name: str, options: Options) -> Target:
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
        owner = label or "agent"
        address = self._access.url(url or options.at.get("id") or options.at, owner)
        body, variable = self._body(config, owner)
        keys: dict[str, object] = {"endpoint": self._with_query(address, config)}
        keys["request"] = {"body": body}
        self._response(config, keys, options.at)
        self._access.headers(config, keys, owner)
        self.notes.unknown(config, _HTTP)
        host = URL(address).host or name
        return Target(
            name=label or host,
            keys=keys,
            at=options.at,
            variable=variable,
            prompts=options.prompts,
        )

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
