"""A person at a terminal gets one line if the routers learn for long."""

import io
import logging
import threading
from contextlib import redirect_stderr

import pytest

from minerva_platform.cli.ask.open_app import long_learning_said
from minerva_platform.routing import MemberCard
from minerva_platform.routing.examples_router import EmbeddedRouter
from minerva_platform.routing.training.model_cache import LEARNING

AN_HOUR = 3_600.0
EXAMPLES = ("pay this", "owe money", "the bill")


class Screen(io.StringIO):
    """A terminal that tells when something was written."""

    def __init__(self, *, is_terminal: bool) -> None:
        super().__init__()
        self.is_terminal, self.written = is_terminal, threading.Event()

    def isatty(self) -> bool:
        """True if somebody looks."""
        return self.is_terminal

    def flush(self) -> None:
        """Note that a line is complete."""
        self.written.set()


@pytest.fixture(autouse=True)
def _korean(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("LC_ALL", "ko_KR.UTF-8")


def learn() -> None:
    """Train two routers."""
    for _ in range(2):
        EmbeddedRouter([MemberCard(name="a", description="", examples=EXAMPLES)]).prepare()


@pytest.mark.slow
def test_long_learning_is_said_once_in_the_persons_language() -> None:
    """However many routers learn."""
    screen = Screen(is_terminal=True)
    with redirect_stderr(screen), long_learning_said(0.0):
        learn()
        screen.written.wait()
        learn()

    assert screen.getvalue().count("\n") == 1
    assert "학습" in screen.getvalue()
    assert not logging.getLogger(LEARNING).handlers


@pytest.mark.slow
def test_short_learning_is_not_said() -> None:
    """No line comes later, either."""
    screen, before = Screen(is_terminal=True), set(threading.enumerate())
    with redirect_stderr(screen), long_learning_said(AN_HOUR):
        learn()
    for timer in set(threading.enumerate()) - before:
        timer.join()

    assert screen.getvalue() == ""


def test_nothing_is_said_if_nothing_learns() -> None:
    """A router that was kept needs no time."""
    screen = Screen(is_terminal=True)
    with redirect_stderr(screen), long_learning_said(0.0):
        pass

    assert screen.getvalue() == ""


def test_nothing_is_said_if_nobody_looks() -> None:
    """A log holds no such line."""
    screen = Screen(is_terminal=False)
    with redirect_stderr(screen), long_learning_said(0.0):
        learn()

    assert screen.getvalue() == ""
