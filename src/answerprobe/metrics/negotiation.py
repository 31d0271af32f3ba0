"""What a scraper's Accept and Accept-Encoding headers come to. Never refuses."""

from collections.abc import Iterator
from enum import StrEnum
from typing import NamedTuple


class Format(StrEnum):
    """The text formats we write."""

    TEXT = "text"
    OPENMETRICS = "openmetrics"


class Negotiated(NamedTuple):
    """What to answer with."""

    format: Format
    content_type: str
    gzip: bool


class _Range(NamedTuple):
    """One part of such a header: its name, its parameters, and how much it is liked."""

    name: str
    version: str | None
    quality: float


_OPENMETRICS = "application/openmetrics-text"
_OPENMETRICS_VERSIONS = ("1.0.0", "0.0.1")
_TEXT = "text/plain"
_TEXT_VERSION = "0.0.4"


def negotiate(accept: str | None, accept_encoding: str | None) -> Negotiated:
    """
    Return what a request with these headers is answered with.

    The format with the higher q wins, OpenMetrics at equal ones where it is named; what
    is unknown, broken or of another version counts for nothing, and text is what is
    left. Versions are ours, never the client's words.
    """
    ranges = list(_ranges(accept or ""))
    version, wanted = _openmetrics(ranges)
    if version is not None and wanted > 0 and wanted >= _text_quality(ranges):
        chosen, name = Format.OPENMETRICS, _OPENMETRICS
    else:
        chosen, name, version = Format.TEXT, _TEXT, _TEXT_VERSION
    return Negotiated(
        chosen,
        f"{name}; version={version}; charset=utf-8",
        _accepts_gzip(accept_encoding or ""),
    )


def _openmetrics(ranges: list[_Range]) -> tuple[str | None, float]:
    """Return the version of OpenMetrics that is liked best, and how much."""
    best: tuple[str | None, float] = (None, 0.0)
    for each in ranges:
        version = each.version or _OPENMETRICS_VERSIONS[0]
        if (
            each.name == _OPENMETRICS
            and version in _OPENMETRICS_VERSIONS
            and each.quality > best[1]
        ):
            best = (version, each.quality)
    return best


def _text_quality(ranges: list[_Range]) -> float:
    """Return how much text 0.0.4 is liked, by the most precise range that covers it."""
    for name in (_TEXT, "text/*", "*/*"):
        found = [
            each.quality
            for each in ranges
            if each.name == name and each.version in {None, _TEXT_VERSION}
        ]
        if found:
            return max(found)
    return 0.0


def _accepts_gzip(header: str) -> bool:
    """Whether *header* likes gzip, and at least as much as no encoding."""
    liked: dict[str, float] = {}
    for each in _ranges(header):
        name = "gzip" if each.name == "x-gzip" else each.name
        liked[name] = max(each.quality, liked.get(name, 0.0))
    quality = liked.get("gzip", liked.get("*", 0.0))
    return quality > 0 and quality >= liked.get("identity", 0.0)


def _ranges(header: str) -> Iterator[_Range]:
    """Yield the parts of *header* that can be read."""
    for part in header.split(","):
        name, *rest = part.split(";")
        parameters = {}
        for parameter in rest:
            key, _, value = parameter.partition("=")
            parameters[key.strip().lower()] = value.strip().strip('"')
        quality = _quality(parameters.get("q", "1"))
        if name.strip() and quality is not None:
            yield _Range(name.strip().lower(), parameters.get("version"), quality)


def _quality(text: str) -> float | None:
    """Return the q that *text* says, None where it says none from 0 to 1."""
    try:
        quality = float(text)
    except ValueError:
        return None
    # Written so that NaN, which float() reads, is refused too.
    return quality if 0 <= quality <= 1 else None
