"""Records in files: their fields, their readers, and how to find a run among them."""

from typing import TYPE_CHECKING

from minerva_observability.lazy import lazy_names

if TYPE_CHECKING:
    from minerva_observability.records.following import (
        RecordFollower as RecordFollower,
        follow_records as follow_records,
    )
    from minerva_observability.records.reader import (
        BadLine as BadLine,
        ReadSummary as ReadSummary,
        RecordReader as RecordReader,
        read_records as read_records,
    )
    from minerva_observability.records.record import (
        CURRENCY as CURRENCY,
        SCHEMA as SCHEMA,
        Action as Action,
        ErrorRow as ErrorRow,
        Kind as Kind,
        Record as Record,
        RecordRow as RecordRow,
        SpanFields as SpanFields,
        Status as Status,
        WaitReason as WaitReason,
        row_to_record as row_to_record,
        without_verdict as without_verdict,
    )
    from minerva_observability.records.runs import (
        ParquetReaderMissingError as ParquetReaderMissingError,
        RunList as RunList,
        RunRows as RunRows,
        RunSummary as RunSummary,
        find_run as find_run,
        list_runs as list_runs,
    )
    from minerva_observability.records.segments import (
        RUNS_FILE as RUNS_FILE,
        SEGMENT_BYTES as SEGMENT_BYTES,
        Source as Source,
        parquet_files as parquet_files,
        record_files as record_files,
        segment_lock as segment_lock,
    )
else:
    __all__, __getattr__, __dir__ = lazy_names(__name__, needs="minerva-observability[dashboard]")
