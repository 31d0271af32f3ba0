"""Conversations of cases, and the model that plays the user in them."""

from collections.abc import Mapping

from answerprobe.case import Conversation
from answerprobe.config._connection import read_connection
from answerprobe.config._findings import Path
from answerprobe.config._judges import read_price
from answerprobe.config._reading import Reading, mapping, text, whole
from answerprobe.monitor import SimulatedUserSettings


SIMULATED_USER = "simulated_user"
CONVERSATION = "conversation"
MAX_TURNS = "max_turns"


def read_simulated_user(
    root: Mapping[str, object], reading: Reading
) -> SimulatedUserSettings | None:
    """Return the model that plays users, None where *root* has none."""
    raw = mapping(root, SIMULATED_USER)
    if not raw:
        return None
    path: Path = (SIMULATED_USER,)
    return SimulatedUserSettings(
        connection=read_connection(raw, "base_url", path, reading),
        model=text(raw, "model") or "",
        timeout_seconds=reading.seconds(raw, "timeout", path, 30.0),
        price=read_price(raw),
    )


def read_conversation(
    raw: Mapping[str, object], path: Path, reading: Reading
) -> Conversation | None:
    """Return the conversation of the case *raw* at *path*, None where it has none."""
    if CONVERSATION not in raw:
        return None
    here = (*path, CONVERSATION)
    if "ask" in raw:
        message = "stands beside `ask`; a case is a question or a conversation"
        reading.findings.add(here, message, at_key=True)
    written = mapping(raw, CONVERSATION)
    conversation = Conversation(
        persona=text(written, "persona") or "",
        goal=text(written, "goal") or "",
        opening=text(written, "opening"),
        min_turns=whole(written, "min_turns", 1),
        max_turns=whole(written, MAX_TURNS, 8),
    )
    if conversation.min_turns > conversation.max_turns:
        message = (
            f"is {conversation.min_turns}, more than max_turns "
            f"({conversation.max_turns})"
        )
        reading.findings.add((*here, "min_turns"), message)
    return conversation
