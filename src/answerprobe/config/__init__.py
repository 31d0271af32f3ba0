"""The configuration: a YAML file, made strict, checked and turned into values."""

from answerprobe.config._judges import DEFAULT_JUDGE
from answerprobe.config._names import slug
from answerprobe.config._tokens import tokens_a_run
from answerprobe.config._yaml import read as read_yaml
from answerprobe.config.append import Appended, append_case, as_block
from answerprobe.config.loader import implied_judge, load, parse, read_bytes
from answerprobe.config.plan import MonitorPlan, plan
from answerprobe.config.settings import ApiToken, Config, Limits, Scope
from answerprobe.config.web import WebConfig, load_web
from answerprobe.config.written import Written


__all__ = [
    "DEFAULT_JUDGE",
    "ApiToken",
    "Appended",
    "Config",
    "Limits",
    "MonitorPlan",
    "Scope",
    "WebConfig",
    "Written",
    "append_case",
    "as_block",
    "implied_judge",
    "load",
    "load_web",
    "parse",
    "plan",
    "read_bytes",
    "read_yaml",
    "slug",
    "tokens_a_run",
]
