"""What `minerva forget` erases: a thread with all that was said and done in it, or all of a tenant.

The threads' own rows go last. So a command that was interrupted can be typed again, and finds
what it left.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from sqlalchemy import Column, ColumnElement, Connection, delete, select

from minerva_platform.contract.run_object import IS_OVER
from minerva_platform.errors import LeaseLostError, RunError
from minerva_platform.storage.engine.engine import Engine
from minerva_platform.storage.files.artifacts import ArtifactPlace
from minerva_platform.storage.ledger.lease import (
    TERMS,
    Lease,
    find_holders,
    look,
    release,
    renew,
    take,
)
from minerva_platform.storage.ledger.schema import (
    host_effects,
    runs,
    team_uploads,
    threads,
    turns,
    uploads as uploads_table,
)
from minerva_platform.storage.maintenance.artifact_folder import (
    StoredFile,
    remove_files,
    remove_uploads,
    stored_contents,
    upload_copies,
    upload_times,
)
from minerva_platform.storage.maintenance.digests import digests_by_run
from minerva_platform.storage.maintenance.run_rows import (
    count_host_effects,
    count_rows,
    remove_empty_threads,
    remove_host_effects,
    remove_runs,
)
from minerva_platform.storage.maintenance.space import Space, give_back, truncate_log
from minerva_platform.storage.queue.owned_runs import threads_owned_by
from minerva_platform.storage.server.tenant_rows import threads_called


@dataclass(frozen=True, slots=True)
class ForgetPlan:
    """What would be erased."""

    thread_id: str | None
    """The thread; None if all threads of a tenant go."""
    tenant: str | None
    """The tenant of which all goes; None if a thread does."""
    threads: tuple[str, ...]
    """All threads that go: those of background runs, too."""
    run_ids: frozenset[str] = frozenset()
    rows: Mapping[str, int] = field(default_factory=dict[str, int])
    """How many rows of each table."""
    files: tuple[StoredFile, ...] = ()
    """The artifacts and the copies of uploads that no other thread uses."""
    uploads: frozenset[str] = frozenset()
    """The sha-256 of uploads that no other thread uses, nor another tenant has given."""
    unfinished_runs: int = 0
    """Runs that wait for a person or were cut off, and will never go on."""

    def owns(self, thread_id: Column[Any]) -> ColumnElement[bool]:
        """Return what is true of rows of its threads."""
        if self.tenant is None:
            return thread_id.in_(self.threads)
        return thread_id.in_(select(threads.c.thread_id).where(threads.c.tenant == self.tenant))


@dataclass(frozen=True, slots=True)
class ForgetReport:
    """What was erased."""

    files: int
    space: Space


def plan_forget(
    connection: Connection,
    engine: Engine,
    place: ArtifactPlace,
    thread_id: str,
    *,
    tenant: str | None = None,
    used_elsewhere: Collection[str] = (),
) -> ForgetPlan | None:
    """Return what would be erased of a thread; None if there is no such thread.

    `tenant` tells which one, if several tenants have a thread of this name.

    Raises:
        RunError: somebody is at work in it, or several tenants have one.
    """
    called = threads_called(connection, thread_id)
    mine = [name for name, owner in called.items() if tenant in {None, owner}]
    if not mine:
        return None
    if len(mine) > 1:
        message = (
            f"Several tenants have a thread `{thread_id}`: {', '.join(sorted(called.values()))}. "
            "Type whose is to be erased: --tenant NAME."
        )
        raise RunError(message)
    (thread_id,) = mine
    plan = ForgetPlan(thread_id, None, _threads(connection, thread_id, None))
    return _complete(connection, engine, place, plan, used_elsewhere)


def plan_forget_tenant(
    connection: Connection,
    engine: Engine,
    place: ArtifactPlace,
    tenant: str,
    *,
    used_elsewhere: Collection[str] = (),
) -> ForgetPlan | None:
    """Return what would be erased of a tenant; None if it has no thread and no upload.

    Raises:
        RunError: somebody is at work in one of its threads.
    """
    plan = ForgetPlan(None, tenant, _threads(connection, None, tenant))
    its = select(uploads_table.c.sha256).where(uploads_table.c.tenant == tenant).limit(1)
    if not plan.threads and connection.execute(its).first() is None:
        return None
    return _complete(connection, engine, place, plan, used_elsewhere)


def _threads(connection: Connection, thread_id: str | None, tenant: str | None) -> tuple[str, ...]:
    """Return all threads that go with a thread, which is the last, or with a tenant."""
    if thread_id is not None:
        return (*threads_owned_by(connection, thread_id), thread_id)
    its = select(threads.c.thread_id).where(threads.c.tenant == tenant)
    return tuple(connection.execute(its.order_by(threads.c.thread_id)).scalars())


def _complete(
    connection: Connection,
    engine: Engine,
    place: ArtifactPlace,
    plan: ForgetPlan,
    used_elsewhere: Collection[str],
) -> ForgetPlan:
    of_threads = plan.threads if plan.tenant is None else None  # there may be very many
    holders = find_holders(connection, engine, of_threads=of_threads)
    for holder in map(holders.get, plan.threads):
        if holder is not None and holder.is_at_work:
            raise _busy(holder.thread_id, holder.seconds_left)
    mine = (plan.owns(runs.c.thread_id), plan.owns(turns.c.thread_id))
    statuses = {
        run_id: str(status)
        for run_id, status in connection.execute(
            select(runs.c.run_id, runs.c.status).where(mine[0])
        )
    }
    of_turns = connection.execute(select(turns.c.run_id).where(mine[1])).scalars()
    run_ids = {*statuses, *(run_id for run_id in of_turns if run_id is not None)}
    strange = select(runs.c.run_id).where(runs.c.run_id == plan.thread_id, ~mine[0])
    if plan.thread_id and connection.execute(strange).first() is None:
        run_ids.add(plan.thread_id)  # no run of another thread has this id
    files, uploads = _own_files(connection, place, run_ids, plan.tenant, used_elsewhere)
    rows = count_rows(connection, run_ids)
    in_hosts = count_host_effects(connection, plan.owns(host_effects.c.thread_id))
    return replace(
        plan,
        run_ids=frozenset(run_ids),
        rows={**rows, "effects": rows["effects"] + in_hosts},
        files=files,
        uploads=uploads,
        unfinished_runs=sum(status not in IS_OVER for status in statuses.values()),
    )


def forget(engine: Engine, plan: ForgetPlan) -> ForgetReport:
    """Erase a thread, or a tenant's: nothing readable of it stays in SQLite's file.

    Raises:
        RunError: somebody began to work in it.
        StateError: the database cannot be written, or others use it all the time.
    """
    leases = engine.write(partial(_take_all, plan=plan, engine=engine))
    files, _ = remove_files(engine, plan.files, if_unchanged=False)
    engine.write(partial(_erase, plan=plan, leases=leases))
    space = give_back(engine)  # rewrites what earlier deletions left in the file, too
    for lease in leases:
        with suppress(LeaseLostError):  # a new conversation has begun under the same name
            engine.write(partial(_remove_thread, lease=lease))
    truncate_log(engine)
    return ForgetReport(files, space)


def _own_files(
    connection: Connection,
    place: ArtifactPlace,
    run_ids: set[str],
    tenant: str | None,
    used_elsewhere: Collection[str],
) -> tuple[tuple[StoredFile, ...], frozenset[str]]:
    """Return the files that only these runs or the tenant use, and the digests of such uploads."""
    files, copies = stored_contents(connection, place), upload_copies(place)
    uploads = upload_times(connection).keys()
    mine: set[str] = set()
    others = set(used_elsewhere)
    if tenant is not None:
        for giver, digest in connection.execute(
            select(uploads_table.c.tenant, uploads_table.c.sha256)
        ):
            (mine if giver == tenant else others).add(digest)
    for run_id, digests in digests_by_run(connection) if files or copies or uploads else ():
        (mine if run_id in run_ids else others).update(digests)
    own = mine - others
    of_uploads = (copy for digest, several in copies.items() if digest in own for copy in several)
    contents = (file for digest, file in files.items() if digest in own)
    return (*contents, *of_uploads), frozenset(own & uploads)


def _take_all(connection: Connection, plan: ForgetPlan, engine: Engine) -> list[Lease]:
    """Take all threads that go."""
    now_there = _threads(connection, plan.thread_id, plan.tenant)
    if new := set(now_there) - set(plan.threads):  # since the person has seen what would go
        raise _busy(min(new), TERMS.seconds)
    return [_take(connection, thread_id, engine) for thread_id in now_there]


def _take(connection: Connection, thread_id: str, engine: Engine) -> Lease:
    """Become the thread's only writer, so that nobody adds to it meanwhile."""
    seen = look(connection, engine, thread_id)
    holder = find_holders(connection, engine, of_threads=[thread_id], locks=True).get(thread_id)
    if holder is not None and holder.is_at_work:
        raise _busy(thread_id, holder.seconds_left)
    lease = take(connection, thread_id, TERMS, free=seen)
    if lease is None:
        raise _busy(thread_id, TERMS.seconds)
    return lease


