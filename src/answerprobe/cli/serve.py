"""`answerprobe serve`: the daemon."""

import asyncio
import re

from pathlib import Path
from urllib.parse import urlsplit

import click

from answerprobe.cli import _logging
from answerprobe.cli._common import Duration, secrets_option
from answerprobe.daemon.listen import ListenAddress
from answerprobe.daemon.options import ServeOptions
from answerprobe.daemon.serve import serve
from answerprobe.secret import Scrubber, SecretSource
from answerprobe.web import path_of


_STEP = re.compile(r"[A-Za-z0-9._~-]+")


def _external_url(_ctx: click.Context, _param: click.Parameter, url: str) -> str:
    """Return *url* where links can be made from it."""
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and parts.hostname
        extra = parts.query or parts.fragment or parts.username or parts.port == 0
    except ValueError:
        usable, extra = None, None
    if url and (not usable or extra or not url.isprintable() or " " in url):
        message = "write it as https://host/path, without query, fragment or user"
        raise click.BadParameter(message)
    return url


def _route_prefix(
    ctx: click.Context, _param: click.Parameter, value: str | None
) -> str:
    """Return *value* as `/path`, or empty; not written, the external URL's path."""
    written = path_of(ctx.params["external_url"]) if value is None else value
    steps = [step for step in written.split("/") if step]
    if any(not _STEP.fullmatch(step) or step in (".", "..") for step in steps):
        message = f"{written!r} has more than letters, digits and . _ ~ - in its steps"
        raise click.BadParameter(message)
    return "".join(f"/{step}" for step in steps)


@click.command()
@click.option(
    "--config.file",
    "config_file",
    metavar="FILE",
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
    metavar="URL",
    # Arguments are in everybody's list of processes, and a URL may hold a password.
    envvar="ANSWERPROBE_STORAGE_URL",
    show_envvar=True,
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
    metavar="HOST:PORT",
    default="127.0.0.1:10099",
    show_default=True,
    help="Address and port to serve on; :PORT is every address.",
)
@click.option(
    "--web.external-url",
    "external_url",
    metavar="URL",
    default="",
    callback=_external_url,
    # The default of the route prefix is its path.
    is_eager=True,
    help="The URL under which people reach this daemon, for links in alerts.",
)
@click.option(
    "--web.route-prefix",
    "route_prefix",
    metavar="PATH",
    default=None,
    callback=_route_prefix,
    help="Serve below this path.  [default: the path of --web.external-url]",
)
@click.option(
    "--web.config.file",
    "web_config_file",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="TLS and users, in the format of Prometheus' exporter-toolkit.",
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
    help="Log only what is at least this important.",
)
@click.option(
    "--log.format",
    "log_format",
    type=click.Choice(_logging.FORMATS),
    default="logfmt",
    show_default=True,
    help="How a line of the log is written.",
)
def command(  # noqa: PLR0913  one parameter for each flag
    *,
    config_file: Path,
    auto_reload: bool,
    storage_url: str,
    secrets_dir: Path | None,
    grace_seconds: float,
    listen_address: str,
    external_url: str,
    route_prefix: str,
    web_config_file: Path | None,
    open_evidence: bool,
    log_level: str,
    log_format: str,
) -> None:
    """
    Watch the configured monitors and serve their metrics.

    SIGHUP loads the configuration again; one that is wrong is refused and the old one
    goes on. SIGTERM lets runs end within the grace, and exits 0.

    Exit status: 0 it was told to end, 2 it could not start.
    """
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
        route_prefix=route_prefix,
        web_config_file=web_config_file,
        open_evidence=open_evidence,
    )
    asyncio.run(serve(options))
