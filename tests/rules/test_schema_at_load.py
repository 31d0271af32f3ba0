"""What is refused of a JSON Schema when the configuration is loaded."""

import pytest

from answerprobe.errors import CriterionError
from answerprobe.rules._schema import load


def refusal(schema: object) -> CriterionError:
    """Return the error that *schema* is refused with."""
    with pytest.raises(CriterionError) as caught:
        load(schema)
    return caught.value


def nested(levels: int) -> dict[str, object]:
    """Return a schema nested *levels* deep."""
    schema: dict[str, object] = {}
    for _ in range(levels):
        schema = {"items": schema}
    return schema


class TestLoad:
    """A schema that would not check what it says is refused, with where."""

    @pytest.mark.parametrize(
        ("schema", "path", "says"),
        [
            pytest.param(
                {"type": "objekt"}, ("type",), "did you mean object", id="type"
            ),
            pytest.param(
                {"requierd": ["a"]},
                ("requierd",),
                "did you mean required",
                id="keyword",
            ),
            pytest.param(
                {"properties": {"a": {"nullable": True}}},
                ("properties", "a", "nullable"),
                "unknown keyword",
                id="keyword below",
            ),
            pytest.param(
                {"items": {"format": "emial"}},
                ("items", "format"),
                "did you mean email",
                id="format",
            ),
            pytest.param(
                {"anyOf": [{}, {"pattern": "(?=a)"}]},
                ("anyOf", 1, "pattern"),
                "look-around",
                id="pattern",
            ),
            pytest.param(
                {"patternProperties": {r"(a)\1": {}}},
                ("patternProperties", r"(a)\1"),
                "back-reference",
                id="pattern of properties",
            ),
            pytest.param(
                {"minLength": -1}, ("minLength",), "less than the minimum", id="number"
            ),
            pytest.param(
                {"required": "a"}, ("required",), "not of type 'array'", id="shape"
            ),
            pytest.param(
                {"$schema": "http://example.com/mine"},
                ("$schema",),
                "unknown draft",
                id="draft",
            ),
            pytest.param(
                {"items": {"$schema": "http://json-schema.org/draft-07/schema#"}},
                ("items", "$schema"),
                "whole schema",
                id="draft of a part",
            ),
            pytest.param(
                {"patternProperties": {"a": {}}, "unevaluatedProperties": False},
                (),
                "additionalProperties",
                id="leftovers of patterns",
            ),
        ],
    )
    def test_refused_with_path(
        self, schema: object, path: tuple[str | int, ...], says: str
    ) -> None:
        """The path leads to the culprit, the message says what is wrong."""
        error = refusal(schema)

        assert error.path == path
        assert says in error.message

    @pytest.mark.parametrize(
        "schema",
        [
            pytest.param({"minimum": float("nan")}, id="NaN"),
            pytest.param({"const": {1}}, id="a set"),
            pytest.param(nested(5000), id="nested without measure"),
        ],
    )
    def test_no_json_is_refused(self, schema: object) -> None:
        """A schema is JSON."""
        assert refusal(schema).message.startswith("no JSON")

    def test_extensions_are_allowed(self) -> None:
        """Keywords that begin with `x-` are somebody else's."""
        assert load({"x-owner": "shop"}).misfit(5) is None


