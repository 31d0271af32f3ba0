"""
What Alertmanager sends, word by word, rendered by amtool.

Each `notifications/NAME.json` is the data of a message, and `NAME.txt` beside it what
every template makes of it. After a change that is meant:
`UPDATE_GOLDEN=1 pytest tests/alerting/test_notifications.py`, and read the difference.
"""

import os
import re

from pathlib import Path

import pytest

from alerting.tools import HERE, TEMPLATES, ran


MESSAGES = sorted((HERE / "notifications").glob("*.json"))
_DEFINED = re.compile(r'{{ define "([^"]+)"')


def rendered(name: str, message: Path) -> str:
    """Return what the template *name* makes of *message*."""
    done = ran(
        "amtool",
        *("template", "render", f"--template.glob={TEMPLATES}"),
        f"--template.type={'html' if name.endswith('.html') else 'text'}",
        f'--template.text={{{{ template "{name}" . }}}}',
        f"--template.data={message}",
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def all_rendered(message: Path) -> str:
    """Return what each template makes of *message*, each below its name."""
    names = _DEFINED.findall(TEMPLATES.read_text(encoding="utf-8"))
    return "\n".join(f"=== {name}\n{rendered(name, message)}" for name in names)


each_message = pytest.mark.parametrize(
    "message", [pytest.param(path, id=path.stem) for path in MESSAGES]
)


class TestNotifications:
    """`deploy/alertmanager/answerprobe.tmpl`."""

    @each_message
    def test_reads_as_it_is_written_down(self, message: Path) -> None:
        """Every template renders this message exactly as the golden file has it."""
        golden = message.with_suffix(".txt")

        text = all_rendered(message)

        if os.environ.get("UPDATE_GOLDEN"):
            golden.write_text(text, encoding="utf-8")
        assert text == golden.read_text(encoding="utf-8")

    @each_message
    def test_nothing_is_missing_or_mangled(self, message: Path) -> None:
        """No template leaves a trace of a value that was not there."""
        assert not re.search(r"<no value>|%!|<nil>|&lt;no value", all_rendered(message))

    def test_a_subject_is_one_line(self) -> None:
        """It becomes the header of a mail."""
        subjects = [rendered("answerprobe.subject", path) for path in MESSAGES]

        assert all(subject.count("\n") <= 1 for subject in subjects)

    def test_markup_in_an_answer_stays_text(self) -> None:
        """In a mail of HTML an agent's answer cannot become part of the page."""
        page = rendered(
            "answerprobe.email.html", HERE / "notifications" / "markup.json"
        )

        assert "<script>" not in page
        assert "&lt;script&gt;" in page
