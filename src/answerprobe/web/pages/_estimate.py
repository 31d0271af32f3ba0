"""What a run will cost, and what is left for it, beside the button that starts it."""

from dataclasses import dataclass

from answerprobe.shapes import MonitorView
from answerprobe.web.pages._when import plural


@dataclass(frozen=True, slots=True, kw_only=True)
class EstimateView:
    """
    What stands beside the button, and on it.

    *exceeds*: what the run may take at most is more than what is *left*.
    """

    button: str
    text: str
    left: str
    exceeds: bool


def of(view: MonitorView) -> EstimateView:
    """Return what is known of the next run of *view*."""
    return EstimateView(
        button="Run now",
        text=f"{plural(view.monitor.samples, 'sample')}.",
        left="",
        exceeds=False,
    )
