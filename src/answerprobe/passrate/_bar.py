"""The bar of a threshold: what clears it, and whether anything could."""

from answerprobe.passrate._interval import wilson


def best_bound(samples: int, z: float) -> float:
    """Return the lower bound of a rate that *samples* passes of as many have."""
    return wilson(samples, samples, z).low


def clears(passed: int, judged: int, above: float, z: float) -> bool:
    """Whether the lower bound of a rate lies above the bar; nothing judged does not."""
    return judged > 0 and wilson(passed, judged, z).low > above


def smallest_number(above: float, z: float, most: int) -> int | None:
    """Return how many samples could clear the bar; None if *most* could not."""
    numbers = range(1, most + 1)
    return next((n for n in numbers if best_bound(n, z) > above), None)
