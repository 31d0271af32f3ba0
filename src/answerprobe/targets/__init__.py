"""Targets: the agents under watch, and how to talk to them."""

import time

from collections.abc import Callable

from answerprobe.monitor import TargetProtocol, TargetSettings
from answerprobe.targets._address import Endpoint
from answerprobe.targets._base import Dialogue, Target
from answerprobe.targets._http import HttpTarget
from answerprobe.targets._pace import Pace
from answerprobe.targets.chat import Chat
from answerprobe.targets.openai import OpenAi


__all__ = ["TARGETS", "Dialogue", "Pace", "Target", "make_target"]

TARGETS: dict[TargetProtocol, type[Chat | OpenAi]] = {
    TargetProtocol.CHAT: Chat,
    TargetProtocol.OPENAI: OpenAi,
}


def make_target(
    settings: TargetSettings,
    *,
    version: str,
    clock: Callable[[], float] = time.perf_counter,
    pace: Pace | None = None,
    scrub: Callable[[str], str] = str,
) -> Target:
    """
    Return the target that *settings* describe.

    All targets of a process share one *pace*, so that they don't distort each other's
    times. *scrub* takes secrets out of the words of failures, which quote the target.
    """
    dialect = TARGETS[settings.protocol](settings)
    endpoint = Endpoint(
        settings.connection, path=dialect.path, agent=f"answerprobe/{version}"
    )
    return HttpTarget(dialect, endpoint, clock=clock, pace=pace or Pace(), scrub=scrub)
