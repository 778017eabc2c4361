"""Make the app of a command, and report the teams that are left out."""

import logging
import os
import sys
import threading
from collections.abc import Generator, Sequence
from contextlib import contextmanager

from minerva_platform.app import Platform
from minerva_platform.cli.io.stream import is_terminal
from minerva_platform.cli.views.progress import say
from minerva_platform.config.router_spec import RouterName
from minerva_platform.config.settings import Settings
from minerva_platform.contract.run_object import LeftOut
from minerva_platform.routing.training.model_cache import LEARNING
from minerva_platform.text.language import locale_language
from minerva_platform.text.texts import read_texts

TEXTS = read_texts("minerva_platform.cli.ask", "open_app")

PATIENCE_SECONDS = 2.0
"""Seconds of learning after which a person is told."""


def open_app(
    settings: Settings,
    *,
    only_team: str | None = None,
    teams: Sequence[str] | None = None,
    router: RouterName | None = None,
) -> Platform:
    """Return the app. Print each team that is left out once, on a line of its own."""
    with long_learning_said():
        app = Platform(settings=settings, only_team=only_team, teams=teams, router=router)
    say_left_out(app.team.left_out)
    return app


def say_left_out(entries: Sequence[LeftOut]) -> None:
    """Print the teams and parts that are left out."""
    for entry in entries:
        say(f"left out: {entry.text}")


class _Learning(logging.Handler):
    """Starts a timer when the first router of the block learns."""

    def __init__(self, seconds: float) -> None:
        super().__init__()
        text = TEXTS("learning", locale_language(os.environ))
        self.timer = threading.Timer(seconds, say, [text])
        self.timer.daemon = True

    def emit(self, record: logging.LogRecord) -> None:  # noqa: ARG002  # what the base names it
        """Start the timer, unless it was."""
        if self.timer.ident is None:
            self.timer.start()


@contextmanager
def long_learning_said(seconds: float = PATIENCE_SECONDS) -> Generator[None]:
    """Print one line if routers learn in the block for longer, and a person looks."""
    if not is_terminal(sys.stderr):
        yield
        return
    logger, handler = logging.getLogger(LEARNING), _Learning(seconds)
    level, logger.propagate = logger.level, False
    logger.setLevel(logging.INFO)
    logger.addHandler(handler)
    try:
        yield
    finally:
        handler.timer.cancel()
        logger.removeHandler(handler)
        logger.setLevel(level)
        logger.propagate = True
