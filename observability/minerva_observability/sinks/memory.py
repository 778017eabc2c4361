"""Keep records in memory, for tests, live trees and the list of hops in an answer."""

from minerva_observability.records.record import Record
from minerva_observability.tracing.span import Span


class MemorySink:
    """Keeps all spans and records in the order in which they came, and drops none."""

    records_dropped = 0

    def __init__(self) -> None:
        self.spans: list[Span] = []
        """Every span that started, in order of start."""
        self.records: list[Record] = []
        """Every record, in order of end."""

    def started(self, span: Span) -> None:
        """Keep the span."""
        self.spans.append(span)

    def finished(self, record: Record) -> None:
        """Keep the record."""
        self.records.append(record)

    def close(self) -> None:
        """Do nothing, because no record is pending."""
