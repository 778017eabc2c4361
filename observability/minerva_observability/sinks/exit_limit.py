"""Close all exporters of a process within one limit, whatever their number.

The exporters share one `ExitLimit`. The first one that is closed starts the shutdown of all of
them at the same time, so two dead collectors delay the exit no longer than one. Each exporter is
shut down by an OS thread of its own. That thread is started at the beginning and waits, because
Python 3.12 and later start no OS thread while the interpreter ends.
"""

import threading
import time
from collections.abc import Callable
from typing import Final

EXIT_LIMIT_S: Final = 1.25
"""Seconds that closing waits for all collectors together."""
PATIENCE_S: Final = 0.3
"""Seconds after which no export is retried: the next retry would come 1 s later and fail too."""


class ExitLimit:
    """Closes several exporters at once, and lets none of them delay the exit beyond `seconds`."""

    def __init__(self, seconds: float = EXIT_LIMIT_S) -> None:
        self._seconds = seconds
        self._ending = threading.Event()
        self._lock = threading.Lock()
        self._began: float | None = None

    def guard(self, shut_down: Callable[[], object], *, name: str) -> threading.Thread:
        """Return a daemon OS thread that calls `shut_down` once closing has begun."""

        def end() -> None:
            self._ending.wait()
            shut_down()

        thread = threading.Thread(target=end, name=name, daemon=True)
        thread.start()
        return thread

    def wait_for(
        self, thread: threading.Thread, *, give_up: Callable[[], object] | None = None
    ) -> None:
        """Begin to close all exporters, and wait for `thread` for the rest of the limit.

        `give_up` is called if that takes longer than `PATIENCE_S`. It must stop further retries
        and leave an export that is under way alone.
        """
        with self._lock:
            if self._began is None:
                self._began = time.monotonic()
                self._ending.set()
        if give_up is not None:
            thread.join(self._seconds_left(PATIENCE_S))
            if thread.is_alive():
                give_up()
        thread.join(self._seconds_left(self._seconds))

    def _seconds_left(self, seconds: float) -> float:
        return max(0.0, (self._began or 0.0) + seconds - time.monotonic())
