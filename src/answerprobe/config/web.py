"""The web configuration: TLS, headers and users, in the format of exporter-toolkit."""

import re
import ssl

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path as FilePath

from answerprobe.config._findings import Findings
from answerprobe.config._positions import place
from answerprobe.config._section import Section
from answerprobe.config._show import quote
from answerprobe.config._tls import KEY as TLS
from answerprobe.config._tls import read_tls
from answerprobe.config._yaml import read
from answerprobe.config.loader import decode, read_bytes, refusal


_HTTP = "http_server_config"
_USERS = "basic_auth_users"
_BCRYPT = re.compile(r"\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}")
# Each step doubles the time; this one takes a minute already.
_COSTS = range(4, 20)
# Header to its only values, in lower case; None for any.
_HEADERS: Mapping[str, tuple[str, ...] | None] = {
    "Content-Security-Policy": None,
    "X-Frame-Options": ("deny", "sameorigin"),
    "X-Content-Type-Options": ("nosniff",),
    "X-XSS-Protection": None,
    "Strict-Transport-Security": None,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class WebConfig:
    """
    What a web configuration file says.

    *users* has the bcrypt hash of each user's password. *files* are those that were
    read. *notes* tell what is accepted though nothing comes of it.
    """

    tls: ssl.SSLContext | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    users: Mapping[str, str] = field(default_factory=dict, repr=False)
    files: tuple[FilePath, ...] = ()
    notes: tuple[str, ...] = ()


def load_web(path: FilePath) -> WebConfig:
    """
    Return the web configuration in the file at *path*.

    Raises:
        ConfigError: it is refused; carries everything that is wrong, in file order.
    """
    text = decode(read_bytes(path), str(path))
    document = read(text, str(path))
    findings = Findings()
    config = _build(document.root, path, findings)
    if document.problems or findings:
        placed = place(findings, text, str(path))
        raise refusal((*document.problems, *placed))
    return config


def _build(root: object, path: FilePath, findings: Findings) -> WebConfig:
    """Return the configuration in *root*, of the file at *path*."""
    whole = Section.of(root, (), (TLS, _HTTP, _USERS), findings)
    notes: list[str] = []
    tls = read_tls(whole.raw, path.parent, findings, notes.append)
    http = Section.below(whole.raw, _HTTP, ("http2", "headers"), findings)
    if http.flag("http2", default=False):
        notes.append("http2: this server speaks HTTP/1.1 only")
    section = Section.below(whole.raw, TLS, None, findings)
    names = map(section.raw.get, ("cert_file", "key_file", "client_ca_file"))
    return WebConfig(
        tls=tls,
        headers=_headers(http),
        users=_users(Section.below(whole.raw, _USERS, None, findings)),
        files=(path, *(path.parent / name for name in names if isinstance(name, str))),
        notes=tuple(notes),
    )


def _headers(http: Section) -> dict[str, str]:
    """Return the headers that every response carries."""
    path = (*http.path, "headers")
    section = Section.of(http.raw.get("headers"), path, _HEADERS, http.findings)
    headers: dict[str, str] = {}
    for name, allowed in _HEADERS.items():
        value = section.text(name)
        if value is None:
            continue
        if allowed is not None and value.lower() not in allowed:
            section.one_of(name, value, allowed)
        elif not value.isascii() or not value.isprintable():
            section.find(name, "must be printable ASCII text")
        else:
            headers[name] = value
    return headers


def _users(section: Section) -> dict[str, str]:
    """Return who may come in, with the hash of each password."""
    users: dict[str, str] = {}
    for name, value in section.raw.items():
        if not name.strip() or ":" in name or not name.isprintable():
            message = f"is {quote(name)}; wanted: a printable name without a colon"
            section.findings.add((*section.path, name), message, at_key=True)
        found = _BCRYPT.fullmatch(value) if isinstance(value, str) else None
        # Whatever was written there may be a password: it is not shown.
        if found is None:
            message = "is no bcrypt hash; `htpasswd -nBC 10 USER` makes one"
            section.find(name, message)
        elif int(found[1]) not in _COSTS:
            message = f"has a cost of {found[1]}; wanted: from 04 to {_COSTS[-1]}"
            section.find(name, message)
        else:
            users[name] = str(value)
    return users
