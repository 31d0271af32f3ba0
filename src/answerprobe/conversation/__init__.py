"""What is said between a user and an agent: one question, or turn by turn."""

from answerprobe.conversation._talk import Ask, Talk, User, hold
from answerprobe.conversation._user import Line, Silence, SimulatedUser
from answerprobe.conversation._wording import Utterance


__all__ = [
    "Ask",
    "Line",
    "Silence",
    "SimulatedUser",
    "Talk",
    "User",
    "Utterance",
    "hold",
]
