"""Rows of runs as `compact_records` left them in Parquet."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Final, cast

import duckdb
import orjson

from minerva_observability.columns import RAW
from minerva_observability.record import RecordRow

MORE: Final = "more"
"""The column for what schema 1 has no column for: fields of later versions, odd types."""


def from_parquet(paths: Iterable[Path]) -> str:
    """Return what to select the rows of these files from."""
    names = ", ".join(f"'{quoted(path)}'" for path in paths)
    return f"read_parquet([{names}], union_by_name = true)"


def quoted(path: Path) -> str:
    """Return a path as it stands between the quotes of a statement."""
    return str(path).replace("'", "''")


def compacted_rows(paths: Sequence[Path], run_id: str) -> Iterator[RecordRow]:
    """Yield the rows of runs whose id begins with `run_id`, in the order they were written."""
    if not paths:
        return
    with duckdb.connect() as connection:
        found = connection.execute(
            f"SELECT * FROM {from_parquet(paths)} WHERE starts_with(run_id, ?)",  # noqa: S608
            [run_id],
        )
        names = [column[0] for column in found.description or ()]
        while rows := found.fetchmany(1_000):
            for row in rows:
                yield _row(dict(zip(names, row, strict=True)))


def _row(stored: dict[str, Any]) -> RecordRow:
    """Return a row as it stood in its line."""
    more = stored.pop(MORE)
    row = {name: _value(name, value) for name, value in stored.items() if value is not None}
    return cast("RecordRow", row | (orjson.loads(more) if more else {}))


def _value(name: str, value: Any) -> Any:
    if isinstance(value, datetime):
        return f"{value.isoformat(timespec='milliseconds')}Z"
    if name == "error":
        return {key: text for key, text in value.items() if text is not None}
    return orjson.loads(value) if RAW[name] == "JSON" else value
