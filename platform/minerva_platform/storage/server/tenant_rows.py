"""The threads and runs that somebody sees, as a server shows them."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    Subquery,
    Table,
    and_,
    case,
    exists,
    func,
    literal,
    not_,
    or_,
    select,
    update,
)

from minerva_platform.storage.engine.engine import Engine
from minerva_platform.storage.ledger.run_row import KeptRun, row_to_run
from minerva_platform.storage.ledger.schema import interrupts, owned_runs, runs, threads, turns

ThreadStatus = Literal["idle", "busy", "interrupted", "error"]
"""`busy`: a run waits or is at work. `interrupted`: a run waits for a person. `error`: the latest
run has failed."""

MAX_SEARCHED: Final = 10_000
"""Threads that a search by metadata looks through, the latest first."""


@dataclass(frozen=True, slots=True)
class Sight:
    """What somebody sees: the runs of a tenant, or those of some roots in it alone."""

    tenant: str
    roots: frozenset[str] | None = None
    """None: all."""

    def of(self, table: Table = runs) -> ColumnElement[bool]:
        """Return what is true of the rows of `table` that are this tenant's and of these roots."""
        mine = table.c.tenant == self.tenant
        return mine if self.roots is None else and_(mine, table.c.root.in_(sorted(self.roots)))


@dataclass(frozen=True, slots=True)
class ThreadRow:
    """A thread of a tenant; times are seconds since 1970."""

    thread_id: str
    root: str
    created: float
    updated: float
    status: ThreadStatus
    metadata: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ThreadSearch:
    """Which threads are wanted; an empty field restricts nothing."""

    metadata: Mapping[str, Any] = field(default_factory=dict[str, Any])
    status: ThreadStatus | None = None
    ids: Sequence[str] = ()
    limit: int = 10
    offset: int = 0
    by: Literal["created_at", "updated_at", "thread_id", "status"] = "updated_at"
    is_ascending: bool = False


@dataclass(frozen=True, slots=True)
class RunSearch:
    """Which runs are wanted; an empty field restricts nothing."""

    thread_id: str | None
    run_id: str | None = None
    statuses: Sequence[str] = ()
    limit: int = 10
    offset: int = 0
    before: str | None = None
    """The run that came after those."""


_OF: Final = "~of~"
"""Stands between the id that a client gave a thread and its tenant; no client's id has it."""


def own_id(connection: Connection, thread_id: str, tenant: str) -> str:
    """Return the id under which a tenant keeps the thread that its clients call `thread_id`.

    It is the same one, unless another tenant has a thread of this name.
    """
    own = f"{thread_id}{_OF}{tenant}"
    there = select(threads.c.thread_id, threads.c.tenant).where(
        threads.c.thread_id.in_((thread_id, own))
    )
    tenants = {row.thread_id: row.tenant for row in connection.execute(there)}
    return own if own in tenants or tenants.get(thread_id, tenant) != tenant else thread_id


def shown_id(thread_id: str) -> str:
    """Return what clients call a thread that is kept as `thread_id`."""
    return thread_id.partition(_OF)[0]


def threads_called(connection: Connection, name: str) -> dict[str, str]:
    """Return the tenants of the threads that clients call `name`, by their ids here."""
    others = threads.c.thread_id.startswith(f"{name}{_OF}", autoescape=True)
    its = select(threads.c.thread_id, threads.c.tenant).where(
        or_(threads.c.thread_id == name, others)
    )
    rows = {row.thread_id: row.tenant for row in connection.execute(its)}
    # SQLite's LIKE takes capital letters for small ones
    return {key: tenant for key, tenant in rows.items() if name in {key, shown_id(key)}}


def tenants_of(connection: Connection, run_ids: Collection[str]) -> Mapping[str, str]:
    """Return the tenants of those of these runs that are kept."""
    mine = select(runs.c.run_id, runs.c.tenant).where(runs.c.run_id.in_(run_ids))
    return {row.run_id: row.tenant for row in connection.execute(mine)}


