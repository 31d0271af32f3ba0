"""Sources in whatever form."""

from answerprobe.targets import _citations


class TestCitations:
    """Addresses, else titles, bounded."""

    def test_each_form_is_read(self) -> None:
        """Texts and objects, in the order of their arrays."""
        document = {
            "sources": [
                "https://a.example",
                {"title": "A", "url": "https://b.example"},
            ],
            "citations": [{"title": " Hours "}, {"page": 1}, 7, " ", None],
        }

        assert _citations.in_document(document) == (
            "Hours",
            "https://a.example",
            "https://b.example",
        )

    def test_odd_documents_have_none(self) -> None:
        """What is no array is left alone."""
        assert _citations.in_document({"citations": "x", "sources": {"a": 1}}) == ()
        assert _citations.in_annotations({"annotations": [7, {"type": "x"}]}) == ()

    def test_they_are_bounded(self) -> None:
        """Fifty at most, none longer than 2 KiB, each once."""
        many = [f"https://a.example/{n}" for n in range(99)]

        found = _citations.in_document({"sources": ["x" * 9000, *many, *many]})

        assert len(found) == len(set(found)) == 50
        assert max(map(len, found)) <= 2048
