"""Run a team's code so that its failure stays its own.

Importing and configuring a team runs its authors' code. Every exception of that code becomes data,
`SystemExit` and its own `KeyboardInterrupt` included. A person's Ctrl-C passes.
"""

import signal
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any, TypeVar

from minerva_platform.run_context.failures.containment import safe_text

T = TypeVar("T")


class TeamCodeError(Exception):
    """A team's code raised `error`."""

    def __init__(self, error: BaseException) -> None:
        self.error = error
        super().__init__(safe_text(error))


def run_team_code(work: Callable[[], T]) -> T:
    """Return the result of `work`.

    Raises:
        TeamCodeError: `work` raised any exception.
        KeyboardInterrupt: a person pressed Ctrl-C meanwhile.
    """
    with _noted_interrupts() as pressed:
        try:
            return work()
        except BaseException as error:
            if pressed:
                raise KeyboardInterrupt from error
            raise TeamCodeError(error) from error


@contextmanager
def _noted_interrupts() -> Generator[list[int]]:
    """Yield a list that gets an entry when SIGINT comes. The former handler is still called."""
    handler = signal.getsignal(signal.SIGINT)
    pressed: list[int] = []
    if threading.current_thread() is not threading.main_thread() or not callable(handler):
        yield pressed
        return

    def note(number: int, frame: Any) -> None:
        pressed.append(number)
        handler(number, frame)

    signal.signal(signal.SIGINT, note)
    try:
        yield pressed
    finally:
        signal.signal(signal.SIGINT, handler)
