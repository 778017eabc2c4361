"""Where spans go: the seam between code that runs and code that keeps records.

A recorder receives each span twice: when it starts, so that a live tree can be drawn, and when it
has ended. Without a recorder nothing is kept and nothing fails.
"""

from typing import Final, Protocol

from minerva_observability.records.record import Record
from minerva_observability.tracing.span import Span


class Recorder(Protocol):
    """Receives the spans of runs. Any OS thread may call either method."""

    def started(self, span: Span) -> None:
        """Receive a span that began. Its fields may change until it ends."""

    def finished(self, record: Record) -> None:
        """Keep the record of a span that ended. Children come before their parents."""


class Sink(Recorder, Protocol):
    """A recorder that keeps records and counts those that it lost."""

    @property
    def records_dropped(self) -> int:
        """The number of records that were lost."""
        ...

    def close(self) -> None:
        """Write pending records within 2 s, then release files and connections."""


class NoRecorder:
    """A recorder that keeps nothing."""

    def started(self, span: Span) -> None:
        """Ignore the span."""

    def finished(self, record: Record) -> None:
        """Ignore the record."""


NO_RECORDER: Final = NoRecorder()
"""The recorder of a scope that names none; no record is built for it."""
