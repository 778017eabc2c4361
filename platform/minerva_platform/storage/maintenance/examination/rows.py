"""Examines the rows of the ledger that hold JSON: a damaged one costs its run, never the thread."""

import json
from collections.abc import Callable, Iterator
from typing import Any, Final

from pydantic import ValidationError
from sqlalchemy import Connection, Table, select

from minerva_platform.errors import StateError
from minerva_platform.storage.ledger.run_row import row_to_run
from minerva_platform.storage.ledger.schema import (
    decisions,
    effects,
    host_effects,
    interrupts,
    runs,
    turns,
)
from minerva_platform.storage.ledger.turn import KeptTurn
from minerva_platform.storage.maintenance.examination.finding import MEND, Finding

_ROWS: Final = 200
_JSON: Final = {
    interrupts: ("shown", "allowed", "schema"),
    decisions: ("value",),
    effects: ("outcome",),
    host_effects: ("outcome",),
}
"""The columns of JSON; an empty one has none."""


def examine_rows(connection: Connection) -> list[Finding]:
    """Return the rows that cannot be read."""
    found = [*_of_runs(connection), *_of_turns(connection)]
    for table, columns in _JSON.items():
        found += _of_table(connection, table, columns)
    return found


def _of_runs(connection: Connection) -> Iterator[Finding]:
    its = (turns.c.number, turns.c.turn)
    query = select(runs, *its).outerjoin(turns, turns.c.run_id == runs.c.run_id)
    with connection.execute(query.execution_options(yield_per=_ROWS)) as rows:
        for row in rows:
            try:
                row_to_run(row, "")
            except StateError as error:
                yield _finding(runs, row, error.__cause__ or error)


def _of_turns(connection: Connection) -> Iterator[Finding]:
    query = select(turns).where(turns.c.turn.is_not(None)).execution_options(yield_per=_ROWS)
    with connection.execute(query) as rows:
        for row in rows:
            yield from _try_row(turns, row, lambda row: KeptTurn.model_validate_json(row.turn))


def _of_table(connection: Connection, table: Table, columns: tuple[str, ...]) -> Iterator[Finding]:
    def read_columns(row: Any) -> None:
        for column in columns:
            text = getattr(row, column)
            if text is not None:
                json.loads(text)

    with connection.execute(select(table).execution_options(yield_per=_ROWS)) as rows:
        for row in rows:
            yield from _try_row(table, row, read_columns)


def _try_row(table: Table, row: Any, read_row: Callable[[Any], object]) -> Iterator[Finding]:
    try:
        read_row(row)
    except (ValidationError, ValueError, TypeError) as error:
        yield _finding(table, row, error)


def _finding(table: Table, row: Any, error: BaseException) -> Finding:
    key = {column.name: getattr(row, column.name) for column in table.primary_key}
    named = "/".join(str(value) for value in key.values())
    values = {
        "table": table.name,
        "key": key,
        "run": row.run_id or "-",
        "cause": " ".join(str(error).split())[:_MAX_CAUSE],
    }
    return Finding("row_unreadable", f"{table.name}/{named}", MEND, values)


_MAX_CAUSE: Final = 200
"""Characters of a cause: pydantic quotes the row."""
