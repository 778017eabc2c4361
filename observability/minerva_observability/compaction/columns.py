"""The columns of a record, as DuckDB reads them from a line and from Parquet.

They are listed here and not guessed from the data. With guessing, a file whose first rows hold no
error would have no column for errors, and a single bad line would hide the others.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from minerva_observability.records.reader import MAX_SPAN_MS

RAW: Final = {
    "schema": "INTEGER",
    "timestamp": "TIMESTAMP",
    "started_at": "TIMESTAMP",
    "ms": "DOUBLE",
    "self_ms": "DOUBLE",
    "run_id": "VARCHAR",
    "thread_id": "VARCHAR",
    "span_id": "VARCHAR",
    "parent_id": "VARCHAR",
    "path": "VARCHAR",
    "kind": "VARCHAR",
    "status": "VARCHAR",
    "reason": "VARCHAR",
    "team": "VARCHAR",
    "agent_name": "VARCHAR",
    "node": "VARCHAR",
    "attempt": "INTEGER",
    "step": "INTEGER",  # only in records of the first versions
    "resume_no": "INTEGER",
    "router": "VARCHAR",
    "arm": "VARCHAR",
    "decision": "JSON",
    "model": "VARCHAR",
    "prompt_tokens": "BIGINT",
    "completion_tokens": "BIGINT",
    "cost": "DOUBLE",
    "action": "VARCHAR",
    "substitute": "VARCHAR",
    "error": 'STRUCT("type" VARCHAR, message VARCHAR, "where" VARCHAR)',
    "because_of": "VARCHAR",
    "waited_ms": "DOUBLE",
    "interrupt_id": "VARCHAR",
    "background": "VARCHAR",
    "started_by": "VARCHAR",
    "idle_ms": "DOUBLE",
    "took_ms": "DOUBLE",
    "request_sha256": "VARCHAR",
    "traceparent": "VARCHAR",
    "versions": "JSON",
    "host": "VARCHAR",
    "pid": "BIGINT",
}
"""Each field of schemas 1 and 2 with its type in DuckDB."""

REQUIRED: Final = ("schema", "run_id", "span_id", "path", "kind", "status", "ms")
"""The fields that every row has. A line without one of them holds no record."""

IS_WORKER: Final = (
    "CASE WHEN kind = 'agent' THEN regexp_extract(path, '([^/#]*)(#[0-9]+)?$', 1)"
    " IS NOT DISTINCT FROM agent_name ELSE false END"
)
"""True if a row is a worker's call: its path ends in the worker's name. A supervisor's does not.

Rows of other kinds are not tested, because the test costs a tenth of reading a line.
"""

_SHOWN_TIMES: Final = "BETWEEN TIMESTAMP '0001-01-01' AND TIMESTAMP '9999-12-31 23:59:59.999'"


def _within(name: str, low: float, high: float) -> tuple[str, str, tuple[str, ...]]:
    """Return a column of a number. It is null outside the bounds: NaN or 1e308 would spoil sums."""
    return "DOUBLE", f"CASE WHEN {name} BETWEEN {low} AND {high} THEN {name} END", (name,)


DERIVED: Final[Mapping[str, tuple[str, str, tuple[str, ...]]]] = {
    "span": ("UBIGINT", "hash(span_id)", ("span_id",)),
    "run": ("UBIGINT", "hash(run_id)", ("run_id",)),
    "is_worker": ("BOOLEAN", IS_WORKER, ("path", "agent_name", "kind")),
    "timestamp": (
        "TIMESTAMP",
        f"CASE WHEN timestamp {_SHOWN_TIMES} THEN timestamp END",  # the years of Python's datetime
        ("timestamp",),
    ),
    "self_ms": _within("self_ms", 0, MAX_SPAN_MS),
    "idle_ms": _within("idle_ms", 0, MAX_SPAN_MS),
    "took_ms": (
        "DOUBLE",
        f"CASE WHEN took_ms BETWEEN 0 AND {MAX_SPAN_MS} THEN took_ms ELSE ms END",
        ("took_ms", "ms"),
    ),
    "waited_ms": _within("waited_ms", 0, MAX_SPAN_MS),
    "cost": _within("cost", -MAX_SPAN_MS, MAX_SPAN_MS),
    "error_type": ("VARCHAR", 'error."type"', ("error",)),
    "error_message": ("VARCHAR", "error.message", ("error",)),
}
"""Each derived column of `spans` with its type, its expression, and the fields it is made of.

A hash of 64 bits stands for an id where rows are only compared; it takes half the memory of the
text. Among a hundred million spans, the probability that two have the same hash is 0.0003.
"""

ALWAYS: Final = (*("span", "run", "kind", "status", "agent_name", "ms", "timestamp", "resume_no"),)
"""Columns that every store has; some of them tell the late spans of overtaken processes."""

ALL: Final = (
    *("span", "run", "run_id", "thread_id", "timestamp", "path", "is_worker", "kind", "status"),
    *("reason", "team", "agent_name", "node", "ms", "self_ms", "idle_ms", "took_ms"),
    *("attempt", "action"),
    *("error_type", "error_message", "because_of", "router", "arm", "model", "prompt_tokens"),
    *("completion_tokens", "cost", "waited_ms", "request_sha256", "resume_no", "schema"),
    *("versions", "host", "pid"),
)
"""All columns, which a store needs to answer every question of the dashboard."""


def sort_columns(columns: Iterable[str]) -> tuple[str, ...]:
    """Return `columns` and those that every store has, once each, in the order of `ALL`.

    Raises:
        ValueError: there is no such column.
    """
    wanted = {*columns, *ALWAYS}
    if unknown := wanted.difference(ALL):
        msg = f"There is no column {', '.join(sorted(unknown))}. Choose from {', '.join(ALL)}."
        raise ValueError(msg)
    return tuple(name for name in ALL if name in wanted)


def table_types(columns: Iterable[str]) -> str:
    """Return `columns` with their types, as `CREATE TABLE` takes them."""
    return ", ".join(
        f"{name} {DERIVED[name][0] if name in DERIVED else RAW[name]}" for name in columns
    )


def select_list(columns: Iterable[str], *, refuses: bool = False) -> str:
    """Return the SQL expressions that make `columns` from a record's fields.

    With `refuses`, `span` is null in a row that lacks a required field. Lines that hold no record
    can then be counted in the same pass.
    """
    present = " AND ".join(
        [*(f"{name} IS NOT NULL" for name in REQUIRED), f"ms BETWEEN 0 AND {MAX_SPAN_MS}"]
    )
    expressions: list[str] = []
    for name in columns:
        expression = DERIVED[name][1] if name in DERIVED else name
        if name == "span" and refuses:
            expression = f"CASE WHEN {present} THEN {expression} END"
        expressions.append(f"{expression} AS {name}")
    return ", ".join(expressions)


def fields_of(columns: Iterable[str]) -> tuple[str, ...]:
    """Return the fields of a record that `columns` are made of, and the required fields."""
    wanted: set[str] = set(REQUIRED)
    for name in columns:
        wanted.update(DERIVED[name][2] if name in DERIVED else (name,))
    return tuple(name for name in RAW if name in wanted)


def json_columns(fields: Iterable[str]) -> str:
    """Return `fields` with their types, as `read_json` takes them."""
    return "{" + ", ".join(f"'{name}': '{RAW[name]}'" for name in fields) + "}"


def literal(path: Path) -> str:
    """Return `path` with pattern characters escaped, so that DuckDB reads this one file."""
    return "".join(f"[{sign}]" if sign in "*?[" else sign for sign in str(path))
