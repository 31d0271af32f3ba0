"""A real language model is asked, answers and is graded."""

from pathlib import Path

import pytest

from answerprobe.demo.llm import KEY_VARIABLE
from e2e.program import LanguageModel, daemon


pytestmark = pytest.mark.llm


def config(model: LanguageModel, *, stream: bool) -> dict[str, object]:
    """Return a config with one question the model can answer and one it cannot."""
    return {
        "defaults": {"every": "manual", "within": "30s", "samples": 1},
        "monitors": [
            {
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
                "cases": [
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
                ],
            }
        ],
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
