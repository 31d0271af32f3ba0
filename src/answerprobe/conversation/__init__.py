"""What is said between a user and an agent: one question, or turn by turn."""

from answerprobe.conversation._talk import MOST_ROUNDS, Ask, Talk, User, hold
from answerprobe.conversation._user import (
    ATTEMPTS,
    MAX_TOKENS,
    Line,
    Silence,
    SimulatedUser,
)
from answerprobe.conversation._wording import Utterance, messages_for


__all__ = [
    "ATTEMPTS",
    "MAX_TOKENS",
    "MOST_ROUNDS",
    "Ask",
    "Line",
    "Silence",
    "SimulatedUser",
    "Talk",
    "User",
    "Utterance",
    "hold",
    "messages_for",
]
