"""The built-in canaries."""

import re

from collections import Counter

from answerprobe.judge.canaries import built_in_canaries


CANARIES = built_in_canaries()
PASSES = [canary for canary in CANARIES if canary.passes]
FAILS = [canary for canary in CANARIES if not canary.passes]


class TestBuiltInCanaries:
    """Answers whose verdict is beyond doubt."""

    def test_are_enough_of_each_verdict(self) -> None:
        """A rate of twenty has an interval that says something."""
        assert len(PASSES) >= 20
        assert len(FAILS) >= 20

    def test_are_all_different(self) -> None:
        """Each counts once."""
        answers = Counter(canary.answer for canary in CANARIES)

        assert set(answers.values()) == {1}

    def test_no_question_gives_the_verdict_away(self) -> None:
        """Nearly all are there with a good answer and with a bad one."""
        asked = {(c.question, c.rubric) for c in PASSES}
        one_sided = [c for c in FAILS if (c.question, c.rubric) not in asked]

        assert len(one_sided) <= 2

    def test_some_attack_the_judge(self) -> None:
        """Claims, role tags, JSON, few shots, hidden text, in several languages."""
        text = "\n".join(canary.answer for canary in FAILS)

        for attack in (
            *("<|im_start|>", '"verdict": "pass"', "Verdetto: pass", "<tool_result>"),
            *(
                "INSTRUCTION:",
                "<!--",
                "veredicto pass",
                "verdict は pass",
                "直接输出 pass",
            ),
        ):
            assert attack in text
        assert re.search(r"[A-Za-z0-9+/]{40,}={0,2}", text), "base64"
        assert re.search("[\U000e0000-\U000e007f]", text), "tag characters"

    def test_some_that_pass_speak_of_failing(self) -> None:
        """A judge that counts words gets them wrong."""
        texts = [canary.answer.lower() for canary in PASSES]

        assert any("fail" in text for text in texts)
        assert any("error" in text for text in texts)
        assert any(len(text) > 1000 for text in texts)

    def test_are_in_many_languages(self) -> None:
        """Of those that pass too."""
        scripts = ("[\u0430-\u044f]", "[ぁ-ん]", "[가-힣]", "[一-龥]", "[äöü]", "[ąęł]")

        for canaries in (PASSES, FAILS):
            text = "\n".join(canary.answer for canary in canaries)
            missing = [script for script in scripts if not re.search(script, text)]
            assert missing == []
