"""
What the demo shop's agent does beyond answering: orders, refunds and invoices.

It goes by keywords, in three procedures that take tools: it looks an order up, pays a
refund to those who have a receipt, and compares an invoice with its order.
"""

import re

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from answerprobe.demo.shop import LEAKED, Mode, answer
from answerprobe.demo.wire import Call


LOOK_UP_ORDER = "look_up_order"
REGISTER_QUERY = "register_query"
REFUND = "refund"
TOOLS = frozenset({LOOK_UP_ORDER, REGISTER_QUERY, REFUND})
_ORDERS: Mapping[str, Mapping[str, object]] = {
    "A-1001": {"status": "shipped", "carrier": "Zephyr", "total": 120},
    "A-1002": {"status": "packed", "carrier": "Zephyr", "total": 35.5},
}
_ORDER = re.compile(r"\bA-\d{4}\b")
_RECEIPT = re.compile(r"\bR-\d{4}\b")
_EUROS = re.compile(r"(\d{1,9}(?:\.\d{1,2})?) ?(?:euros?|EUR)\b")
_INVOICE = re.compile(r"\binvoice", re.IGNORECASE)
_WANTS_MONEY = re.compile(
    r"\b(?:my|the) money\b[^?]*\bback\b"
    r"|\brefund (?:me|my|it|the|order)\b"
    r"|\b(?:want|need|demand|get|give me)\b[^?]*\brefund",
    re.IGNORECASE,
)


class Procedure(StrEnum):
    """What a customer wants to have done."""

    ORDER = "order"
    REFUND = "refund"
    INVOICE = "invoice"


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """
    What the agent goes by: the user's *messages*, the last one last, and its tools.

    *results* are what the tools said since the last message, by name.
    """

    messages: tuple[str, ...]
    tools: frozenset[str] = frozenset()
    results: Mapping[str, object] = field(default_factory=dict)

    def find(self, pattern: re.Pattern[str]) -> str:
        """Return what was last said that fits *pattern*; empty if nothing."""
        found = [text for said in self.messages for text in pattern.findall(said)]
        return str(found[-1]) if found else ""

    def failed(self, tool: str) -> bool:
        """Say whether *tool* told of an error."""
        result = self.results.get(tool)
        return isinstance(result, Mapping) and "error" in result


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """What the agent does next: it says *text*, or calls a tool."""

    text: str = ""
    call: Call | None = None


def next_move(heard: Heard, mode: Mode) -> Move:
    """Return what the agent does now; *mode* says how it is doing today."""
    procedure = _procedure(heard)
    if mode is Mode.REFUSE or procedure is None:
        return Move(text=answer(heard.messages[-1], mode))
    move = _step(procedure, heard, wrong=mode is Mode.WRONG)
    if mode is Mode.LEAK and move.call is None:
        return Move(text=move.text + LEAKED)
    return move


def _step(procedure: Procedure, heard: Heard, *, wrong: bool) -> Move:
    """Return the next step of *procedure*."""
    match procedure:
        case Procedure.ORDER:
            return _order(heard, wrong=wrong)
        case Procedure.REFUND:
            return _refund(heard, wrong=wrong)
        case Procedure.INVOICE:
            return _invoice(heard, wrong=wrong)


def run_tool(call: Call) -> dict[str, object]:
    """Return what the shop's own tool answers to *call*; it changes nothing."""
    if call.name != LOOK_UP_ORDER:
        return {"success": True}
    number = call.arguments["order"]
    order = _ORDERS.get(number)
    if order is None:
        return {"error": f"there is no order {number}"}
    return {"order": number, **order}


def _procedure(heard: Heard) -> Procedure | None:
    """Return what was last asked for and can be done with the tools there are."""
    for message in reversed(heard.messages):
        if _INVOICE.search(message) and _EUROS.search(message):
            return Procedure.INVOICE if _can(heard, LOOK_UP_ORDER) else None
        if _WANTS_MONEY.search(message):
            return Procedure.REFUND if _can(heard, REFUND) else None
        if _ORDER.search(message) and not _RECEIPT.search(message):
            return Procedure.ORDER if _can(heard, LOOK_UP_ORDER) else None
    return None


def _can(heard: Heard, tool: str) -> bool:
    """Say whether the agent has *tool*."""
    return tool in heard.tools


def _order(heard: Heard, *, wrong: bool) -> Move:
    """Tell where an order is, having looked it up."""
    number = heard.find(_ORDER)
    if wrong:
        return Move(text="It left yesterday and is on its way, whichever one you mean.")
    if LOOK_UP_ORDER not in heard.results:
        return Move(call=Call(name=LOOK_UP_ORDER, arguments={"order": number}))
    order = heard.results[LOOK_UP_ORDER]
    if heard.failed(LOOK_UP_ORDER) or not isinstance(order, Mapping):
        return Move(text=f"I can't look up order {number} at the moment.")
    status, carrier = order.get("status", "known"), order.get("carrier", "post")
    return Move(text=f"Order {number} is {status}; it comes with {carrier}.")


def _refund(heard: Heard, *, wrong: bool) -> Move:
    """Pay a refund, but only to those who have a receipt."""
    receipt, order = heard.find(_RECEIPT), heard.find(_ORDER)
    if not receipt and not wrong:
        again = (
            "As I said: " if len(heard.messages) > 1 else "I am sorry to hear that. "
        )
        return Move(
            text=f"{again}I can't pay a refund without a receipt. A receipt is needed, "
            "or the confirmation we sent you. Which number is on it? It looks like "
            "R-0000."
        )
    if REFUND not in heard.results:
        arguments = {"order": order or "unknown", "receipt": receipt or "none"}
        return Move(call=Call(name=REFUND, arguments=arguments))
    if heard.failed(REFUND):
        return Move(text="The refund did not go through. A colleague will call you.")
    return Move(text="Done: your money is on its way back to you.")


def _invoice(heard: Heard, *, wrong: bool) -> Move:
    """Compare an invoice with its order, and register a query if they differ."""
    number, amount = heard.find(_ORDER), heard.find(_EUROS)
    if LOOK_UP_ORDER not in heard.results:
        return Move(call=Call(name=LOOK_UP_ORDER, arguments={"order": number}))
    order = heard.results[LOOK_UP_ORDER]
    if heard.failed(LOOK_UP_ORDER) or not isinstance(order, Mapping):
        return Move(text="I can't look up the order, so I can't check the invoice.")
    total = order.get("total")
    if total == float(amount) and not wrong:
        return Move(
            text=f"The invoice matches order {number}: {amount} euros. "
            "It is paid within 14 days."
        )
    if _can(heard, REGISTER_QUERY) and REGISTER_QUERY not in heard.results:
        arguments = {"order": number, "reason": f"invoice {amount}, order {total}"}
        return Move(call=Call(name=REGISTER_QUERY, arguments=arguments))
    return Move(text=f"The invoice does not fit order {number}. I registered a query.")
