"""Pages for people: what is wrong, what was asked, answered, and answered before."""

from answerprobe.web.pages._errors import make_page_middleware
from answerprobe.web.pages._experiments import ExperimentPages
from answerprobe.web.pages._links import Links
from answerprobe.web.pages._pages import Pages
from answerprobe.web.pages._render import setup


__all__ = [
    "ExperimentPages",
    "Links",
    "Pages",
    "make_page_middleware",
    "setup",
]
