"""One run as metrics, in the way of blackbox_exporter's /probe: gauges of it alone."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from answerprobe.metrics.families import MonitorFamily
from answerprobe.metrics.layout import escaped
from answerprobe.metrics.store import Value
from answerprobe.monitor import Monitor
from answerprobe.run import Decision, Run, SampleResult, pass_ratio
from answerprobe.status import case_results
from answerprobe.verdict import Outcome


_PASSING: Mapping[Decision, int] = {Decision.PASSING: 1, Decision.FAILING: 0}


class Probed(NamedTuple):
    """A monitor and a run of it, None before the first; *case_id* narrows it to one."""

    monitor: Monitor
    run: Run | None
    case_id: str | None = None

    @property
    def samples(self) -> tuple[SampleResult, ...]:
        """The samples that are looked at."""
        samples = self.run.samples if self.run else ()
        return tuple(s for s in samples if self.case_id in (None, s.case_id))


class _Series(NamedTuple):
    """A value with its labels beyond those of the monitor."""

    labels: Mapping[str, str]
    value: Value


_Read = Callable[[Probed], Iterable[_Series]]


class ProbeFamily(NamedTuple):
    """A gauge, and how it is read off a run."""

    name: str
    help: str
    read: _Read


def probe_text(probed: Probed) -> str:
    """Return what the run says, in the text format; what it leaves open is absent."""
    return "".join(_lines(probed))


def _lines(probed: Probed) -> Iterator[str]:
    """Yield the lines of all families that have a series."""
    monitor = probed.monitor
    common = {"monitor": monitor.name, **monitor.labels}
    for family in PROBE_FAMILIES:
        told = [each for each in family.read(probed) if each.value is not None]
        if told:
            yield f"# HELP {family.name} {family.help}\n"
            yield f"# TYPE {family.name} gauge\n"
        for labels, value in told:
            pairs = {**common, **labels}.items()
            shown = ",".join(f'{name}="{escaped(text)}"' for name, text in pairs)
            yield f"{family.name}{{{shown}}} {value!r}\n"


def _one(read: Callable[[Probed], Value]) -> _Read:
    """Return what reads the one series of a family."""
    return lambda probed: [_Series({}, read(probed))]


def _of_run(read: Callable[[Run], Value]) -> _Read:
    """Return what reads the one series of a family off the run, once there is one."""
    return _one(lambda probed: read(probed.run) if probed.run else None)


def _outcomes(probed: Probed) -> Counter[Outcome]:
    """Return how many samples ended how."""
    return Counter(sample.outcome for sample in probed.samples)


def _success(probed: Probed) -> int | None:
    """Return whether the target is met; None where what was not judged decides it."""
    if probed.case_id is not None:
        return next((_PASSING.get(decision) for _, decision in _decided(probed)), None)
    outcomes, target = _outcomes(probed), probed.monitor.target_pass_ratio
    total = outcomes.total()
    if total and outcomes[Outcome.PASS] >= target * total:
        return 1
    possible = outcomes[Outcome.PASS] + outcomes[Outcome.NOT_JUDGED]
    return 0 if total and possible < target * total else None


def _up(probed: Probed) -> int | None:
    """Return whether a sample was answered; None where nobody was asked."""
    samples = probed.samples
    if any(sample.answered for sample in samples):
        return 1
    down = samples and all(s.outcome is Outcome.ERROR for s in samples)
    return 0 if down else None


def _ratio(probed: Probed) -> float | None:
    """Return the passes among the judged samples."""
    outcomes = _outcomes(probed)
    return pass_ratio({outcome: outcomes[outcome] for outcome in Outcome})


def _finished(run: Run) -> float | None:
    """Return when *run* ended."""
    return run.finished_at.timestamp() if run.finished_at else None


def _decided(probed: Probed) -> Iterator[tuple[str, Decision]]:
    """Yield what the run decides of each case."""
    if probed.run:
        for result in case_results(probed.monitor, probed.run):
            if probed.case_id in (None, result.case_id):
                yield result.case_id, result.decision


def _passing(probed: Probed) -> Iterator[_Series]:
    """Yield whether each case passes."""
    for case_id, decision in _decided(probed):
        yield _Series({"case": case_id}, _PASSING.get(decision))


def _samples(probed: Probed) -> Iterator[_Series]:
    """Yield how many samples of each case ended how."""
    found = Counter((s.case_id, s.outcome) for s in probed.samples)
    for case_id in dict.fromkeys(s.case_id for s in probed.samples):
        for outcome in Outcome:
            labels = {"case": case_id, "outcome": outcome.value}
            yield _Series(labels, found[case_id, outcome])


def _errors(probed: Probed) -> Iterator[_Series]:
    """Yield how many samples of each case got no usable answer, by reason."""
    failures = Counter(
        (s.case_id, s.failure.reason) for s in probed.samples if s.failure
    )
    for (case_id, reason), count in failures.items():
        yield _Series({"case": case_id, "reason": reason.value}, count)


def _criteria(probed: Probed) -> Iterator[_Series]:
    """Yield how many samples failed each criterion, zeros included."""
    failed = Counter(
        (sample.case_id, verdict.criterion)
        for sample in probed.samples
        for verdict in sample.verdicts
        if verdict.outcome is Outcome.FAIL
    )
    checked = dict.fromkeys(
        (sample.case_id, verdict.criterion)
        for sample in probed.samples
        for verdict in sample.verdicts
    )
    for case_id, criterion in checked:
        labels = {"case": case_id, "criterion": criterion}
        yield _Series(labels, failed[case_id, criterion])


def _slowest(probed: Probed) -> Iterator[_Series]:
    """Yield how long the slowest answer to each case took."""
    slowest: dict[str, float] = {}
    for sample in probed.samples:
        if sample.answered:
            known = slowest.get(sample.case_id, 0.0)
            slowest[sample.case_id] = max(known, sample.duration_seconds)
    for case_id, seconds in slowest.items():
        yield _Series({"case": case_id}, seconds)


def _tokens(probed: Probed) -> Iterator[_Series]:
    """Yield the tokens that were spent."""
    spent: Counter[tuple[str, str]] = Counter()
    for sample in probed.samples:
        for role, usage in sample.tokens.items():
            spent[role.value, "input"] += usage.input_tokens
            spent[role.value, "output"] += usage.output_tokens
    for (spender, kind), tokens in spent.items():
        yield _Series({"role": spender, "kind": kind}, tokens)


def _like(family: MonitorFamily, read: _Read) -> ProbeFamily:
    """Return a gauge of /metrics, read off one run."""
    return ProbeFamily(family.family.name, family.family.help, read)


PROBE_FAMILIES = (
    ProbeFamily(
        "probe_success",
        "1 if the run met the monitor's target, or the one case passed, else 0.",
        _one(_success),
    ),
    ProbeFamily(
        "probe_duration_seconds",
        "How long the run took.",
        _of_run(lambda run: run.duration_seconds),
    ),
    _like(MonitorFamily.UP, _one(_up)),
    _like(MonitorFamily.RUN_PASS_RATIO, _one(_ratio)),
    _like(MonitorFamily.TARGET_PASS_RATIO, _one(lambda p: p.monitor.target_pass_ratio)),
    _like(MonitorFamily.LAST_RUN_ID, _of_run(lambda run: run.id)),
    _like(MonitorFamily.LAST_RUN_TIMESTAMP, _of_run(_finished)),
    _like(MonitorFamily.LAST_RUN_DURATION, _of_run(lambda run: run.duration_seconds)),
    _like(MonitorFamily.CASE_PASSING, _passing),
    ProbeFamily("probe_samples", "Samples of the run by how they ended.", _samples),
    ProbeFamily(
        "probe_sample_errors",
        "Samples of the run that got no usable answer, by reason.",
        _errors,
    ),
    ProbeFamily(
        "probe_criterion_failures",
        "Samples of the run that failed a criterion.",
        _criteria,
    ),
    ProbeFamily(
        "probe_answer_duration_seconds",
        "How long the slowest answer to the case took.",
        _slowest,
    ),
    ProbeFamily("probe_tokens", "Tokens that the run spent.", _tokens),
)
