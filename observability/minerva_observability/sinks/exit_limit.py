"""Hand over what is pending within one limit, however many exporters there are.

Exporters of one process share one `ExitLimit`: whoever is closed first begins
the end of all, side by side, so that two dead collectors cost no more than one.
Each is shut down in an OS thread of its own that waits from the start, because from
Python 3.12 on none can be started while the interpreter ends.
"""

import threading
import time
from collections.abc import Callable
from typing import Final

EXIT_LIMIT_S: Final = 1.25
"""How long closing waits for all collectors together, in seconds."""
PATIENCE_S: Final = 0.3
"""After it nobody tries again: a collector that refuses would, 1 s later, refuse once more."""


class ExitLimit:
    """Ends several exporters at once; nobody waits longer than `seconds`."""

    def __init__(self, seconds: float = EXIT_LIMIT_S) -> None:
        self._seconds = seconds
        self._ending = threading.Event()
        self._lock = threading.Lock()
        self._began: float | None = None

    def guard(self, shut_down: Callable[[], object], *, name: str) -> threading.Thread:
        """Return the OS thread that calls `shut_down` when the end has begun."""

        def end() -> None:
            self._ending.wait()
            shut_down()

        thread = threading.Thread(target=end, name=name, daemon=True)
        thread.start()
        return thread

    def wait_for(
        self, thread: threading.Thread, *, give_up: Callable[[], object] | None = None
    ) -> None:
        """Begin the end, unless it has begun, and wait for `thread` as long as is left.

        `give_up` is called if it takes longer than `PATIENCE_S`: it must stop retries, not what
        is under way.
        """
        with self._lock:
            if self._began is None:
                self._began = time.monotonic()
                self._ending.set()
        if give_up is not None:
            thread.join(self._left(PATIENCE_S))
            if thread.is_alive():
                give_up()
        thread.join(self._left(self._seconds))

    def _left(self, seconds: float) -> float:
        return max(0.0, (self._began or 0.0) + seconds - time.monotonic())