def _erase(connection: Connection, plan: ForgetPlan, leases: Sequence[Lease]) -> None:
    _overwrite(connection)
    for lease in leases:
        renew(connection, lease, TERMS)
    of_runs = select(runs.c.run_id).where(plan.owns(runs.c.thread_id))
    remove_runs(connection, plan.run_ids | set(connection.execute(of_runs).scalars()))
    connection.execute(delete(turns).where(plan.owns(turns.c.thread_id)))
    remove_host_effects(connection, plan.owns(host_effects.c.thread_id))
    remove_uploads(connection, plan.uploads)
    for table in (uploads_table, team_uploads) if plan.tenant else ():
        connection.execute(delete(table).where(table.c.tenant == plan.tenant))


def _remove_thread(connection: Connection, lease: Lease) -> None:
    _overwrite(connection)
    release(connection, lease)
    remove_empty_threads(connection, [lease.thread_id])


def _overwrite(connection: Connection) -> None:
    """Let SQLite write zeros over what it deletes; Postgres has nothing of the kind."""
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql("PRAGMA secure_delete = ON")


def _busy(thread_id: str, seconds_left: float) -> RunError:
    return RunError(
        f"thread_busy: a run goes on in the thread `{thread_id}`. Wait for it or end its process, "
        f"then type the same again; without its process it is free in {math.ceil(seconds_left)} s."
    )
