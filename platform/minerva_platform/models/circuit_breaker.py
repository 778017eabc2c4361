"""Stop asking a model that keeps failing. One probe finds out if it is back."""

import threading
import time
from collections.abc import Callable

FAILURES = 5
"""Failures in a row after which nothing is sent any more."""
REST_S = 30.0
"""Seconds of rest, then one probe."""


class Breaker:
    """The state of one model at one server, shared by all its callers in the process."""

    def __init__(
        self,
        *,
        failures: int = FAILURES,
        rest_s: float = REST_S,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._limit, self._rest_s, self._clock = failures, rest_s, clock
        self._lock = threading.Lock()
        self._failures = 0
        self._rests_until: float | None = None

    def admits(self) -> bool:
        """True if a request may be sent. After a rest only one may, until it has an answer."""
        with self._lock:
            if self._rests_until is None:
                return True
            if self._clock() < self._rests_until:
                return False
            self._rests_until = self._clock() + self._rest_s
            return True

    def note_success(self) -> None:
        """Note an answer. All requests may be sent again."""
        with self._lock:
            self._failures, self._rests_until = 0, None

    def note_failure(self) -> None:
        """Note a failure. The last of too many begins a rest, and so does a failed probe."""
        with self._lock:
            self._failures += 1
            if self._failures >= self._limit:
                self._rests_until = self._clock() + self._rest_s

    @property
    def seconds_of_rest(self) -> float:
        """Seconds that the rest still lasts; 0 without a rest."""
        with self._lock:
            return max(0.0, (self._rests_until or 0.0) - self._clock())


_breakers: dict[tuple[str, str], Breaker] = {}
_breakers_lock = threading.Lock()


def breaker_of(server: str, model: str) -> Breaker:
    """Return the breaker of `model` at `server`."""
    with _breakers_lock:
        return _breakers.setdefault((server, model), Breaker())


def reset_breakers() -> None:
    """Forget all failures, as a new process would."""
    with _breakers_lock:
        _breakers.clear()
