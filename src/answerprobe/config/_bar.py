"""What the samples of a case must reach: a quorum or a threshold."""

from collections.abc import Mapping
from dataclasses import replace

from answerprobe.case import Quorum, Threshold
from answerprobe.config._findings import Path
from answerprobe.config._levels import Settings, read_quorum
from answerprobe.config._reading import Reading, mapping, whole


THRESHOLD = "threshold"
_PASS_AT_LEAST = "pass_at_least"
# The fewest that say more than a coin does, and one to spare.
_SAMPLES = 5
_BUILT_IN = Threshold(samples=_SAMPLES)


def read_bar(
    settings: Settings, raw: Mapping[str, object], path: Path, reading: Reading
) -> Quorum | Threshold:
    """Return what *raw*, a case, wants of its samples; what could not be is refused."""
    if THRESHOLD not in raw:
        return read_quorum(settings.quorum, raw, path, reading)
    here = (*path, THRESHOLD)
    if _PASS_AT_LEAST in raw:
        message = (
            "stands beside pass_at_least; a case has one of them: a threshold is a bar "
            "for the pass rate of each criterion, pass_at_least counts samples"
        )
        reading.findings.add(here, message, at_key=True)
    samples = settings.quorum.samples if settings.samples_written else _SAMPLES
    written = mapping(raw, THRESHOLD)
    bar = Threshold(
        samples=whole(raw, "samples", samples),
        above=reading.share(written, "above", here, _BUILT_IN.above),
        confidence=reading.share(written, "confidence", here, _BUILT_IN.confidence),
    )
    if reading.findings.touch(here):
        return _BUILT_IN
    if bar.confidence >= 1:
        message = "is 100%; nothing is ever certain: wanted less, such as 99%"
        reading.findings.add((*here, "confidence"), message)
        return replace(bar, confidence=_BUILT_IN.confidence)
    if impossible := bar.impossible:
        reading.findings.add(here, impossible, at_key=True)
    return bar
