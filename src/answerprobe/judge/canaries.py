"""
The built-in canaries: questions and answers whose verdict is beyond doubt.

They are of shops, banks, phone companies and travel, in many languages. Among those to
fail are attacks on the judge and answers that only echo the rubric; among those to pass
is what judges wrongly dislike: paraphrases, long answers, words such as "fail".
"""

import functools
import json

from importlib import resources

from answerprobe.monitor import Canary


_FILE = "canaries.json"


@functools.cache
def built_in_canaries() -> tuple[Canary, ...]:
    """Return the canaries of a judge whose configuration names none."""
    text = resources.files("answerprobe.judge").joinpath(_FILE).read_text("utf-8")
    return tuple(
        Canary(
            question=entry["question"],
            answer=entry["answer"],
            rubric=entry["rubric"],
            passes=entry["verdict"] == "pass",
        )
        for entry in json.loads(text)
    )