def add_thread(
    connection: Connection, engine: Engine, row: ThreadRow, tenant: str
) -> ThreadRow | None:
    """Keep a thread before its first run, under `own_id`; None if the tenant has it already."""
    values = {
        "tenant": tenant,
        "root": row.root,
        "created": row.created,
        "metadata": json.dumps(dict(row.metadata)),
    }
    for _ in range(2):  # another tenant may be faster with this id
        own = own_id(connection, row.thread_id, tenant)
        made = engine.insert(threads).values(thread_id=own, **values).on_conflict_do_nothing()
        if connection.execute(made.returning(threads.c.thread_id)).first() is not None:
            return replace(row, thread_id=own)
    return None


def find_thread(connection: Connection, thread_id: str, sight: Sight) -> ThreadRow | None:
    """Return a thread that is seen; None if there is none of this id."""
    seen = _threads(sight)
    row = connection.execute(select(seen).where(seen.c.thread_id == thread_id)).first()
    return None if row is None else _to_thread(row)


def search_threads(connection: Connection, search: ThreadSearch, sight: Sight) -> list[ThreadRow]:
    """Return the threads that are seen and fit, the latest first unless said otherwise."""
    seen = _threads(sight)
    of_background = select(owned_runs.c.run_id)  # their threads are no conversations
    query = select(seen).where(seen.c.thread_id.not_in(of_background))
    if search.ids:
        ids = [id_ for name in search.ids for id_ in (name, f"{name}{_OF}{sight.tenant}")]
        query = query.where(seen.c.thread_id.in_(ids))
    if search.status is not None:
        query = query.where(seen.c.status == search.status)
    order = seen.c[search.by.removesuffix("_at")]
    ordered = query.order_by(order.asc() if search.is_ascending else order.desc(), seen.c.thread_id)
    if not search.metadata:
        rows = connection.execute(ordered.limit(search.limit).offset(search.offset))
        return [_to_thread(row) for row in rows]
    found = (_to_thread(row) for row in connection.execute(ordered.limit(MAX_SEARCHED)))
    fitting = [row for row in found if _has(row.metadata, search.metadata)]
    return fitting[search.offset : search.offset + search.limit]


def count_threads(connection: Connection, search: ThreadSearch, sight: Sight) -> int:
    """Return how many threads are seen and fit."""
    everything = ThreadSearch(search.metadata, search.status, search.ids, MAX_SEARCHED)
    return len(search_threads(connection, everything, sight))


def add_metadata(
    connection: Connection, thread_id: str, sight: Sight, more: Mapping[str, Any]
) -> ThreadRow | None:
    """Add to what is said about a thread, and return it; None if there is no such thread."""
    row = find_thread(connection, thread_id, sight)
    if row is None:
        return None
    told = json.dumps({**row.metadata, **more})
    mine = update(threads).where(threads.c.thread_id == thread_id)
    connection.execute(mine.values(metadata=told))
    return find_thread(connection, thread_id, sight)


def find_runs(
    connection: Connection, sight: Sight, search: RunSearch, *, place: object
) -> list[KeptRun]:
    """Return the runs that are seen and fit, the latest first.

    Raises:
        StateError: a row is damaged.
    """
    joined = runs.join(turns, turns.c.run_id == runs.c.run_id, isouter=True)
    columns = (runs, turns.c.number, turns.c.turn)
    query = select(*columns).select_from(joined).where(sight.of())
    if search.run_id is not None:
        query = query.where(runs.c.run_id == search.run_id)
    if search.thread_id is not None:
        query = query.where(runs.c.thread_id == search.thread_id)
    if search.statuses:
        query = query.where(runs.c.status.in_(list(search.statuses)))
    if search.before is not None:
        its = select(turns.c.place).where(turns.c.run_id == search.before).scalar_subquery()
        query = query.where(turns.c.place < its)
    ordered = query.order_by(turns.c.place.desc()).limit(search.limit).offset(search.offset)
    return [row_to_run(row, place) for row in connection.execute(ordered)]


def said_in_turns(connection: Connection, thread_id: str, key: str) -> dict[int, str]:
    """Return what clients said under `key` about the runs of a thread, by their turns' numbers."""
    query = (
        select(turns.c.number, runs.c.metadata)
        .join_from(turns, runs, turns.c.run_id == runs.c.run_id)
        .where(turns.c.thread_id == thread_id, runs.c.metadata.is_not(None))
    )
    said = ((number, _to_dict(text).get(key)) for number, text in connection.execute(query))
    return {number: str(value) for number, value in said if value is not None}


