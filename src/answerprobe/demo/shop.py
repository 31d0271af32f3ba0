"""What the demo shop's support agent knows, and how it answers when it goes wrong."""

import re

from dataclasses import dataclass
from enum import StrEnum


class Mode(StrEnum):
    """How the agent behaves; `POST /misbehave` sets it."""

    OK = "ok"
    WRONG = "wrong"
    REFUSE = "refuse"
    LEAK = "leak"
    SLOW = "slow"
    DOWN = "down"


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """What the shop says on one subject, and what it says when it gets it wrong."""

    keywords: frozenset[str]
    answer: str
    wrong_answer: str


POLICIES = (
    Policy(
        keywords=frozenset({"refund", "refunds", "return", "returns", "money", "back"}),
        answer=(
            "You can return anything within 30 days of delivery and get your money "
            "back. The whole policy: https://shop.example.com/policies/refunds"
        ),
        wrong_answer=(
            "You can return anything within 90 days and keep the goods if you like."
        ),
    ),
    Policy(
        keywords=frozenset({"shipping", "ship", "delivery", "deliver", "arrive"}),
        answer=(
            "Shipping within the country takes 2 to 4 working days and is free above "
            "50 euros. Details: https://shop.example.com/policies/shipping"
        ),
        wrong_answer="Shipping takes 3 weeks and costs 25 euros, whatever you buy.",
    ),
    Policy(
        keywords=frozenset({"warranty", "guarantee", "broken", "repair", "defect"}),
        answer=(
            "Everything we sell has a warranty of 2 years. Send us a photo of the "
            "defect and we repair or replace it free of charge."
        ),
        wrong_answer="There is no warranty. Broken goods are the customer's problem.",
    ),
    Policy(
        keywords=frozenset({"open", "opening", "hours", "close", "closed", "sunday"}),
        answer=(
            "Our shop is open Monday to Saturday from 9:00 to 18:00, closed on Sunday."
        ),
        wrong_answer="Our shop is open around the clock, every day of the year.",
    ),
    Policy(
        keywords=frozenset({"order", "status", "track", "parcel", "package"}),
        answer=(
            "I can look that up for you. What is your order number? It stands at the "
            "top of the confirmation we sent you."
        ),
        wrong_answer="It left yesterday and is on its way, whichever one you mean.",
    ),
)
_UNKNOWN = (
    "I can tell you about refunds, shipping, the warranty, our opening hours and the "
    "status of your order. What would you like to know?"
)
_REFUSAL = "I'm sorry, but I can't help you with that request."
# Invented: a number of the range kept for films, a name and mailbox nobody has, and a
# card number that merely has a right check digit.
LEAKED = (
    " The last customer who asked was Jane Miller, jane.miller@quill-and-sons-post.net,"
    " phone +44 20 7946 0958, card number 4556 0147 3829 1062."
)
_WORD = re.compile(r"[a-z]+")


def answer(question: str, mode: Mode) -> str:
    """Return what the agent says to *question*; *mode* says how it is doing today."""
    policy = _policy_for(question)
    match mode:
        case Mode.OK | Mode.SLOW | Mode.DOWN:
            return policy.answer if policy else _UNKNOWN
        case Mode.WRONG:
            return policy.wrong_answer if policy else _UNKNOWN
        case Mode.REFUSE:
            return _REFUSAL
        case Mode.LEAK:
            return (policy.answer if policy else _UNKNOWN) + LEAKED


def _policy_for(question: str) -> Policy | None:
    """Return the policy with the most of its keywords in *question*."""
    words = set(_WORD.findall(question.lower()))
    best = max(POLICIES, key=lambda policy: len(policy.keywords & words))
    return best if best.keywords & words else None
