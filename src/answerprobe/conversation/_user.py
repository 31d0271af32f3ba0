"""The simulated user: a second model that plays a person."""

import asyncio

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from answerprobe.case import Conversation
from answerprobe.conversation._wording import (
    PROMPT_VERSION,
    RESPONSE_FORMAT,
    Utterance,
    messages_for,
    read_utterance,
)
from answerprobe.errors import LlmError, LlmFault, NoUtterance
from answerprobe.llm import Completion, Llm, Message
from answerprobe.monitor import SimulatedUserSettings
from answerprobe.run import GradedBy
from answerprobe.sample import TokenUsage, Turn


MAX_TOKENS = 600
ATTEMPTS = 2
# People differ; a simulated one may too.
_TEMPERATURE = 0.7


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """What it says next, who said it and what that cost, all attempts together."""

    utterance: Utterance
    spoken_by: GradedBy
    usage: TokenUsage


@dataclass(frozen=True, slots=True, kw_only=True)
class Silence:
    """
    It could not be used, for this *reason*; what trying has cost.

    *unquoted* is the reason without words of a server, which may quote the agent's.
    """

    reason: str
    unquoted: str
    usage: TokenUsage


class SimulatedUser:
    """
    Plays users, whichever a case describes.

    It knows persona, goal and what was said, and nothing else. *scrub* takes our
    secrets out of what it is shown and of what it says went wrong.
    """

    def __init__(
        self,
        settings: SimulatedUserSettings,
        *,
        slots: asyncio.Semaphore,
        scrub: Callable[[str], str],
        now: Callable[[], datetime],
    ) -> None:
        self._settings = settings
        self._slots = slots
        self._scrub = scrub
        self._llm = Llm(settings.connection, settings.model, scrub=scrub, now=now)

    async def speak(
        self, conversation: Conversation, turns: Sequence[Turn]
    ) -> Line | Silence:
        """
        Return what it says after *turns*.

        A reply that is of no use is asked for once more.
        """
        shown = [
            {"role": message["role"], "content": self._scrub(message["content"])}
            for message in messages_for(conversation, turns)
        ]
        spent, reason, unquoted = TokenUsage(), "", ""
        for _ in range(ATTEMPTS):
            try:
                completion = await self._complete(shown)
                spent += completion.usage
                utterance = _read(completion, turns, structured=self._llm.structured)
            except LlmError as exc:
                reason, unquoted = str(exc), exc.fault.value
                spent += _cost(exc)
                if exc.permanent:
                    break
            except NoUtterance as exc:
                reason = unquoted = str(exc)
            else:
                model = self._scrub(completion.model or self._settings.model)
                spoken_by = GradedBy(model=model, prompt_version=PROMPT_VERSION)
                return Line(utterance=utterance, spoken_by=spoken_by, usage=spent)
        return Silence(
            reason=f"simulated user: {reason}",
            unquoted=f"simulated user: {unquoted}",
            usage=spent,
        )

    async def _complete(self, messages: Sequence[Message]) -> Completion:
        """Ask the model once."""
        async with self._slots:
            return await self._llm.complete(
                messages,
                max_tokens=MAX_TOKENS,
                temperature=_TEMPERATURE,
                response_format=RESPONSE_FORMAT,
                timeout_seconds=self._settings.timeout_seconds,
            )

    async def close(self) -> None:
        """Close its connections."""
        await self._llm.close()


def _read(
    completion: Completion, turns: Sequence[Turn], *, structured: bool
) -> Utterance:
    """Return what *completion* says; NoUtterance or LlmError where it is of no use."""
    if completion.refusal is not None or completion.finish_reason == "content_filter":
        # Its tokens are counted already.
        raise LlmError(LlmFault.REFUSED, "it refused to play")
    return read_utterance(completion.text, turns, structured=structured)


def _cost(exc: LlmError) -> TokenUsage:
    """Return what a request that failed has cost."""
    return TokenUsage(
        input_tokens=exc.input_tokens,
        output_tokens=exc.output_tokens,
        estimated=exc.estimated,
    )
