"""Where a provider is and what lets in: URLs and headers, without their keys."""

import re

from collections.abc import Mapping
from dataclasses import dataclass

from yarl import URL

from answerprobe.promptfoo._secrets import (
    has_key,
    named_after,
    safe_text,
    without_keys,
)
from answerprobe.promptfoo._source import Item, Lost, Notes
from answerprobe.promptfoo._template import fill


_PAIR = re.compile(r"([?&])([^=&#]+)=([^&#]*)")
_REFERENCE = re.compile(r"secret\.\w+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """
    Takes over URLs and headers of providers.

    *fixed* are the variables of the default test that no test changes. What is lost or
    changed is noted in *notes*.
    """

    fixed: Mapping[str, object]
    notes: Notes

    def url(self, at: Item, owner: str) -> str:
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

    def headers(self, config: Item, keys: dict[str, object], owner: str) -> None:
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
