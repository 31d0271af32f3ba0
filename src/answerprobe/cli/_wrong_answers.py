"""Answers that no useful case lets pass, whatever it asks."""

from collections.abc import Iterator
from enum import StrEnum

from answerprobe.case import Case
from answerprobe.daemon.grade import Recorded
from answerprobe.sample import Reply, asked_once


class WrongKind(StrEnum):
    """What is wrong with an answer."""

    PLATITUDE = "platitude"
    OFF_TOPIC = "off-topic"
    REFUSAL = "refusal"


_TEXTS = {
    WrongKind.PLATITUDE: (
        (
            "Thank you for reaching out! That is a great question, and we are always "
            "happy to help. Our team takes it very seriously and does its best to "
            "give every customer an excellent experience. Please let us know if there "
            "is anything else we can do for you."
        ),
        (
            "It depends on a number of factors. In general it is best to look at the "
            "details of your situation and to follow the usual steps. You will find "
            "all the information you need on our website."
        ),
        "Yes, of course! Everything is taken care of.",
    ),
    WrongKind.OFF_TOPIC: (
        (
            "The common octopus has three hearts and blue blood. Two of the hearts "
            "pump blood to the gills, and the third one pumps it through the rest of "
            "the body."
        ),
        (
            "For a simple tomato soup, fry an onion in olive oil, add a tin of "
            "tomatoes and a cup of stock, let it simmer for a quarter of an hour and "
            "season it with salt, pepper and basil."
        ),
        (
            "It will be mostly sunny tomorrow, with a light breeze from the west and "
            "some clouds towards the evening."
        ),
    ),
    WrongKind.REFUSAL: (
        "I'm sorry, but I can't help with that.",
        (
            "As an AI language model, I am not able to assist you with this request. "
            "Please contact somebody else."
        ),
        (
            "Unfortunately I don't have any information about this and cannot answer "
            "your question."
        ),
    ),
}


def wrong_answers(
    case: Case, *, but: frozenset[WrongKind] = frozenset()
) -> Iterator[Recorded]:
    """
    Yield wrong answers to *case*, named by their kind, of all kinds *but* some.

    They call no tool and come at once. One says nothing but the question again.
    """
    for kind, texts in _TEXTS.items():
        if kind in but:
            continue
        for number, text in enumerate((*texts, *_echo(kind, case)), 1):
            reply = Reply(answer=text, duration_seconds=0.0)
            question = case.ask or case.texts[0]
            yield Recorded(id=f"{kind}-{number}", sample=asked_once(question, reply))


def _echo(kind: WrongKind, case: Case) -> tuple[str, ...]:
    """Return the question in other words than an answer, where *kind* is for that."""
    if kind is not WrongKind.PLATITUDE or not case.ask:
        return ()
    return (f'You asked: "{case.ask}" Thank you for asking that!',)
