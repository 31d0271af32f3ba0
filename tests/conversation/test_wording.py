import json

import pytest

from hypothesis import given
from hypothesis import strategies as st

from answerprobe.case import Conversation
from answerprobe.conversation._wording import (
    END_MARK,
    Utterance,
    messages_for,
    read_utterance,
)
from answerprobe.errors import NoUtterance
from answerprobe.sample import Speaker, Turn


CONVERSATION = Conversation(persona="A {curt} customer.", goal="A refund.")
TURNS = (
    Turn(speaker=Speaker.USER, text="Refund, please."),
    Turn(speaker=Speaker.AGENT, text="Which order?"),
)


class TestMessages:
    def test_it_sees_the_other_side(self) -> None:
        """Its own words are the assistant's, the agent's are the user's."""
        messages = messages_for(CONVERSATION, TURNS)

        assert [(m["role"], m["content"]) for m in messages[-2:]] == [
            ("assistant", "Refund, please."),
            ("user", "Which order?"),
        ]

    def test_it_is_told_its_part_and_how_to_end(self) -> None:
        """Braces in a persona are only braces."""
        system = messages_for(CONVERSATION, ())[0]["content"]

        assert "A {curt} customer." in system
        assert "A refund." in system
        assert END_MARK in system


class TestUtterance:
    @pytest.mark.parametrize(
        ("reply", "structured", "utterance"),
        [
            pytest.param(
                '{"message": "A-1.", "done": false}',
                True,
                Utterance(message="A-1.", done=False),
                id="json",
            ),
            pytest.param(
                '{"message": "", "done": true}',
                True,
                Utterance(message="", done=True),
                id="json-end",
            ),
            pytest.param(
                '```json\n{"message": "A-1.", "done": true}\n```\n',
                True,
                Utterance(message="A-1.", done=True),
                id="json-in-a-fence",
            ),
            pytest.param(
                '```\n{"message": "A-1.", "done": true}\n```',
                False,
                Utterance(message="A-1.", done=True),
                id="json-in-a-fence-where-plain-text-is-due",
            ),
            pytest.param(
                '{"message": "Thanks! ###STOP###", "done": false}',
                True,
                Utterance(message="Thanks!", done=True),
                id="json-with-the-mark",
            ),
            pytest.param(
                '{"message": "###STOP###", "done": false}',
                True,
                Utterance(message="", done=True),
                id="json-with-the-mark-alone",
            ),
            pytest.param(
                "Thanks! ###STOP###",
                False,
                Utterance(message="Thanks!", done=True),
                id="text-and-mark",
            ),
            pytest.param(
                "A-1.", False, Utterance(message="A-1.", done=False), id="text"
            ),
            pytest.param(
                "###STOP###", False, Utterance(message="", done=True), id="mark-alone"
            ),
            pytest.param(
                "<think>hm</think>A-1.",
                False,
                Utterance(message="A-1.", done=False),
                id="after-thoughts",
            ),
        ],
    )
    def test_is_read(
        self, reply: str, utterance: Utterance, *, structured: bool
    ) -> None:
        """As JSON, or as words with the mark."""
        assert read_utterance(reply, TURNS, structured=structured) == utterance

    @pytest.mark.parametrize(
        ("reply", "why"),
        [
            pytest.param('{"message": " ", "done": false}', "blank", id="blank"),
            pytest.param("A-1.", "schema", id="no-json"),
            pytest.param('{"message": 1, "done": false}', "schema", id="wrong-type"),
            pytest.param('{"message": "x"}', "schema", id="half"),
            pytest.param(
                '{"message": "How can I help you today?", "done": false}',
                "plays the agent",
                id="agents-words",
            ),
            pytest.param(
                '{"message": "Which order?", "done": false}',
                "plays the agent",
                id="parrots-the-agent",
            ),
            pytest.param(
                json.dumps({"message": "x" * 9000, "done": False}),
                "8000",
                id="endless",
            ),
        ],
    )
    def test_is_refused(self, reply: str, why: str) -> None:
        """With what is wrong with it."""
        with pytest.raises(NoUtterance, match=why):
            read_utterance(reply, TURNS, structured=True)

    @given(reply=st.text(), structured=st.booleans())
    def test_never_holds_the_mark(self, reply: str, *, structured: bool) -> None:
        """Whatever a model says, the agent is never shown how a talk ends."""
        try:
            utterance = read_utterance(reply, TURNS, structured=structured)
        except NoUtterance:
            return
        assert END_MARK not in utterance.message
        assert utterance.message or utterance.done
