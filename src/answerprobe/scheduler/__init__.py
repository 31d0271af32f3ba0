"""When runs are due, and what goes on: the schedule of all watched monitors."""

from answerprobe.scheduler._board import Board, Remembered, StateJournal
from answerprobe.scheduler._duties import Duties, SharedDuties, SoleDuties, on_duty
from answerprobe.scheduler._follower import Follower
from answerprobe.scheduler._fund import SharedFund
from answerprobe.scheduler._leased import LeasedClaims
from answerprobe.scheduler._membership import Membership
from answerprobe.scheduler._scheduler import Scheduler
from answerprobe.scheduler._watch import Equipment, Queued, Watch


__all__ = [
    "Board",
    "Duties",
    "Equipment",
    "Follower",
    "LeasedClaims",
    "Membership",
    "Queued",
    "Remembered",
    "Scheduler",
    "SharedDuties",
    "SharedFund",
    "SoleDuties",
    "StateJournal",
    "Watch",
    "on_duty",
]
