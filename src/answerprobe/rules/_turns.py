"""The agent's side of an exchange, reply by reply."""

from answerprobe.sample import Reply, Sample, Speaker, Turn


def replies_of(sample: Sample) -> tuple[Reply, ...]:
    """
    Return the reply of each of the agent's turns; the last is the sample's own.

    Of earlier ones that are not known, what their turns tell.
    """
    turns = [turn for turn in sample.turns if turn.speaker is Speaker.AGENT]
    known = sample.replies
    if len(known) != len(turns):
        known = tuple(map(_as_reply, turns))
    return (*known[:-1], sample.reply)


def slowest_of(sample: Sample) -> Reply:
    """Return the reply that the user waited for longest."""
    return max(replies_of(sample), key=lambda reply: reply.duration_seconds)


def _as_reply(turn: Turn) -> Reply:
    """Return what *turn* tells of its reply."""
    return Reply(
        answer=turn.text,
        duration_seconds=turn.duration_seconds or 0.0,
        tool_calls=turn.tool_calls,
    )
