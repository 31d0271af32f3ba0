"""A real language model is asked, answers and is graded."""

import json

from pathlib import Path

import pytest

from answerprobe.demo.llm import KEY_VARIABLE
from answerprobe.sample import Termination
from answerprobe.verdict import Outcome
from e2e.program import LanguageModel, daemon


pytestmark = pytest.mark.llm


QUESTIONS: list[dict[str, object]] = [
    {
        "id": "capital",
        "ask": "What is the capital of France?",
        "expect": [{"contains": "Paris"}, {"max_words": 100}],
    },
    {
        "id": "impossible",
        "ask": "What is the capital of Italy?",
        "expect": [{"contains": "Ouagadougou"}],
    },
]
MAX_TURNS = 3
SAMPLES = 2
TALK: dict[str, object] = {
    "id": "talk",
    "conversation": {
        "persona": "A tourist who is curious and writes one short sentence at a time.",
        "goal": "Find out what to see in the capital of France.",
        "opening": "What is the capital of France?",
        "min_turns": 2,
        "max_turns": MAX_TURNS,
    },
    "expect": [{"contains": {"text": "Paris", "in": "any"}}],
}


def monitor(
    model: LanguageModel, cases: list[dict[str, object]], *, stream: bool
) -> dict[str, object]:
    """Return a monitor of the model with *cases*."""
    return {
        "name": "model",
        "type": "agent",
        "protocol": "openai",
        "endpoint": model.base_url,
        "model": "smollm2",
        "auth": {"bearer": f"secret.{KEY_VARIABLE}"},
        "system_prompt": "Answer in one short sentence.",
        "temperature": 0,
        "max_tokens": 200,
        "stream": stream,
        "confirm": "0s",
        "cases": cases,
    }


def config(model: LanguageModel, *, stream: bool) -> dict[str, object]:
    """Return a config with one question the model can answer and one it cannot."""
    return {
        "defaults": {"every": "manual", "within": "30s", "samples": 1},
        "monitors": [monitor(model, QUESTIONS, stream=stream)],
    }


def talking(model: LanguageModel, *, stream: bool) -> dict[str, object]:
    """Return a config with a conversation between the model and itself."""
    return {
        "defaults": {"every": "manual", "within": "60s", "samples": SAMPLES},
        "simulated_user": {
            "base_url": model.base_url,
            "model": "smollm2",
            "auth": {"bearer": f"secret.{KEY_VARIABLE}"},
            "timeout": "60s",
        },
        "monitors": [monitor(model, [TALK], stream=stream)],
    }


STREAMING = [
    pytest.param(False, id="plain"),
    pytest.param(True, id="streamed"),
]


class TestLanguageModel:
    """`answerprobe serve` against a real model."""

    @pytest.mark.parametrize("stream", STREAMING)
    async def test_is_asked_and_graded(
        self, language_model: LanguageModel, tmp_path: Path, *, stream: bool
    ) -> None:
        """One question passes and one fails, and its usage is what is counted."""
        environment = {KEY_VARIABLE: language_model.api_key}
        setup = config(language_model, stream=stream)
        async with daemon(tmp_path, setup, environment) as running:
            await running.run("model")
            metrics = await running.until(
                "answerprobe_runs_total", 1, state="completed", seconds=90
            )

            def total(name: str, **labels: str) -> float | None:
                return metrics.total(f"answerprobe_{name}", **labels)

            log = running.log()

        assert total("up") == 1
        assert total("samples_total", case="capital", outcome="pass") == 1
        assert total("samples_total", case="impossible", outcome="fail") == 1
        assert total("run_pass_ratio") == 0.5
        for kind in ("input", "output"):
            told = total("tokens_total", role="agent", kind=kind, estimated="false")
            assert (told or 0) > 5
        assert total("tokens_total", estimated="true") == 0
        assert total("first_token_seconds_count") == (2 if stream else None)
        assert language_model.api_key not in log
        assert "Paris" not in log

    @pytest.mark.parametrize("stream", STREAMING)
    async def test_talks_to_itself(
        self, language_model: LanguageModel, tmp_path: Path, *, stream: bool
    ) -> None:
        """Whatever agent and user say, the conversation keeps to its rules."""
        environment = {KEY_VARIABLE: language_model.api_key}
        setup = talking(language_model, stream=stream)
        async with daemon(tmp_path, setup, environment) as running:
            await running.run("model")
            metrics = await running.until(
                "answerprobe_runs_total", 1, state="completed", seconds=240
            )
            number = metrics.total("answerprobe_last_run_id")
            text = await running.text(f"/v1/runs/{number:.0f}")

        samples = json.loads(text or "")["samples"]
        assert len(samples) == SAMPLES
        for sample in samples:
            roles = [turn["role"] for turn in sample["transcript"]]
            turns = len(roles) // 2
            assert roles == ["user", "agent"] * turns
            assert 1 <= turns <= MAX_TURNS
            assert all(turn["text"] for turn in sample["transcript"][::2])
            assert sample["termination"] in set(Termination)
            assert sample["outcome"] in set(Outcome)
        for role in ("agent", "simulated_user"):
            spent = sum(sum_of(sample["tokens"][role]) for sample in samples)
            labels = {"role": role, "estimated": "false"}
            assert metrics.total("answerprobe_tokens_total", **labels) == spent
            assert spent > 20 * SAMPLES
        ended = metrics.total("answerprobe_conversations_total", case="talk")
        assert ended == SAMPLES
        said = sum(len(sample["transcript"]) for sample in samples)
        assert metrics.total("answerprobe_conversation_turns_sum") == said / 2


def sum_of(tokens: dict[str, int]) -> int:
    """Return input and output of *tokens* together."""
    return tokens["input"] + tokens["output"]
