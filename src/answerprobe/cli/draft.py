"""`answerprobe draft`: a case from words, for a person to reword."""

import asyncio
import shlex

from dataclasses import dataclass
from pathlib import Path

import click

from answerprobe import config as configuration
from answerprobe.cli import _logging
from answerprobe.cli._common import (
    ExitStatus,
    config_argument,
    secrets_option,
    stop,
    unknown,
)
from answerprobe.config import Appended, Config
from answerprobe.daemon.draft import (
    Draft,
    DraftOptions,
    Refused,
    Unusable,
    Wish,
    draft_case,
)
from answerprobe.errors import AppendError, ConfigError
from answerprobe.lock import LOCK_NAME, Lock, lock_of
from answerprobe.lock import read as read_lock
from answerprobe.monitor import JudgeSettings, Monitor
from answerprobe.sample import TokenUsage
from answerprobe.secret import Scrubber, SecretSource
from answerprobe.wholefile import write_whole


_LONGEST_WORDS = 4000
_MOST_SHOWN = 30
_LONGEST_SHOWN = 200
_MOST_PROBLEMS = 10


@click.command()
@config_argument
@click.argument("words", metavar="WORDS")
@click.option(
    "--monitor",
    "monitor_name",
    metavar="NAME",
    help="The monitor that the case is for, where there are several.",
)
@secrets_option
def command(
    config: Path, *, words: str, monitor_name: str | None, secrets_dir: Path | None
) -> None:
    """
    Let the judge's model draft a case, and append it to CONFIG.

    WORDS say what must be true, such as "tells customers that they have 30 days to
    return something, and never promises a refund". Nothing else of the file is touched.

    Exit status: 0 the case was appended, 2 wrong usage or configuration, 3 the model
    could not be used. But for 0 nothing is written.
    """
    secrets = SecretSource(secrets_dir)
    scrub = Scrubber(secrets).scrub
    _logging.configure("warn", "logfmt", scrub)
    if not words.strip() or len(words) > _LONGEST_WORDS:
        stop(f"wanted as WORDS: what must be true, in up to {_LONGEST_WORDS:,} letters")
    content = configuration.read_bytes(config)
    # The agent is not asked, and need not be reachable from here.
    loaded = configuration.parse(
        content, config, secrets=secrets, allow_missing_secrets=True
    )
    monitor = _choose(loaded, monitor_name)
    lock = read_lock(lock_of(config))
    desk = _Desk(
        content=content, config=loaded, monitor=monitor, words=scrub(words), lock=lock
    )
    options = DraftOptions(
        wish=_wish(loaded, monitor, words),
        judge=_judge(loaded, monitor, secrets),
        scrub=scrub,
        check=desk.check,
    )
    match asyncio.run(draft_case(options)):
        case Draft() as draft:
            _write(config, desk)
            click.echo(_told(config, desk, draft))
        case Refused(problems=problems, usage=usage):
            told = f"the model drafted no case that could stay:\n{problems}"
            stop(f"{told}\n{_spent(usage)}", ExitStatus.NOT_JUDGED)
        case Unusable(reason=reason, usage=usage):
            told = f"judge {options.judge.name}: {reason}"
            stop(f"{told}\n{_spent(usage)}", ExitStatus.NOT_JUDGED)


def _choose(config: Config, name: str | None) -> Monitor:
    """Return the monitor called *name*, or the only one; stop where none is."""
    monitors = {monitor.name: monitor for monitor in config.monitors}
    if name is None and len(monitors) == 1:
        return config.monitors[0]
    if name is None:
        names = ", ".join(map(repr, list(monitors)[:10]))
        stop(f"there are several monitors: add --monitor (known: {names})")
    if name not in monitors:
        stop(unknown("monitor", name, monitors))
    return monitors[name]


def _judge(config: Config, monitor: Monitor, secrets: SecretSource) -> JudgeSettings:
    """Return the judge of *monitor*, also where no case of it asks for one yet."""
    if not config.judges and monitor.judge == configuration.DEFAULT_JUDGE:
        return configuration.implied_judge(secrets=secrets)
    if monitor.judge not in config.judges:
        stop(unknown("judge", monitor.judge, config.judges))
    return config.judges[monitor.judge]


def _wish(config: Config, monitor: Monitor, words: str) -> Wish:
    """Return what is wanted for *monitor*."""
    target = monitor.target
    asked = [case.ask[:_LONGEST_SHOWN] for case in monitor.cases if case.ask]
    return Wish(
        words=words,
        monitor=monitor.name,
        asked=tuple(asked[:_MOST_SHOWN]),
        tools=tuple(
            (tool.name, tool.description[:_LONGEST_SHOWN])
            for tool in target.tools[:_MOST_SHOWN]
        ),
        may_talk=config.simulated_user is not None,
        has_tools=bool(target.tools or target.response.tool_calls),
    )


