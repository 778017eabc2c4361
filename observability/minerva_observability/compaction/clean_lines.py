"""Records as lines that DuckDB can read, so that an odd field loses no record.

A value that its column cannot give back unchanged goes into the column `more`, and comes back from
there.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, Final

from minerva_observability.compaction.columns import RAW
from minerva_observability.compaction.compacted import MORE
from minerva_observability.records.encoding import to_json
from minerva_observability.records.record import RecordRow

_TYPES: Final[Mapping[str, type | tuple[type, ...]]] = {
    "VARCHAR": str,
    "INTEGER": int,
    "BIGINT": int,
    "DOUBLE": (int, float),
    "TIMESTAMP": str,
    "JSON": dict,
}
_MAX_WHOLE: Final[Mapping[str, float]] = {
    "INTEGER": 2**31 - 1,
    "BIGINT": 2**63 - 1,
    "DOUBLE": 2**53,
}
"""The largest whole number, above and below zero, up to which a column is exact."""
_TIMES: Final = ("timestamp", "started_at")
_TIME: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", re.ASCII)
_ERROR_FIELDS: Final = {"type", "message", "where"}


def clean_lines(rows: Iterable[RecordRow]) -> Iterator[bytes]:
    """Yield each row as a line that DuckDB can read; values without a column go into `more`."""
    for line, row in enumerate(rows):
        fitting: dict[str, Any] = {"line": line}
        more: dict[str, Any] = {}
        for name, value in row.items():
            (fitting if _fits(name, value) else more)[name] = value
        fitting |= {name: _in_utc(more[name]) for name in _TIMES if name in more}
        if more:
            fitting[MORE] = more
        yield to_json(fitting) + b"\n"


def _fits(name: str, value: Any) -> bool:
    """True if the column of the field `name` gives `value` back unchanged."""
    if name == "error":
        return (
            isinstance(value, dict)
            and not value.keys() - _ERROR_FIELDS  # pyright: ignore[reportUnknownMemberType]
            and all(isinstance(text, str) for text in value.values())  # pyright: ignore[reportUnknownMemberType,reportUnknownVariableType]
        )
    if name in _TIMES:
        return (
            isinstance(value, str) and bool(_TIME.fullmatch(value)) and _in_utc(value) is not None
        )
    if isinstance(value, bool) or name not in RAW or not isinstance(value, _TYPES[RAW[name]]):
        return False
    return not isinstance(value, int) or abs(value) <= _MAX_WHOLE[RAW[name]]


def _in_utc(time: Any) -> str | None:
    """Return `time` in UTC, as its column takes it; None if `time` is not a time."""
    try:
        moment = datetime.fromisoformat(time)
        moment = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    except (TypeError, ValueError, OverflowError):
        return None
    return f"{moment.replace(tzinfo=None).isoformat()}Z"
