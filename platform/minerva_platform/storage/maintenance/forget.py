"""What `minerva forget` erases: a thread with all that was said and done in it.

The thread's own row goes last. So a command that was interrupted can be typed again, and finds
what it left.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

from sqlalchemy import ColumnElement, Connection, delete, select

from minerva_platform.contract.run_object import IS_OVER
from minerva_platform.errors import LeaseLostError, RunError
from minerva_platform.storage.engine.engine import Engine
from minerva_platform.storage.files.artifacts import ArtifactPlace
from minerva_platform.storage.ledger.lease import TERMS, Lease, look, release, renew, take
from minerva_platform.storage.ledger.schema import host_effects, runs, threads, turns
from minerva_platform.storage.maintenance.artifact_folder import (
    StoredFile,
    remove_files,
    remove_uploads,
    stored_contents,
    upload_copies,
    upload_times,
)
from minerva_platform.storage.maintenance.digests import digests_by_run
from minerva_platform.storage.maintenance.live_processes import find_holders
from minerva_platform.storage.maintenance.run_rows import (
    count_host_effects,
    count_rows,
    remove_empty_threads,
    remove_host_effects,
    remove_runs,
)
from minerva_platform.storage.maintenance.space import Space, give_back, truncate_log
from minerva_platform.storage.queue.owned_runs import threads_owned_by


@dataclass(frozen=True, slots=True)
class ForgetPlan:
    """What would be erased."""

    thread_id: str
    owned_threads: tuple[str, ...]
    """The threads of the background runs that the thread owns."""
    run_ids: frozenset[str]
    rows: Mapping[str, int]
    """How many rows of each table."""
    files: tuple[StoredFile, ...]
    """The artifacts and the copies of uploads that no other thread uses."""
    uploads: frozenset[str]
    """The sha-256 of uploads that no other thread uses."""
    unfinished_runs: int
    """Runs that wait for a person or were cut off, and will never go on."""


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
    used_elsewhere: Collection[str] = (),
) -> ForgetPlan | None:
    """Return what would be erased of a thread; None if there is no such thread.

    Raises:
        RunError: somebody is at work in it.
    """
    is_there = select(threads.c.thread_id).where(threads.c.thread_id == thread_id)
    if connection.execute(is_there).first() is None:
        return None
    owned = threads_owned_by(connection, thread_id)
    all_threads = (thread_id, *owned)
    for holder in find_holders(connection, engine, of_threads=all_threads).values():
        if holder.is_at_work:
            raise _busy(holder.thread_id, holder.seconds_left)
    mine = (runs.c.thread_id.in_(all_threads), turns.c.thread_id.in_(all_threads))
    statuses = {
        run_id: str(status)
        for run_id, status in connection.execute(
            select(runs.c.run_id, runs.c.status).where(mine[0])
        )
    }
    of_turns = connection.execute(select(turns.c.run_id).where(mine[1])).scalars()
    run_ids = {*statuses, *(run_id for run_id in of_turns if run_id is not None)}
    strange = select(runs.c.run_id).where(runs.c.run_id == thread_id, ~mine[0])
    if connection.execute(strange).first() is None:  # no run of another thread has this id
        run_ids.add(thread_id)
    files, uploads = _own_files(connection, place, run_ids, used_elsewhere)
    rows = count_rows(connection, run_ids)
    return ForgetPlan(
        thread_id,
        owned,
        frozenset(run_ids),
        {**rows, "effects": rows["effects"] + count_host_effects(connection, _in_hosts(thread_id))},
        files,
        uploads,
        sum(status not in IS_OVER for status in statuses.values()),
    )


def forget(engine: Engine, plan: ForgetPlan) -> ForgetReport:
    """Erase a thread: nothing readable of it stays in SQLite's file.

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
    connection: Connection, place: ArtifactPlace, run_ids: set[str], used_elsewhere: Collection[str]
) -> tuple[tuple[StoredFile, ...], frozenset[str]]:
    """Return the files that only these runs use, and the digests of such uploads."""
    files, copies = stored_contents(connection, place), upload_copies(place)
    uploads = upload_times(connection).keys()
    mine: set[str] = set()
    others = set(used_elsewhere)
    for run_id, digests in digests_by_run(connection) if files or copies or uploads else ():
        (mine if run_id in run_ids else others).update(digests)
    own = mine - others
    of_uploads = (copy for digest, several in copies.items() if digest in own for copy in several)
    contents = (file for digest, file in files.items() if digest in own)
    return (*contents, *of_uploads), frozenset(own & uploads)


def _take_all(connection: Connection, plan: ForgetPlan, engine: Engine) -> list[Lease]:
    """Take the threads of its background runs, and the thread itself last."""
    owned = threads_owned_by(connection, plan.thread_id)
    if new := set(owned) - set(plan.owned_threads):  # since the person has seen what would go
        raise _busy(min(new), TERMS.seconds)
    return [_take(connection, thread_id, engine) for thread_id in (*owned, plan.thread_id)]


def _take(connection: Connection, thread_id: str, engine: Engine) -> Lease:
    """Become the thread's only writer, so that nobody adds to it meanwhile."""
    seen = look(connection, thread_id)
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
    all_threads = [lease.thread_id for lease in leases]
    of_runs = select(runs.c.run_id).where(runs.c.thread_id.in_(all_threads))
    remove_runs(connection, plan.run_ids | set(connection.execute(of_runs).scalars()))
    connection.execute(delete(turns).where(turns.c.thread_id.in_(all_threads)))
    remove_host_effects(connection, _in_hosts(plan.thread_id))
    remove_uploads(connection, plan.uploads)


def _in_hosts(thread_id: str) -> ColumnElement[bool]:
    """Return what chooses the effects of a thread inside other programs' graphs."""
    return host_effects.c.thread_id == thread_id


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
