"""Hand over what is pending within one limit, however many exporters there are.

Exporters of one process share one `ExitLimit`: whoever is closed first begins
the end of all, side by side, so that two dead collectors cost no more than one.
Each is shut down in a thread of its own that waits from the start, because from
Python 3.12 on none can be started while the interpreter ends.
"""

import threading
import time
from collections.abc import Callable
from typing import Final

EXIT_LIMIT_S: Final = 1.5
"""How long closing waits for all collectors together, in seconds."""


class ExitLimit:
    """Ends several exporters at once; nobody waits longer than `seconds`."""

    def __init__(self, seconds: float = EXIT_LIMIT_S) -> None:
        self._seconds = seconds
        self._ending = threading.Event()
        self._lock = threading.Lock()
        self._deadline: float | None = None

    def guard(self, shut_down: Callable[[], object], *, name: str) -> threading.Thread:
        """Return the thread that calls `shut_down` when the end has begun."""

        def end() -> None:
            self._ending.wait()
            shut_down()

        thread = threading.Thread(target=end, name=name, daemon=True)
        thread.start()
        return thread

    def wait_for(self, thread: threading.Thread) -> None:
        """Begin the end, unless it has begun, and wait for `thread` as long as is left."""
        with self._lock:
            if self._deadline is None:
                self._deadline = time.monotonic() + self._seconds
                self._ending.set()
        thread.join(max(0.0, self._deadline - time.monotonic()))
