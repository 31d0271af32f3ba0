"""When runs are due, and what goes on: the schedule of all watched monitors."""

from answerprobe.scheduler._board import Board, Remembered, StateJournal
from answerprobe.scheduler._scheduler import Scheduler
from answerprobe.scheduler._watch import Equipment, Queued, Watch


__all__ = [
    "Board",
    "Equipment",
    "Queued",
    "Remembered",
    "Scheduler",
    "StateJournal",
    "Watch",
]
