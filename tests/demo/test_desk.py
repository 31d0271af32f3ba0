"""The demo agent's procedures."""

from collections.abc import Mapping

import pytest

from answerprobe.demo.desk import (
    LOOK_UP_ORDER,
    REFUND,
    REGISTER_QUERY,
    TOOLS,
    Heard,
    Move,
    next_move,
    run_tool,
)
from answerprobe.demo.shop import Mode
from answerprobe.demo.wire import Call


WHERE = "Where is my order A-1001?"
INVOICE = "Here is our invoice over 120 euros for order A-1001."
MONEY = "I want my money back for order A-1001."
LOOK_UP = Move(call=Call(name=LOOK_UP_ORDER, arguments={"order": "A-1001"}))
NOT_FOUND = {LOOK_UP_ORDER: {"error": "timed out"}}


def found(total: float = 120) -> dict[str, object]:
    """Return what looking up the order has told."""
    return {LOOK_UP_ORDER: {"status": "shipped", "carrier": "Zephyr", "total": total}}


def move(
    *messages: str, mode: Mode = Mode.OK, results: Mapping[str, object] | None = None
) -> Move:
    """Return what the agent does after *messages*, with all tools offered."""
    heard = Heard(messages=messages, tools=TOOLS, results=results or {})
    return next_move(heard, mode)


class TestOrder:
    """Where an order is."""

    def test_is_looked_up_first(self) -> None:
        """It calls the tool with the number of the order."""
        assert move(WHERE) == LOOK_UP

    @pytest.mark.parametrize(
        ("results", "says"),
        [
            pytest.param(found(), "shipped; it comes with Zephyr", id="found"),
            pytest.param(NOT_FOUND, "can't look up order A-1001", id="error"),
            pytest.param({LOOK_UP_ORDER: "shipped"}, "can't look up", id="text"),
        ],
    )
    def test_tells_what_came_back(
        self, results: Mapping[str, object], says: str
    ) -> None:
        """It uses the result, and says so when there is none."""
        assert says in move(WHERE, results=results).text

    def test_wrong_makes_it_up(self) -> None:
        """In wrong mode it answers without looking."""
        assert "It left yesterday" in move(WHERE, mode=Mode.WRONG).text

    def test_without_the_tool_it_is_a_question_like_any_other(self) -> None:
        """What it cannot look up it answers from its policies."""
        without = next_move(Heard(messages=(WHERE,)), Mode.OK)

        assert "order number" in without.text


class TestRefund:
    """Money back, for those who have a receipt."""

    def test_is_not_paid_without_a_receipt(self) -> None:
        """However often it is asked."""
        said = [move(MONEY), move(MONEY, "I have no receipt. Just do it!")]

        assert [each.call for each in said] == [None, None]
        assert all("without a receipt" in each.text for each in said)

    def test_is_paid_with_a_receipt(self) -> None:
        """Said in whichever turn."""
        arguments = {"order": "A-1001", "receipt": "R-4711"}

        assert move(MONEY, "It is R-4711.").call == Call(
            name=REFUND, arguments=arguments
        )

    @pytest.mark.parametrize(
        ("result", "says"),
        [
            pytest.param({"success": True}, "Done", id="paid"),
            pytest.param({"error": "bank closed"}, "did not go through", id="error"),
        ],
    )
    def test_tells_what_came_of_it(self, result: object, says: str) -> None:
        """Nobody is told of money that was not paid."""
        assert says in move(MONEY, "R-4711", results={REFUND: result}).text

    def test_wrong_pays_anyway(self) -> None:
        """In wrong mode no receipt is needed."""
        arguments = {"order": "A-1001", "receipt": "none"}

        assert move(MONEY, mode=Mode.WRONG).call == Call(
            name=REFUND, arguments=arguments
        )


class TestInvoice:
    """An invoice beside its order."""

    def test_is_compared_with_the_order(self) -> None:
        """The order is looked up first."""
        assert move(INVOICE) == LOOK_UP

    def test_that_matches_raises_no_query(self) -> None:
        """It is said to match, and that is all."""
        assert "matches order A-1001" in move(INVOICE, results=found()).text

    @pytest.mark.parametrize(
        ("mode", "total"),
        [
            pytest.param(Mode.OK, 99, id="differs"),
            pytest.param(Mode.WRONG, 120, id="wrong"),
        ],
    )
    def test_that_differs_raises_a_query(self, mode: Mode, total: float) -> None:
        """In wrong mode so does one that matches."""
        results = found(total)

        assert move(INVOICE, mode=mode, results=results).call == Call(
            name=REGISTER_QUERY,
            arguments={"order": "A-1001", "reason": f"invoice 120, order {total}"},
        )
        registered = {**results, REGISTER_QUERY: {"success": True}}
        assert "registered a query" in move(INVOICE, mode=mode, results=registered).text

    def test_that_cannot_be_checked(self) -> None:
        """Without the order it decides nothing."""
        assert "can't check the invoice" in move(INVOICE, results=NOT_FOUND).text


class TestModes:
    """Ways to go wrong, where tools are at work."""

    def test_refuses_before_it_acts(self) -> None:
        """In refuse mode no tool is called."""
        assert move(WHERE, mode=Mode.REFUSE).text.startswith("I'm sorry")

    def test_leaks_with_the_final_answer(self) -> None:
        """In leak mode the tools are called, and the answer says too much."""
        assert move(WHERE, mode=Mode.LEAK) == LOOK_UP
        assert "jane.miller@" in move(WHERE, mode=Mode.LEAK, results=found()).text


class TestRunTool:
    """The shop's own tools, over the chat protocol."""

    @pytest.mark.parametrize(
        ("name", "order", "result"),
        [
            pytest.param(
                LOOK_UP_ORDER,
                "A-1001",
                {
                    "order": "A-1001",
                    "status": "shipped",
                    "carrier": "Zephyr",
                    "total": 120,
                },
                id="an order",
            ),
            pytest.param(
                LOOK_UP_ORDER,
                "A-9999",
                {"error": "there is no order A-9999"},
                id="no such order",
            ),
            pytest.param(REFUND, "A-1001", {"success": True}, id="another tool"),
        ],
    )
    def test_answers(self, name: str, order: str, result: dict[str, object]) -> None:
        """Orders are looked up; anything else does nothing and says it went well."""
        assert run_tool(Call(name=name, arguments={"order": order})) == result
