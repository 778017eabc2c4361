"""Turn closed segments of records into Parquet, without changing a row."""

from typing import TYPE_CHECKING

from minerva_observability.lazy import lazy_names

if TYPE_CHECKING:
    from minerva_observability.compaction.compaction import (
        Compaction as Compaction,
        CompactionError as CompactionError,
        compact_records as compact_records,
    )
else:
    __all__, __getattr__, __dir__ = lazy_names(__name__, needs="minerva-observability[dashboard]")
