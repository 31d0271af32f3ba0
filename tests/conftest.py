"""What holds for every test."""

import signal

from hypothesis import HealthCheck, settings

from postgresql import postgres


# A fixture of all tests.
__all__ = ["postgres"]

# How long something takes is measured by benchmarks, never asserted: a machine that is
# busy with other things is no failure.
settings.register_profile(
    "untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("untimed")

# A shell that starts tests in the background has them ignore Ctrl-C, and so would the
# programs that they start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
