"""A monitor's status survives the store, other versions and nonsense."""

import json

from datetime import UTC, datetime

import pytest

from hypothesis import given
from hypothesis import strategies as st

from answerprobe.evidence._status_json import decode, encode
from answerprobe.passrate import Counted
from answerprobe.run import Decision
from answerprobe.status import (
    CaseStatus,
    Cause,
    DeployComparison,
    MonitorStatus,
    RecentRuns,
)


COUNTS = st.integers(0, 2**53)
RATIOS = st.none() | st.floats(0, 1)
BITS = st.lists(st.booleans(), max_size=20).map(tuple)
CASES = st.builds(
    CaseStatus,
    fingerprint=st.text(max_size=32),
    decision=st.none() | st.sampled_from(Decision),
    baseline=BITS,
    window=BITS,
    consecutive_failed_runs=COUNTS,
    regressed=st.none() | st.sampled_from(Cause),
    failing_since_run=st.none() | COUNTS,
)
INSTANTS = st.datetimes(
    datetime(2000, 1, 1),  # noqa: DTZ001  hypothesis adds the zone
    datetime(2100, 1, 1),  # noqa: DTZ001
    timezones=st.just(UTC),
)
COUNTED = st.tuples(COUNTS, COUNTS).map(lambda two: Counted(min(two), max(two)))
RECENT = st.builds(
    RecentRuns,
    cases=st.text(max_size=32),
    counts=st.lists(COUNTED, max_size=10).map(tuple),
)
DEPLOYS = st.builds(
    DeployComparison,
    version=st.text(max_size=20),
    first_run_id=COUNTS,
    of_runs=COUNTS,
    before=COUNTED,
    before_runs=COUNTS,
    after=COUNTED,
    after_runs=COUNTS,
)
STATUSES = st.builds(
    MonitorStatus,
    up=st.none() | st.booleans(),
    pass_ratio=RATIOS,
    runs_below_target=COUNTS,
    runs_down=COUNTS,
    runs_slow=COUNTS,
    slowness_ratio=RATIOS,
    last_run_id=st.none() | COUNTS,
    last_run_finished_at=st.none() | INSTANTS,
    last_run_duration_seconds=st.none() | st.floats(0, 1e6),
    cases=st.dictionaries(st.text(max_size=20), CASES, max_size=3),
    recent=RECENT,
    deploy=st.none() | DEPLOYS,
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)
NAMES = [*MonitorStatus.__dataclass_fields__, *CaseStatus.__dataclass_fields__]


class TestRoundTrip:
    """What is written is read back."""

    @given(STATUSES)
    def test_every_status_is_read_back_equal(self, status: MonitorStatus) -> None:
        """To the microsecond and the last bit."""
        assert decode(encode(status)) == status


class TestTolerance:
    """Older and newer versions wrote something else."""

    @pytest.mark.parametrize(
        "text",
        [
            pytest.param(None, id="nothing"),
            pytest.param("", id="empty"),
            pytest.param("{", id="cut"),
            pytest.param("[1]", id="no object"),
            pytest.param("[" * 100_000, id="nested"),
        ],
    )
    def test_what_is_no_status_is_a_new_one(self, text: str | None) -> None:
        """The monitor is as if it had never run."""
        assert decode(text) == MonitorStatus()

    def test_unknown_keys_and_members_are_left_alone(self) -> None:
        """A newer version knows more."""
        case = {"fingerprint": "f", "decision": "doubtful", "mood": 7, "window": "101"}
        text = json.dumps({"up": True, "weather": "fine", "cases": {"a": case}})

        known = CaseStatus(fingerprint="f", window=(True, False, True))
        assert decode(text) == MonitorStatus(up=True, cases={"a": known})

    @given(st.dictionaries(st.sampled_from(NAMES), JSON, max_size=6))
    def test_nonsense_never_raises(self, found: dict[str, object]) -> None:
        """In the status or in a case of it."""
        assert isinstance(decode(json.dumps(found)), MonitorStatus)
        inside = json.dumps({"cases": {"a": found}})
        assert isinstance(decode(inside), MonitorStatus)