@dataclass(slots=True, kw_only=True)
class _Desk:
    """Tries a case in the file that *content* is, beside *lock*, for *monitor*."""

    content: bytes
    config: Config
    monitor: Monitor
    words: str
    lock: Lock | None
    case_id: str = ""
    appended: Appended | None = None

    def check(self, case: dict[str, object]) -> str:
        """Return what is wrong with *case*, nothing where the file may have it."""
        said = case.get("id") or case.get("ask") or ""
        talk = case.get("conversation")
        if not said and isinstance(talk, dict):
            said = talk["goal"]
        # A retired case is gone from the file, and its id stands for it all the same.
        locked = self.lock.entries if self.lock else ()
        known = {each.id for each in self.monitor.cases}
        known |= {key.case for key in locked if key.monitor == self.monitor.name}
        self.case_id = _unlike(known, configuration.slug(str(said)))
        named = {"id": self.case_id, **{k: v for k, v in case.items() if k != "id"}}
        index = self.config.monitors.index(self.monitor)
        try:
            appended = configuration.append_case(
                self.content.decode(),
                str(self.config.path),
                index,
                named,
                f"Draft: {self.words}",
            )
        except AppendError as exc:
            stop(self._not_put(str(exc), named))
        try:
            configuration.parse(
                appended.text.encode(),
                self.config.path,
                secrets=SecretSource(environment={}),
                allow_missing_secrets=True,
            )
        except ConfigError as exc:
            return _in_case(exc, f"monitors[{index}].cases[{len(self.monitor.cases)}]")
        self.appended = appended
        return ""

    def _not_put(self, why: str, case: dict[str, object]) -> str:
        """Return that *case* has to be put in by hand."""
        return (
            f"{self.config.path}: no case can be appended to {self.monitor.name!r}: "
            f"{why}. Put it in yourself:\n{configuration.as_block([case])}"
        )


def _unlike(known: set[str], wanted: str) -> str:
    """Return *wanted*, with a number where it is *known* already."""
    number, found = 1, wanted
    while found in known:
        number += 1
        found = f"{wanted}-{number}"
    return found


def _in_case(exc: ConfigError, place: str) -> str:
    """Return what *exc* says, without *place*, the path of the case."""
    told = [
        f"{problem.path.removeprefix(place).lstrip('.') or 'the case'}: "
        f"{problem.message}"
        for problem in exc.problems[:_MOST_PROBLEMS]
    ]
    return "\n".join(told)


def _write(config: Path, desk: _Desk) -> None:
    """Write the file with its new case, unless somebody else has changed it."""
    assert desk.appended is not None  # noqa: S101  # a draft has been checked
    if configuration.read_bytes(config) != desk.content:
        stop(f"{config}: was changed meanwhile; nothing was written, try again")
    try:
        write_whole(config, desk.appended.text.encode())
    except OSError as exc:
        stop(f"{config}: cannot be written: {(exc.strerror or 'unknown').lower()}")


def _told(config: Path, desk: _Desk, draft: Draft) -> str:
    """Return what was appended and what comes next."""
    assert desk.appended is not None  # noqa: S101  # a draft has been checked
    name, case = desk.monitor.name, desk.case_id
    chosen = shlex.join([str(config), "--monitor", name, "--case", case])
    counts = (
        "It is a draft: it runs in dry runs only, until it is accepted."
        if desk.lock
        else f"There is no {LOCK_NAME} beside it, so the case counts as soon as the "
        "file is loaded."
    )
    steps: list[tuple[str, str]] = [
        ("read it and reword it", ""),
        ("is it too loose?", f"answerprobe grade {chosen} --too-loose"),
        ("grade answers you know", f"answerprobe grade {chosen} answers.jsonl"),
        ("ask the agent", f"answerprobe run {chosen} --dry-run"),
    ]
    if desk.lock:
        steps.append(("let it count", f"answerprobe accept {chosen}"))
    lines = [
        f"{config}:{desk.appended.line}: appended to {name!r}, by {draft.model}",
        "",
        desk.appended.added.strip("\r\n"),
        "",
        f"{counts} Next:",
        *(f"  {what:<24}{how}".rstrip() for what, how in steps),
        "",
        _spent(draft.usage),
    ]
    return "\n".join(lines)


def _spent(usage: TokenUsage) -> str:
    """Return what drafting cost."""
    about = "about " if usage.estimated else ""
    return (
        f"spent {about}{usage.total:,} tokens "
        f"({usage.input_tokens:,} in, {usage.output_tokens:,} out)"
    )
