"""The rules that judge texts keep their quality on labelled answers."""

import pytest

from quality import quality


pytestmark = pytest.mark.skipif(
    not quality.data_folder().is_dir(),
    reason=f"the labelled answers are not here: {quality.data_folder()}",
)


class TestRefusals:
    """`no_refusal` on labelled answers."""

    def test_all_languages_together(self) -> None:
        """Nearly all refusals are found, and hardly anything else."""
        report = quality.refusals()

        assert report.score("all").f1 >= 0.92
        assert report.score("all").precision >= 0.97

    def test_other_languages_than_english(self) -> None:
        """Refusals are found in other languages, without false alarms."""
        score = quality.refusals().score("not English")

        assert score.recall >= 0.90
        assert score.false_yes == 0


class TestPersonalData:
    """`no_pii` on labelled texts."""

    def test_texts(self) -> None:
        """Nearly all texts with personal data are found, hardly any other."""
        score = quality.personal_data().score("texts")

        assert score.f1 >= 0.97
        assert score.precision >= 0.99

    def test_plain_answers_raise_no_alarm(self) -> None:
        """At most 3 of 1,000 ordinary answers fail."""
        score = quality.false_alarms().score("plain answers")

        assert score.false_yes / (score.false_yes + score.true_no) <= 0.003


class TestCitations:
    """`has_citation` on labelled answers."""

    def test_citations_are_told_from_what_looks_like_them(self) -> None:
        """Citations of all forms are found."""
        assert quality.citations().score("all").f1 >= 0.95
