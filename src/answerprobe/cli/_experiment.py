"""From flags to an experiment: what `compare` is asked for, all checked."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from answerprobe import config as configuration
from answerprobe.cli._common import stop, unknown
from answerprobe.comparison import ComparedCase, Experiment, ExperimentPlan, Setup
from answerprobe.config import Config, changes
from answerprobe.config.changes import ChangeError, MonitorChange
from answerprobe.errors import ConfigError
from answerprobe.monitor import Monitor, Price
from answerprobe.sample import TokenRole
from answerprobe.secret import SecretSource


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What the flags say; *monitor* and *samples* are None where they don't."""

    config: Path
    secrets: SecretSource
    scrub: Callable[[str], str]
    monitor: str | None
    cases: tuple[str, ...]
    settings: tuple[str, ...]
    samples: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """An experiment that can be carried out."""

    config: Config
    monitors: Mapping[Setup, Monitor]
    plan: ExperimentPlan


def order(wanted: Wanted, *, default_samples: int) -> Order:
    """Return the experiment that is *wanted*; end the program where it can't be."""
    settings = _settings(wanted.settings)
    if not settings:
        stop("nothing to compare with: say what changes, such as --set model=…")
    config = configuration.load(wanted.config, secrets=wanted.secrets)
    index = _index(config, wanted.monitor)
    samples = wanted.samples or default_samples
    return _order(wanted, config, index, settings, samples)


def resumed(wanted: Wanted, kept: Experiment) -> Order:
    """
    Return what *kept* was to do, for what is left of it.

    The program ends where flags or configuration say otherwise than they did.
    """
    plan = kept.plan
    if wanted.samples not in (None, plan.samples):
        stop(f"experiment {kept.id} has {plan.samples} runs; --runs can't change that")
    # Secrets are known to be such once the configuration is loaded.
    config = configuration.load(wanted.config, secrets=wanted.secrets)
    given = _settings(wanted.settings)
    # What is kept may be left out.
    if not changes.shown(given, wanted.scrub).items() <= plan.settings.items():
        stop(f"experiment {kept.id} tries {plan.reason}; --set says otherwise")
    lacking = [key for key in plan.masked if key not in given]
    if lacking:
        stop(f"the value of {', '.join(lacking)} is not kept; give --set again")
    index = _index(config, wanted.monitor or plan.monitor)
    if config.monitors[index].name != plan.monitor:
        stop(f"experiment {kept.id} is of monitor {plan.monitor!r}")
    cases = tuple(case.id for case in plan.cases)
    if wanted.cases and set(wanted.cases) != set(cases):
        stop(f"experiment {kept.id} asks {', '.join(cases)}; --case can't change that")
    again = replace(wanted, cases=cases)
    settings = {**plan.settings, **given}
    made = _order(again, config, index, settings, plan.samples)
    if made.plan.definition != plan.definition:
        stop(
            f"experiment {kept.id} cannot go on: the configuration, or what --set "
            "names, is not what it was; start a new one"
        )
    return made


def _order(
    wanted: Wanted,
    config: Config,
    index: int,
    settings: Mapping[str, str],
    samples: int,
) -> Order:
    """Return the experiment of *settings* at the monitor at *index*."""
    monitor = _with_cases(config.monitors[index], wanted.cases)
    change = MonitorChange(index=index, settings=settings)
    try:
        # Its target is all that is wanted: whether cases were accepted is known.
        other = configuration.load(
            wanted.config, secrets=wanted.secrets, change=change, keep_lock=False
        )
    except ConfigError as exc:
        stop(f"--set: {changes.refusal(exc)}")
    changed = changes.changed_target(monitor, other, index)
    if changed.target == monitor.target:
        same = ", ".join(settings)
        stop(f"--set: {same}: the agent is asked so already; nothing to compare with")
    shown = changes.shown(settings, wanted.scrub)
    plan = ExperimentPlan(
        monitor=monitor.name,
        reason=changes.reason(monitor.target, settings, wanted.scrub),
        settings=shown,
        masked=tuple(key for key in settings if shown[key] != settings[key]),
        samples=samples,
        cases=tuple(map(ComparedCase.of, monitor.cases)),
        definition=changes.definition(config, monitor, changed),
        prices=_prices(config, monitor),
    )
    monitors = {Setup.CURRENT: monitor, Setup.CHANGED: changed}
    return Order(config=config, monitors=monitors, plan=plan)


def _settings(written: tuple[str, ...]) -> Mapping[str, str]:
    """Return what `--set` names; end the program where that can't be changed."""
    try:
        return changes.parse_changes(written)
    except ChangeError as exc:
        stop(f"--set: {exc}")


def _index(config: Config, name: str | None) -> int:
    """Return which monitor is meant; end the program where that is not clear."""
    names = [monitor.name for monitor in config.monitors]
    if name is None:
        if len(names) == 1:
            return 0
        stop(f"there are {len(names)} monitors; say which one with --monitor")
    if name not in names:
        stop(unknown("monitor", name, names))
    return names.index(name)


def _with_cases(monitor: Monitor, wanted: Sequence[str]) -> Monitor:
    """Return *monitor* with the cases *wanted*, all accepted ones where none is."""
    ids = [case.id for case in monitor.cases]
    left_out = {case.id: case.state.value for case in monitor.uncounted}
    for case_id in wanted:
        if case_id in left_out:
            stop(f"case {case_id!r} is {left_out[case_id]}: only accepted ones count")
        if case_id not in ids:
            stop(unknown("case", case_id, ids))
    if not ids:
        stop(f"no case of {monitor.name!r} is accepted, so that nothing can be asked")
    if not wanted:
        return monitor
    cases = tuple(case for case in monitor.cases if case.id in wanted)
    return replace(monitor, cases=cases)


def _prices(config: Config, monitor: Monitor) -> Mapping[TokenRole, Price]:
    """Return the prices that are set."""
    judge = config.judges.get(monitor.judge)
    user = config.simulated_user
    prices = {
        TokenRole.AGENT: monitor.price,
        TokenRole.JUDGE: judge.price if judge else None,
        TokenRole.SIMULATED_USER: user.price if user else None,
    }
    return {role: price for role, price in prices.items() if price}
