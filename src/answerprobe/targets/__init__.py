"""Targets: the agents under watch, and how to talk to them."""

import time
import uuid

from collections.abc import Callable

from answerprobe.monitor import TargetProtocol, TargetSettings
from answerprobe.targets._address import Endpoint
from answerprobe.targets._base import Dialogue, Target
from answerprobe.targets._dialogue import Line
from answerprobe.targets._http import HttpTarget
from answerprobe.targets._oauth2 import Grants
from answerprobe.targets._pace import Pace
from answerprobe.targets.chat import Chat
from answerprobe.targets.openai import OpenAi


__all__ = ["TARGETS", "Dialogue", "Grants", "Pace", "Target", "make_target"]

TARGETS: dict[TargetProtocol, type[Chat | OpenAi]] = {
    TargetProtocol.CHAT: Chat,
    TargetProtocol.OPENAI: OpenAi,
}


def _new_session() -> str:
    """Return an id that nothing else has."""
    return str(uuid.uuid4())


def make_target(  # noqa: PLR0913 - what the composition root chooses, all with defaults
    settings: TargetSettings,
    *,
    version: str,
    clock: Callable[[], float] = time.perf_counter,
    pace: Pace | None = None,
    grants: Grants | None = None,
    scrub: Callable[[str], str] = str,
    new_session: Callable[[], str] = _new_session,
) -> Target:
    """
    Return the target that *settings* describe.

    All targets of a process share one *pace*, so that they don't distort each other's
    times, and one *grants*, so that a client's access token is fetched once. *scrub*
    takes secrets out of the words of failures, which quote the target. *new_session*
    makes the ids by which a chat agent knows its dialogues.
    """
    dialect = TARGETS[settings.protocol](settings)
    connection, agent = settings.connection, f"answerprobe/{version}"
    line = Line(
        dialect=dialect,
        endpoint=Endpoint(connection, path=dialect.path, agent=agent),
        grant=(grants or Grants()).of(connection, agent=agent, clock=clock),
        clock=clock,
        pace=pace or Pace(),
        scrub=scrub,
        new_session=new_session,
    )
    return HttpTarget(line)
