"""Public test doubles: a clock that a test moves by hand, and ids that count up."""

from collections.abc import Callable
from itertools import count
from typing import Final

from minerva_observability.tracing.recorder import Recorder
from minerva_observability.tracing.scope import RunScope
from minerva_observability.tracing.span import Clock

START_NS: Final = 1_735_689_600_000_000_000
"""2025-01-01T00:00:00Z."""


class ManualClock:
    """A clock whose time changes only when `advance` is called."""

    def __init__(self) -> None:
        self.now_ns = START_NS

    def advance(self, ms: float) -> None:
        """Move the time on by `ms` milliseconds."""
        self.now_ns += round(ms * 1_000_000)

    def as_clock(self) -> Clock:
        """Return this clock as the monotonic and the wall clock of a scope."""
        return Clock(monotonic_ns=lambda: self.now_ns, wall_ns=lambda: self.now_ns)


def counting_ids() -> Callable[[], str]:
    """Return a function that gives span ids in order: `0000000000000001`, `…2` and so on."""
    numbers = count(1)
    return lambda: f"{next(numbers):016x}"


def still_scope(recorder: Recorder, clock: ManualClock) -> RunScope:
    """Return a scope in which times and ids are the same in every test run."""
    return RunScope(
        recorder=recorder,
        run_id="ab" * 16,
        thread_id="thread",
        clock=clock.as_clock(),
        new_span_id=counting_ids(),
    )
