"""What commands that ask without a daemon share."""

import random
import time

from collections.abc import Callable

from answerprobe import __version__
from answerprobe.actions import LiveCaller
from answerprobe.config import Limits
from answerprobe.daemon._books import utc_now
from answerprobe.errors import AnswerprobeError
from answerprobe.ledger import Ledger
from answerprobe.runner import Runner, RunObserver, Slots


def make_runner(
    limits: Limits,
    *,
    ledger: Ledger,
    observer: RunObserver,
    scrub: Callable[[str], str],
) -> Runner:
    """Return a runner with slots of its own."""
    return Runner(
        slots=Slots(
            in_flight=limits.in_flight,
            per_host=limits.per_host,
            monotonic=time.monotonic,
        ),
        per_monitor=limits.per_monitor,
        ledger=ledger,
        observer=observer,
        scrub=scrub,
        clock=utc_now,
        monotonic=time.monotonic,
        rng=random.Random(),  # noqa: S311  trace ids are no secrets
        caller=LiveCaller(version=__version__, scrub=scrub),
    )


def first_error(group: BaseExceptionGroup[AnswerprobeError]) -> AnswerprobeError:
    """Return the first error in *group*, however deep it is."""
    found = group.exceptions[0]
    return first_error(found) if isinstance(found, BaseExceptionGroup) else found
