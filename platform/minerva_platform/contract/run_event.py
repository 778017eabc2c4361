"""What a person may watch of a run while it goes on."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from minerva_observability import Record, Span
    from minerva_platform.contract.values import Run


@dataclass(frozen=True, slots=True)
class RunEvent:
    """One event of a stream: a span that started, the record of one that finished, or the run."""

    type: Literal["started", "finished", "run"]
    path: str
    """Where in the tree: `platform/data/retrieval_agent`."""
    span: "Span | None" = None
    """Set if a span started."""
    record: "Record | None" = None
    """Set if a span finished."""
    run: "Run | None" = None
    """Set in the last event of a stream."""
