"""Calls a model as a judge does."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime

from answerprobe.connection import Connection
from answerprobe.llm import Completion, Llm


HELLO = [{"role": "user", "content": "Hello there"}]


@asynccontextmanager
async def model(connection: Connection) -> AsyncIterator[Llm]:
    """Open a model and close it."""
    llm = Llm(
        connection,
        "small-1",
        scrub=lambda text: text.replace("sk-planted-key", "<secret>"),
        now=lambda: datetime(2026, 3, 4, tzinfo=UTC),
    )
    try:
        yield llm
    finally:
        await llm.close()


async def ask(llm: Llm, timeout_seconds: float = 20.0) -> Completion:
    """Ask for one completion with all parameters."""
    return await llm.complete(
        HELLO,
        max_tokens=50,
        temperature=0.0,
        response_format={"type": "json_object"},
        timeout_seconds=timeout_seconds,
    )
