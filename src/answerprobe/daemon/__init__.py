"""The composition root: the only place that puts everything together."""

from answerprobe.daemon._daemon import Daemon, ServeOptions
from answerprobe.daemon._listen import ListenAddress
from answerprobe.daemon._once import OnceOptions, run_once
from answerprobe.daemon._serve import serve


__all__ = [
    "Daemon",
    "ListenAddress",
    "OnceOptions",
    "ServeOptions",
    "run_once",
    "serve",
]
