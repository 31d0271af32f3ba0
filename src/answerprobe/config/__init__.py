"""The configuration: a YAML file, made strict, checked and turned into values."""

from answerprobe.config.loader import load
from answerprobe.config.plan import MonitorPlan, plan
from answerprobe.config.settings import ApiToken, Config, Limits, Scope


__all__ = ["ApiToken", "Config", "Limits", "MonitorPlan", "Scope", "load", "plan"]