class TestReferences:
    """References lead to parts of the schema itself."""

    @pytest.mark.parametrize(
        ("schema", "says"),
        [
            pytest.param(
                {"$ref": "http://127.0.0.1:9/order.json"}, "ever fetched", id="remote"
            ),
            pytest.param({"$ref": "file:///etc/passwd"}, "ever fetched", id="a file"),
            pytest.param({"$ref": "order.json"}, "ever fetched", id="relative"),
            pytest.param(
                {"$ref": "https://json-schema.org/draft/2020-12/schema"},
                "ever fetched",
                id="the meta-schema",
            ),
            pytest.param({"$ref": "#/$defs/a"}, "not in this schema", id="pointer"),
            pytest.param({"$ref": "#a"}, "not in this schema", id="anchor"),
            pytest.param(
                {"allOf": [{"$ref": "#/allOf/x"}]}, "not in this schema", id="no index"
            ),
            pytest.param(
                {"$ref": "#/default", "default": {"pattern": "(?=a)"}},
                "no schema",
                id="a value",
            ),
            pytest.param({"$dynamicRef": "#a"}, "not in this schema", id="dynamic"),
        ],
    )
    def test_elsewhere_is_refused(self, schema: object, says: str) -> None:
        """Nothing is fetched, and nothing is overlooked."""
        assert says in refusal(schema).message

    @pytest.mark.parametrize(
        "schema",
        [
            pytest.param({"$ref": "#"}, id="itself"),
            pytest.param({"allOf": [{"$ref": "#"}]}, id="through allOf"),
            pytest.param(
                {
                    "$ref": "#/$defs/a",
                    "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}},
                },
                id="in a circle",
            ),
        ],
    )
    def test_endless_is_refused(self, schema: object) -> None:
        """A schema that never comes to a value can check none."""
        assert "without end" in refusal(schema).message

    @pytest.mark.parametrize(
        "schema",
        [
            pytest.param({"items": {"$ref": "#"}}, id="recursive"),
            pytest.param({"$ref": "#a", "$defs": {"a": {"$anchor": "a"}}}, id="anchor"),
            pytest.param(
                {
                    "$id": "https://shop.example/order",
                    "items": {"$ref": "line"},
                    "$defs": {"l": {"$id": "line", "type": "string"}},
                },
                id="by an id within",
            ),
        ],
    )
    def test_inside_is_fine(self, schema: object) -> None:
        """References within the schema work, by every spelling."""
        assert load(schema).misfit([]) is None


class TestFormats:
    """The formats are really checked."""

    @pytest.mark.parametrize(
        ("name", "good", "bad"),
        [
            pytest.param("date", "2026-02-28", "2026-02-30", id="date"),
            pytest.param(
                "date-time", "2026-02-28T10:00:00Z", "2026-02-28 10:00", id="date-time"
            ),
            pytest.param("time", "10:00:00Z", "10 am", id="time"),
            pytest.param("duration", "P3DT4H", "3 days", id="duration"),
            pytest.param("email", "maria.kern@shop.io", "@", id="email"),
            pytest.param("email", "a+b@[127.0.0.1]", "a..b@shop.io", id="email dots"),
            pytest.param("email", "a@b.io", "a@b.io\n", id="email line break"),
            pytest.param("email", "a@b.io", "M <a@b.io>", id="email with a name"),
            pytest.param("date", "2026-02-28", "\ud800", id="half a surrogate pair"),
            pytest.param("idn-email", "jürgen@köln.de", "jürgen", id="idn-email"),
            pytest.param("uri", "https://a.io/b?c#d", "/b", id="uri"),
            pytest.param("uri-reference", "/b", "\\b", id="uri-reference"),
            pytest.param("iri", "https://köln.de/straße", "straße", id="iri"),
            pytest.param("iri-reference", "/straße", "/a b", id="iri-reference"),
            pytest.param("uri-template", "/a/{b}", "/a/{b", id="uri-template"),
            pytest.param("hostname", "shop.io", "-shop.io", id="hostname"),
            pytest.param("idn-hostname", "köln.de", "a..b", id="idn-hostname"),
            pytest.param("ipv4", "10.0.0.1", "10.0.0.256", id="ipv4"),
            pytest.param("ipv6", "::1", "::g", id="ipv6"),
            pytest.param(
                "uuid", "2eb8aa08-aa98-11ea-b4aa-73b441d16380", "2eb8", id="uuid"
            ),
            pytest.param("json-pointer", "/a/0", "a", id="json-pointer"),
            pytest.param("relative-json-pointer", "1/a", "/a", id="relative pointer"),
            pytest.param("regex", "^a+$", "(?=a)", id="regex"),
        ],
    )
    def test_table(self, name: str, good: str, bad: str) -> None:
        """A good value fits, a bad one does not."""
        schema = load({"format": name})

        assert schema.misfit(good) is None
        assert schema.misfit(bad) is not None

    def test_other_values_have_every_format(self) -> None:
        """A format speaks of texts only."""
        assert load({"format": "date"}).misfit(5) is None

    def test_very_long_texts_have_none(self) -> None:
        """No format is checked on a text that nobody would call a date or address."""
        assert load({"format": "uri"}).misfit("https://a.io/" + "a" * 3000) is not None
