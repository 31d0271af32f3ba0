"""`answerprobe serve`: the daemon."""

import asyncio

from pathlib import Path

import click

from answerprobe.cli import _logging
from answerprobe.cli._common import Duration, plain_errors, secrets_option
from answerprobe.daemon import ListenAddress, ServeOptions, serve
from answerprobe.secret import Scrubber, SecretSource


@click.command()
@click.option(
    "--config.file",
    "config_file",
    type=click.Path(path_type=Path),
    default=Path("answerprobe.yml"),
    show_default=True,
    help="The configuration.",
)
@click.option(
    "--config.auto-reload",
    "auto_reload",
    is_flag=True,
    help="Reload the configuration whenever the file changes.",
)
@click.option(
    "--storage.url",
    "storage_url",
    default="sqlite:///answerprobe.db",
    show_default=True,
    help="Where evidence is kept: sqlite:///FILE or postgresql://...",
)
@secrets_option
@click.option(
    "--shutdown.grace",
    "grace_seconds",
    type=Duration(),
    default="15s",
    show_default=True,
    help="How long runs may go on after SIGTERM.",
)
@click.option(
    "--web.listen-address",
    "listen_address",
    default="127.0.0.1:10099",
    show_default=True,
    help="Address and port to serve on.",
)
@click.option(
    "--web.external-url",
    "external_url",
    default="",
    help="The URL under which people reach this daemon, for links in alerts.",
)
@click.option(
    "--web.open-evidence",
    "open_evidence",
    is_flag=True,
    help="Let everybody read answers, also from other machines.",
)
@click.option(
    "--log.level",
    "log_level",
    type=click.Choice(_logging.LEVELS),
    default="info",
    show_default=True,
    help="What to log.",
)
@click.option(
    "--log.format",
    "log_format",
    type=click.Choice(_logging.FORMATS),
    default="logfmt",
    show_default=True,
    help="How to log it.",
)
@plain_errors
def command(  # noqa: PLR0913  one parameter for each flag
    *,
    config_file: Path,
    auto_reload: bool,
    storage_url: str,
    secrets_dir: Path | None,
    grace_seconds: float,
    listen_address: str,
    external_url: str,
    open_evidence: bool,
    log_level: str,
    log_format: str,
) -> None:
    """Watch the configured monitors and serve their metrics."""
    secrets = SecretSource(secrets_dir)
    scrubber = Scrubber(secrets)
    _logging.configure(log_level, log_format, scrubber.scrub)
    options = ServeOptions(
        config_file=config_file,
        auto_reload=auto_reload,
        storage_url=storage_url,
        secrets=secrets,
        scrub=scrubber.scrub,
        grace_seconds=grace_seconds,
        listen=ListenAddress.parse(listen_address),
        external_url=external_url,
        open_evidence=open_evidence,
    )
    asyncio.run(serve(options))
