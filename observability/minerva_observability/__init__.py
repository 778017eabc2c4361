"""Records of runs: which agent and which node ran, for how long, and how it ended.

This package exports the names that a recording program needs. Its subpackages export the rest:
`tracing`, `records`, `sinks`, `masking`, `metrics`, `compaction`, `logging` and `dashboard`.
Importing the package costs almost nothing: each name is imported when it is first used.
"""

from typing import TYPE_CHECKING

from minerva_observability.lazy import lazy_names

if TYPE_CHECKING:
    from minerva_observability.logging import configure_logging as configure_logging
    from minerva_observability.masking.masking import Masking as Masking
    from minerva_observability.metrics.metrics import Metrics as Metrics
    from minerva_observability.metrics.span_filter import SpanFilter as SpanFilter
    from minerva_observability.metrics.span_store import SpanStore as SpanStore
    from minerva_observability.records.following import follow_records as follow_records
    from minerva_observability.records.reader import read_records as read_records
    from minerva_observability.records.record import Record as Record
    from minerva_observability.records.runs import find_run as find_run, list_runs as list_runs
    from minerva_observability.sinks.jsonl import JsonlSink as JsonlSink
    from minerva_observability.sinks.memory import MemorySink as MemorySink
    from minerva_observability.tracing.fan_out import (
        FanOut as FanOut,
        build_recorder as build_recorder,
    )
    from minerva_observability.tracing.recorder import (
        NO_RECORDER as NO_RECORDER,
        Recorder as Recorder,
        Sink as Sink,
    )
    from minerva_observability.tracing.scope import RunScope as RunScope, record_span as record_span
    from minerva_observability.tracing.span import Span as Span, current_span as current_span
    from minerva_observability.tracing.waiting import (
        record_decision as record_decision,
        record_pause as record_pause,
    )
else:
    __all__, __getattr__, __dir__ = lazy_names(__name__, needs="minerva-observability[dashboard]")