def find_run_by_metadata(
    connection: Connection, thread_id: str, key: str, value: str, sight: Sight
) -> str | None:
    """Return the latest run of a thread about which a client said `value` under `key`."""
    query = (
        select(runs.c.run_id, runs.c.metadata)
        .join_from(runs, turns, turns.c.run_id == runs.c.run_id)
        .where(runs.c.thread_id == thread_id, runs.c.metadata.is_not(None), sight.of())
        .order_by(turns.c.place.desc())
    )
    found = (
        run_id for run_id, text in connection.execute(query) if _to_dict(text).get(key) == value
    )
    return next(found, None)


def count_open(connection: Connection, tenant: str | None = None) -> int:
    """Return how many background runs wait or are at work, of a tenant or of all."""
    query = select(func.count()).where(
        runs.c.background.is_(True), runs.c.status.in_(("queued", "running"))
    )
    if tenant is not None:
        query = query.where(runs.c.tenant == tenant)
    return connection.execute(query).scalar_one()


def is_busy(connection: Connection, thread_id: str) -> bool:
    """True if a run of the thread waits for a process, or is at work."""
    at_work = (runs.c.thread_id == thread_id, runs.c.status.in_(("queued", "running")))
    return connection.execute(select(runs.c.run_id).where(*at_work).limit(1)).first() is not None


def has_others_runs(connection: Connection, thread_id: str, sight: Sight) -> bool:
    """True if a thread holds or owns runs that are not seen."""
    of_thread = or_(
        runs.c.thread_id == thread_id,
        runs.c.run_id.in_(select(owned_runs.c.run_id).where(owned_runs.c.owner == thread_id)),
    )
    query = select(runs.c.run_id).where(of_thread, not_(sight.of())).limit(1)
    return connection.execute(query).first() is not None


def runs_of_questions(connection: Connection, thread_id: str, sight: Sight) -> dict[str, str]:
    """Return the runs of a thread that are seen, by what they ask or asked."""
    query = (
        select(interrupts.c.interrupt_id, runs.c.run_id)
        .join_from(runs, interrupts, interrupts.c.run_id == runs.c.run_id)
        .where(runs.c.thread_id == thread_id, sight.of())
    )
    return {row.interrupt_id: row.run_id for row in connection.execute(query)}


def _threads(sight: Sight) -> Subquery:
    """Return the threads that are seen: those with a run that is, and those that were made so.

    Their status and their last change are those of the runs that are seen.
    """
    its = and_(runs.c.thread_id == threads.c.thread_id, sight.of())
    changed = select(func.max(func.coalesce(runs.c.ended, runs.c.created))).where(its)
    latest = (
        select(runs.c.status)
        .join_from(runs, turns, turns.c.run_id == runs.c.run_id)
        .where(its)
        .order_by(turns.c.place.desc())
        .limit(1)
        .scalar_subquery()
    )
    status = case(
        (exists().where(its, runs.c.status.in_(("queued", "running"))), literal("busy")),
        (exists().where(its, runs.c.status == "needs_human"), literal("interrupted")),
        (latest == "failed", literal("error")),
        else_=literal("idle"),
    )
    columns = (threads.c.thread_id, threads.c.root, threads.c.created, threads.c.metadata)
    updated = func.coalesce(changed.scalar_subquery(), threads.c.created)
    is_made = and_(threads.c.created > 0, sight.of(threads))
    return (
        select(*columns, updated.label("updated"), status.label("status"))
        .where(threads.c.tenant == sight.tenant, or_(is_made, exists().where(its)))
        .subquery()
    )


def _to_thread(row: Row[Any]) -> ThreadRow:
    created = row.created or row.updated or 0.0
    metadata = _to_dict(row.metadata)
    return ThreadRow(row.thread_id, row.root, created, row.updated or created, row.status, metadata)


def _has(metadata: Mapping[str, Any], values: Mapping[str, Any]) -> bool:
    missing = object()
    return all(metadata.get(name, missing) == value for name, value in values.items())


def _to_dict(text: str | None) -> dict[str, Any]:
    told: dict[str, Any] = json.loads(text) if text else {}
    return told
