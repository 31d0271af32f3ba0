"""A duration as a rule's value."""

from answerprobe import durations
from answerprobe.errors import CriterionError


def duration_seconds(value: object, path: tuple[str | int, ...] = ()) -> float:
    """
    Return the seconds that *value*, which stands at *path*, spells.

    Raises:
        CriterionError: *value* is no duration, or none that is longer than 0.
    """
    if not isinstance(value, str):
        raise CriterionError("expected a duration such as 20s", path)
    try:
        spelled = durations.parse(value)
    except ValueError as exc:
        raise CriterionError(str(exc), path) from exc
    if spelled <= 0:
        raise CriterionError("expected a duration above 0", path)
    return spelled
