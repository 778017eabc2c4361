"""Records of what ran, for how long, and how it ended. Importing this costs almost nothing."""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from minerva_observability.compaction.compaction import (
        Compaction,
        CompactionError,
        compact_records,
    )
    from minerva_observability.logging import configure_logging, get_logger
    from minerva_observability.masking.hidden_values import HiddenValues
    from minerva_observability.masking.masking import Masking, text_to_sha256
    from minerva_observability.metrics.feed import MetricsFeed
    from minerva_observability.metrics.figures import (
        Bin,
        Choices,
        FailureFigures,
        Figures,
        Moment,
        Overview,
        RunFigures,
        RunPage,
        Totals,
    )
    from minerva_observability.metrics.metrics import Metrics
    from minerva_observability.metrics.span_filter import SpanFilter
    from minerva_observability.metrics.store import SourceSummary, Store, StoreError
    from minerva_observability.records.following import RecordFollower, follow_records
    from minerva_observability.records.reader import (
        BadLine,
        ReadSummary,
        RecordReader,
        read_records,
    )
    from minerva_observability.records.record import (
        SCHEMA,
        Action,
        ErrorInfo,
        Kind,
        Record,
        RecordRow,
        SpanFields,
        Status,
        row_to_record,
    )
    from minerva_observability.records.runs import (
        ParquetReaderMissingError,
        RunList,
        RunRows,
        RunSummary,
        find_run,
        list_runs,
    )
    from minerva_observability.records.segments import (
        RUNS_FILE,
        SEGMENT_BYTES,
        Source,
        newest_segment,
        parquet_files,
        record_files,
        segment_lock,
    )
    from minerva_observability.sinks.exit_limit import ExitLimit
    from minerva_observability.sinks.jsonl import JsonlSink
    from minerva_observability.sinks.memory import MemorySink
    from minerva_observability.sinks.otel import OtelSink, build_otlp_sink
    from minerva_observability.sinks.otel_metrics import OtelMetricsSink
    from minerva_observability.tracing.fan_out import FanOut, build_recorder
    from minerva_observability.tracing.recorder import NO_RECORDER, Recorder, Sink
    from minerva_observability.tracing.scope import (
        Clock,
        RunScope,
        current_scope,
        current_span,
        mask_text,
        new_run_id,
    )
    from minerva_observability.tracing.span import Span, record_span

_MODULES: Final = {
    "tracing.fan_out": ("FanOut", "build_recorder"),
    "records.following": ("RecordFollower", "follow_records"),
    "logging": ("configure_logging", "get_logger"),
    "masking.hidden_values": ("HiddenValues",),
    "masking.masking": ("Masking", "text_to_sha256"),
    "metrics.feed": ("MetricsFeed",),
    "records.record": (
        "SCHEMA",
        "Action",
        "ErrorInfo",
        "Kind",
        "Record",
        "RecordRow",
        "SpanFields",
        "Status",
        "row_to_record",
    ),
    "records.reader": ("BadLine", "ReadSummary", "RecordReader", "read_records"),
    "tracing.recorder": ("NO_RECORDER", "Recorder", "Sink"),
    "records.runs": (
        "ParquetReaderMissingError",
        "RunList",
        "RunRows",
        "RunSummary",
        "find_run",
        "list_runs",
    ),
    "tracing.scope": (
        "Clock",
        "RunScope",
        "current_scope",
        "current_span",
        "mask_text",
        "new_run_id",
    ),
    "records.segments": (
        "RUNS_FILE",
        "SEGMENT_BYTES",
        "Source",
        "newest_segment",
        "parquet_files",
        "record_files",
        "segment_lock",
    ),
    "sinks.jsonl": ("JsonlSink",),
    "sinks.memory": ("MemorySink",),
    "sinks.exit_limit": ("ExitLimit",),
    "sinks.otel": ("OtelSink", "build_otlp_sink"),
    "sinks.otel_metrics": ("OtelMetricsSink",),
    "tracing.span": ("Span", "record_span"),
    "metrics.figures": (
        "Bin",
        "Choices",
        "FailureFigures",
        "Figures",
        "Moment",
        "Overview",
        "RunFigures",
        "RunPage",
        "Totals",
    ),
    "metrics.metrics": ("Metrics",),
    "metrics.span_filter": ("SpanFilter",),
    "metrics.store": ("SourceSummary", "Store", "StoreError"),
    "compaction.compaction": ("Compaction", "CompactionError", "compact_records"),
}
_HOME: Final = {name: module for module, names in _MODULES.items() for name in names}

__all__ = [
    "NO_RECORDER",
    "RUNS_FILE",
    "SCHEMA",
    "SEGMENT_BYTES",
    "Action",
    "BadLine",
    "Bin",
    "Choices",
    "Clock",
    "Compaction",
    "CompactionError",
    "ErrorInfo",
    "ExitLimit",
    "FailureFigures",
    "FanOut",
    "Figures",
    "HiddenValues",
    "JsonlSink",
    "Kind",
    "Masking",
    "MemorySink",
    "Metrics",
    "MetricsFeed",
    "Moment",
    "OtelMetricsSink",
    "OtelSink",
    "Overview",
    "ParquetReaderMissingError",
    "ReadSummary",
    "Record",
    "RecordFollower",
    "RecordReader",
    "RecordRow",
    "Recorder",
    "RunFigures",
    "RunList",
    "RunPage",
    "RunRows",
    "RunScope",
    "RunSummary",
    "Sink",
    "Source",
    "SourceSummary",
    "Span",
    "SpanFields",
    "SpanFilter",
    "Status",
    "Store",
    "StoreError",
    "Totals",
    "build_otlp_sink",
    "build_recorder",
    "compact_records",
    "configure_logging",
    "current_scope",
    "current_span",
    "find_run",
    "follow_records",
    "get_logger",
    "list_runs",
    "mask_text",
    "new_run_id",
    "newest_segment",
    "parquet_files",
    "read_records",
    "record_files",
    "record_span",
    "row_to_record",
    "segment_lock",
    "text_to_sha256",
]


def __getattr__(name: str) -> Any:
    """Import what is asked for, when it is asked for (PEP 562)."""
    if name not in _HOME:
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    try:
        module = import_module(f"{__name__}.{_HOME[name]}")
    except ModuleNotFoundError as error:
        msg = (
            f"{__name__}.{name} needs {error.name}. Type:"
            " pip install 'minerva-observability[dashboard]'"
        )
        raise ModuleNotFoundError(msg, name=error.name) from error
    value = getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
