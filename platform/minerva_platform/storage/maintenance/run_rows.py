"""All that the ledger holds of a run, table by table: found, weighed and removed."""

from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    Column,
    ColumnElement,
    Connection,
    Table,
    Text,
    delete,
    exists,
    func,
    insert,
    literal,
    select,
)
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement
from sqlalchemy.types import TypeEngine

from minerva_platform.storage.engine.compression import ENCRYPTED_TYPES
from minerva_platform.storage.ledger.schema import (
    checkpoints,
    decisions,
    effects,
    events,
    host_effects,
    idempotency_keys,
    interrupts,
    owned_runs,
    removed_threads,
    runs,
    threads,
    turns,
    writes,
)

OF_RUN: Final[Mapping[Table, "Column[Any]"]] = {
    writes: writes.c.thread_id,
    checkpoints: checkpoints.c.thread_id,
    effects: effects.c.run_id,
    events: events.c.run_id,
    decisions: decisions.c.run_id,
    interrupts: interrupts.c.run_id,
    turns: turns.c.run_id,
    idempotency_keys: idempotency_keys.c.run_id,
    owned_runs: owned_runs.c.run_id,
    runs: runs.c.run_id,
}
"""The tables that hold rows of runs, each with its column for the run's id. A table stands before
those that its rows point to, so rows can be removed in this order."""

ROW_BYTES: Final = 64
"""About what a row costs beside its texts: numbers, ids and its place in an index."""

MAX_IDS: Final = 500
"""Ids in one statement. SQLite takes no more than 999 parameters on old versions."""


_CONTENT: Final = (Text, *ENCRYPTED_TYPES)


class byte_length(FunctionElement[int]):  # noqa: N801  # reads as a function of SQL
    """The bytes of a text or a blob; of nothing, 0."""

    type: TypeEngine[int] = BigInteger()
    inherit_cache = True


@compiles(byte_length)
def _compile(element: FunctionElement[int], compiler: Any, **options: Any) -> str:
    argument = compiler.process(element.clauses, **options)
    return f"coalesce(length(CAST({argument} AS BLOB)), 0)"


@compiles(byte_length, "postgresql")
def _compile_for_postgres(element: FunctionElement[int], compiler: Any, **options: Any) -> str:
    return f"coalesce(octet_length({compiler.process(element.clauses, **options)}), 0)"


def content_columns(table: Table) -> "list[Column[Any]]":
    """Return the columns of a table that hold texts or bytes of any length."""
    return [column for column in table.c if isinstance(column.type, _CONTENT)]


def weigh_runs(connection: Connection) -> dict[str, int]:
    """Return about how many bytes of the database each run takes, by its id."""
    weights: dict[str, int] = {}
    for table, run_id in OF_RUN.items():
        sizes = [byte_length(column) for column in content_columns(table)]
        total = func.sum(sum(sizes, start=literal(ROW_BYTES)), type_=BigInteger())
        query = select(run_id, total).where(run_id.is_not(None)).group_by(run_id)
        for found, weight in connection.execute(query):
            weights[found] = weights.get(found, 0) + int(weight)
    return weights


def count_rows(connection: Connection, run_ids: Collection[str]) -> dict[str, int]:
    """Return how many rows of each table are of these runs, by the table's name."""
    counts = dict.fromkeys((table.name for table in OF_RUN), 0)
    for table, run_id in OF_RUN.items():
        for ids in _parts(run_ids):
            query = select(func.count()).select_from(table).where(run_id.in_(ids))
            counts[table.name] += connection.execute(query).scalar_one()
    return counts


def remove_runs(connection: Connection, run_ids: Collection[str]) -> None:
    """Remove all that the ledger holds of these runs, in the transaction that is open."""
    for ids in _parts(run_ids):
        for table, run_id in OF_RUN.items():
            connection.execute(delete(table).where(run_id.in_(ids)))


def remove_host_effects(connection: Connection, its: ColumnElement[bool]) -> None:
    """Remove effects of runs inside other programs' graphs, and their threads if nothing else is.

    `its` says which effects.
    """
    threads_of = set(connection.execute(select(host_effects.c.thread_id).where(its)).scalars())
    connection.execute(delete(host_effects).where(its))
    remove_empty_threads(connection, threads_of)


def count_host_effects(connection: Connection, its: ColumnElement[bool]) -> int:
    """Return how many effects `remove_host_effects` would remove."""
    query = select(func.count()).select_from(host_effects).where(its)
    return connection.execute(query).scalar_one()


def owners_of(connection: Connection, run_ids: Collection[str]) -> set[str]:
    """Return the threads that own some of these runs."""
    found: set[str] = set()
    for ids in _parts(run_ids):
        query = select(owned_runs.c.owner).where(owned_runs.c.run_id.in_(ids))
        found |= set(connection.execute(query).scalars())
    return found


def remove_empty_threads(connection: Connection, thread_ids: Collection[str]) -> None:
    """Remove those of these threads that hold and own no run and no turn, and that nobody holds.

    The caller's transaction has them locked. What is kept of them is the highest fence.
    """
    empty: dict[str, int] = {}
    for ids in _parts(thread_ids):
        query = select(threads.c.thread_id, threads.c.fence).where(
            threads.c.thread_id.in_(ids),
            threads.c.holder.is_(None),
            ~exists().where(runs.c.thread_id == threads.c.thread_id),
            ~exists().where(turns.c.thread_id == threads.c.thread_id),
            ~exists().where(owned_runs.c.owner == threads.c.thread_id),
            ~exists().where(host_effects.c.thread_id == threads.c.thread_id),
        )
        empty |= {thread_id: int(fence) for thread_id, fence in connection.execute(query)}
    if not empty:
        return
    for ids in _parts(empty):
        connection.execute(delete(threads).where(threads.c.thread_id.in_(ids)))
    known = connection.execute(select(func.max(removed_threads.c.fence))).scalar()
    highest = max(empty.values())
    if known is None or known < highest:
        connection.execute(insert(removed_threads).values(fence=highest))
        connection.execute(delete(removed_threads).where(removed_threads.c.fence < highest))


def _parts(ids: Collection[str]) -> Iterator[list[str]]:
    all_ids = sorted(ids)
    for start in range(0, len(all_ids), MAX_IDS):
        yield all_ids[start : start + MAX_IDS]
