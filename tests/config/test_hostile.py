"""Whatever stands in a file: it is a configuration, or refused in good order."""

import json
import random

from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from answerprobe.config import Config, load
from answerprobe.config._want import Want, wanted
from answerprobe.errors import ConfigError
from answerprobe.secret import SecretSource
from config.loading import SECRETS, load_text


GOOD = """\
defaults: {every: 1h, samples: 3, pass_at_least: 2, target: 90%, within: 20s}
token_budget: 2M
limits: {in_flight: 64, per_monitor: 5}
judges:
  default: {model: grader, votes: 3, auth: {bearer: secret.TOKEN}, calibrate: 1d}
api: {tokens: {ci: secret.TOKEN, ops: {token: plain, scope: [read, runs]}}}
monitors:
  - &first
    name: shop
    endpoint: https://shop.example/chat
    headers: {X-Team: "support"}
    labels: {team: support}
    request: {message: question, extra: {locale: en}}
    cases: &cases
      - id: opening
        ask: When do you open?
        expect:
          - answered: {within: 5s}
          - contains: {text: nine, case_sensitive: true}
          - regex: '\\d+'
          - json_schema: {type: object}
          - judge: Says when.
  - <<: *first
    name: other
    cases: *cases
"""
PIECES = [
    *":-?,[]{}#&*!|>'\"%@` \n\t\\~0123456789abcnulltrueyesno_.<é日\0\x85",
    *("\n  ", "\n    - ", ": ", "- ", "*a ", "&a ", "<<: ", "!!str ", "---\n", "null"),
    *("0755", "1:30", "1_000", "0b_", ".inf", "1e999", "9" * 400, "secret.X"),
    *(
        "monitors",
        "cases",
        "expect",
        "within",
        "answered",
        "contains",
        "regex",
        "judge",
    ),
]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=6,
)


def outcome(text: str | bytes) -> Config | ConfigError:
    """Return the configuration or its refusal; anything else is raised."""
    try:
        return load_text(text)
    except ConfigError as exc:
        return exc


def is_orderly(found: Config | ConfigError) -> bool:
    """Whether a refusal has problems, each on one line that can be printed."""
    if isinstance(found, Config):
        return True
    return bool(found.problems) and all(str(p).isprintable() for p in found.problems)


def document(want: Want | None, rng: random.Random) -> object:
    """Return something of about the shape that *want* wants."""
    if want is None or rng.random() < 0.04:
        return rng.choice([None, "", 0, -1, 1.5, True, [], {}, "5s", "90%", "x y"])
    if want.properties and rng.random() < 0.85:
        required = want.schema.get("required")
        musts = required if isinstance(required, list) else []
        some = rng.sample(list(want.properties), min(len(want.properties), 3))
        return {key: document(want.properties[key], rng) for key in {*musts, *some}}
    if want.items:
        return [document(want.items, rng) for _ in range(rng.randint(0, 2))]
    if want.others:
        return {rng.choice(["a", "x y", "b"]): document(want.others, rng)}
    words = ["5s", "1h", "90%", "200k", "http://h/", "x", "secret.TOKEN", 3, 0.5, True]
    names = want.schema.get("enum")
    return rng.choice(names if isinstance(names, list) else words)


class TestHostileFiles:
    """Only a Config or a ConfigError comes out of load()."""

    @settings(max_examples=300)
    @given(st.lists(st.sampled_from(PIECES), max_size=60).map("".join))
    def test_any_text(self, text: str) -> None:
        """Text that looks like YAML now and then."""
        assert is_orderly(outcome(text))

    @settings(max_examples=100)
    @given(st.binary(max_size=200))
    def test_any_bytes(self, content: bytes) -> None:
        """Bytes of any kind."""
        assert is_orderly(outcome(content))

    @settings(max_examples=300)
    @given(
        st.integers(0, len(GOOD)), st.integers(0, 12), st.lists(st.sampled_from(PIECES))
    )
    def test_a_good_file_with_a_piece_changed(
        self, at: int, cut: int, new: list[str]
    ) -> None:
        """Some characters of a good file replaced by others."""
        assert is_orderly(outcome(GOOD[:at] + "".join(new[:4]) + GOOD[at + cut :]))

    @settings(max_examples=300)
    @given(st.integers(0, 2**32))
    def test_anything_of_about_the_right_shape(self, seed: int) -> None:
        """Known keys with values that are right, nearly right or quite wrong."""
        made = document(wanted(), random.Random(seed))  # noqa: S311  # no secret

        assert is_orderly(outcome(json.dumps(made)))

    @given(JSON)
    def test_any_json(self, value: object) -> None:
        """JSON of any shape, as the value of `monitors` and of a criterion."""
        one = {
            "name": "a",
            "endpoint": "http://h",
            "cases": [{"ask": "q", "expect": []}],
        }
        one["cases"] = [{"ask": "q", "expect": [{"json_schema": value}, value]}]

        assert is_orderly(outcome(json.dumps({"monitors": value})))
        assert is_orderly(outcome(json.dumps({"monitors": [one]})))


class TestGoodFile:
    """What the hostile tests start from is good."""

    def test_it_loads(self) -> None:
        """Anchors, aliases and merges are part of it."""
        config = load_text(GOOD)

        assert [monitor.name for monitor in config.monitors] == ["shop", "other"]
        assert config.monitors[0].cases == config.monitors[1].cases

    def test_from_a_relative_path(self) -> None:
        """Problems name the file as it was given."""
        with TemporaryDirectory() as folder:
            path = Path(folder) / "sub" / ".." / "c.yml"
            (Path(folder) / "sub").mkdir()
            path.write_text(GOOD)

            config = load(path, secrets=SecretSource(environment=SECRETS))

        assert config.path == path
