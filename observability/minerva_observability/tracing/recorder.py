"""Where spans go: the seam between what runs and what keeps records.

A recorder hears of each span twice, when it starts (so that a live tree can be
drawn) and when it is finished. Without one, nothing is kept and nothing fails.
"""

from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from minerva_observability.records.record import Record
    from minerva_observability.tracing.span import Span


class Recorder(Protocol):
    """Receives the spans of runs. Both calls may come from any OS thread."""

    def started(self, span: "Span") -> None:
        """Hear that a span began. Its fields may still change until it is finished."""
        ...

    def finished(self, record: "Record") -> None:
        """Keep a span that ended. Children come before their parents."""
        ...


class Sink(Recorder, Protocol):
    """A recorder that keeps what it gets, and owns up to what it lost."""

    @property
    def records_dropped(self) -> int:
        """How many finished spans were lost."""
        ...

    def close(self) -> None:
        """Write what is pending, within 2 s, and release what is held."""
        ...


class NoRecorder:
    """Keeps nothing."""

    def started(self, span: "Span") -> None:
        """Ignore the span."""

    def finished(self, record: "Record") -> None:
        """Ignore the record."""


NO_RECORDER: Final = NoRecorder()
"""The recorder where none is bound: spans then cost no record."""
