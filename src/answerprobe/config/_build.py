"""The domain objects of a configuration, from its checked shape."""

from collections.abc import Mapping
from pathlib import Path as FilePath

from answerprobe.config._conversation import SIMULATED_USER, read_simulated_user
from answerprobe.config._criterion import Criteria
from answerprobe.config._findings import Path
from answerprobe.config._judges import read_judges
from answerprobe.config._levels import BUILT_IN, overlay
from answerprobe.config._monitor import MonitorReader
from answerprobe.config._reading import Reading, entries, mapping, text, whole
from answerprobe.config._show import quote
from answerprobe.config.settings import ApiToken, Config, Limits, Scope
from answerprobe.monitor import COMPARE_AFTER_RUNS


def build(
    root: Mapping[str, object], path: FilePath, sha256: str, reading: Reading
) -> Config:
    """
    Return the configuration in *root*.

    It is good only if *reading* has no findings afterwards.
    """
    judges = read_judges(root, reading)
    simulated_user = read_simulated_user(root, reading)
    defaults = overlay(BUILT_IN, mapping(root, "defaults"), ("defaults",), reading)
    monitors = MonitorReader(
        defaults=defaults,
        judges=judges,
        criteria=Criteria(),
        # A section that is no good is a finding already.
        compare_after_runs=whole(
            mapping(root, "deploys"), "compare_after", COMPARE_AFTER_RUNS
        ),
        may_talk=bool(simulated_user) or reading.findings.touch((SIMULATED_USER,)),
        reading=reading,
    ).read_all(root)
    api = mapping(root, "api")
    tokens = mapping(api, "tokens")
    config = Config(
        path=path,
        sha256=sha256,
        monitors=monitors,
        judges={name: judge for name, judge in judges.named.items() if judge},
        limits=_limits(mapping(root, "limits")),
        token_budget=reading.tokens(root, "token_budget", (), None),
        api_tokens=tuple(_token(name, raw, reading) for name, raw in tokens.items()),
        api_admins=_admins(api),
        simulated_user=simulated_user,
    )
    reading.report_missing_secrets()
    return config


def _limits(raw: Mapping[str, object]) -> Limits:
    """Return the limits in *raw*, the section `limits`."""
    built_in = Limits()
    return Limits(
        in_flight=whole(raw, "in_flight", built_in.in_flight),
        per_monitor=whole(raw, "per_monitor", built_in.per_monitor),
        per_host=whole(raw, "per_host", built_in.per_host),
        judge=whole(raw, "judge", built_in.judge),
    )


def _admins(api: Mapping[str, object]) -> frozenset[str] | None:
    """Return the web users of *api* who may POST; None where all may."""
    if "admins" not in api:
        return None
    return frozenset(str(name) for name in entries(api, "admins"))


def _token(name: str, raw: object, reading: Reading) -> ApiToken:
    """Return the API token *name*, a text or a mapping."""
    path: Path = ("api", "tokens", name)
    if not name.isprintable() or not name.strip():
        message = f"is {quote(name)}; wanted: a printable name"
        reading.findings.add(path, message, at_key=True)
    if not isinstance(raw, dict):
        return ApiToken(name=name, token=reading.private(str(raw), path))
    scopes = frozenset(Scope(str(scope)) for scope in entries(raw, "scope") if scope)
    token = reading.private(text(raw, "token") or "", (*path, "token"))
    return ApiToken(name=name, token=token, scopes=scopes or frozenset(Scope))
