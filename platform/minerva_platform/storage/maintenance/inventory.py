"""What the store holds, run by run in the order of their turns, and what each takes."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import inf
from pathlib import Path

from sqlalchemy import Connection, select

from minerva_platform.contract.run_object import IS_OVER
from minerva_platform.storage.engine.engine import Engine
from minerva_platform.storage.engine.location import STATE
from minerva_platform.storage.engine.opening import opened_engine
from minerva_platform.storage.files.artifacts import ArtifactPlace
from minerva_platform.storage.ledger.lease import find_holders
from minerva_platform.storage.ledger.schema import runs, threads, turns
from minerva_platform.storage.maintenance.artifact_folder import (
    StoredFile,
    stored_contents,
    upload_copies,
    upload_times,
)
from minerva_platform.storage.maintenance.digests import digests_by_run
from minerva_platform.storage.maintenance.run_rows import ROW_BYTES, byte_length, weigh_runs


@dataclass(frozen=True, slots=True)
class RunEntry:
    """A run as the ledger keeps it, or a turn of before there were runs."""

    run_id: str | None
    """None for a turn that an earlier version kept without its run."""
    thread_id: str
    tenant: str
    place: int | None
    """The place of its turn among those of all threads."""
    status: str
    ended: float | None
    """Seconds since 1970. Of a turn without times, when the next run began; None if unknown."""
    bytes: int
    """About what it takes in the database."""
    is_in_use: bool
    """True if another run is at work in its thread, and may read it."""

    @property
    def has_ended(self) -> bool:
        """True if the run will never go on."""
        return self.status in IS_OVER


@dataclass(frozen=True, slots=True)
class UploadEntry:
    """A content that people have uploaded, or of which this home has copies."""

    last_given: float
    """When somebody last gave it, or a run took its copy; in seconds since 1970."""
    copies: tuple[StoredFile, ...]


@dataclass(frozen=True, slots=True)
class Survey:
    """What the store holds."""

    runs: tuple[RunEntry, ...]
    """Oldest first."""
    files: Mapping[str, StoredFile]
    """The artifacts, by sha-256."""
    uploads: Mapping[str, UploadEntry]
    """The uploaded files, by sha-256."""
    users: Mapping[str, frozenset[str]]
    """The runs that name an artifact or an upload, by its sha-256."""
    at_work_since: float | None
    """When the first run began that is at work now, in seconds since 1970."""


def survey(connection: Connection, engine: Engine, place: ArtifactPlace) -> Survey:
    """Return what the store holds, by one look at each row."""
    files, uploads = stored_contents(connection, place), _uploads(connection, place)
    known_digests = files.keys() | uploads.keys()
    users: dict[str, set[str]] = {}
    for run_id, digests in digests_by_run(connection) if known_digests else ():
        for digest in digests & known_digests:
            users.setdefault(digest, set()).add(run_id)
    weights = weigh_runs(connection)
    busy = {
        thread_id
        for thread_id, holder in find_holders(connection, engine).items()
        if holder.is_at_work
    }
    begun = select(runs.c.thread_id, runs.c.created).where(runs.c.status == "running")
    at_work = [created for thread, created in connection.execute(begun) if thread in busy]
    return Survey(
        runs=_kept_runs(connection, weights, busy),
        files=files,
        uploads=uploads,
        users={digest: frozenset(run_ids) for digest, run_ids in users.items()},
        at_work_since=min(at_work, default=None),
    )


def _uploads(connection: Connection, place: ArtifactPlace) -> dict[str, UploadEntry]:
    times, copies = upload_times(connection), upload_copies(place)
    return {
        digest: UploadEntry(
            max((times.get(digest, 0.0), *(copy.last_given for copy in copies.get(digest, ())))),
            tuple(copies.get(digest, ())),
        )
        for digest in times.keys() | copies.keys()
    }


def digests_elsewhere(home: Path, engine: Engine) -> set[str]:
    """Return the artifacts that the home's own database names, if `engine` is of another one."""
    own, place = home / STATE, engine.place
    if not own.exists() or (isinstance(place, Path) and place.exists() and place.samefile(own)):
        return set()
    with opened_engine(own) as other:
        return digests_in_ledger(other)


def digests_in_ledger(engine: Engine) -> set[str]:
    """Return every digest that a row of a ledger names."""

    def read_digests(connection: Connection) -> set[str]:
        return {digest for _, digests in digests_by_run(connection) for digest in digests}

    return engine.read(read_digests, empty=set[str]())


def _kept_runs(
    connection: Connection, weights: Mapping[str, int], busy: set[str]
) -> tuple[RunEntry, ...]:
    columns = (runs.c.run_id, runs.c.thread_id, runs.c.tenant, turns.c.place, runs.c.status)
    query = select(*columns, runs.c.ended, runs.c.created).outerjoin_from(
        runs, turns, turns.c.run_id == runs.c.run_id
    )
    entries: list[tuple[float, float, RunEntry]] = []
    for run_id, thread_id, tenant, place, status, ended, created in connection.execute(query):
        run = RunEntry(
            run_id,
            thread_id,
            tenant,
            place,
            status,
            ended if ended is not None else created,
            weights.get(run_id, 0),
            thread_id in busy,
        )
        entries.append((inf if place is None else place, created, run))
    size = byte_length(turns.c.turn) + ROW_BYTES
    alone = (
        select(turns.c.place, turns.c.thread_id, threads.c.tenant, turns.c.run_id, size)
        .join(threads, threads.c.thread_id == turns.c.thread_id)
        .where(turns.c.run_id.is_(None) | turns.c.run_id.not_in(select(runs.c.run_id)))
    )
    for place, thread_id, tenant, run_id, weight in connection.execute(alone):
        turn = RunEntry(run_id, thread_id, tenant, place, "ok", None, weight, thread_id in busy)
        entries.append((place, 0.0, turn))
    entries.sort(key=lambda entry: entry[:2])
    return _with_times(entries)


def _with_times(entries: list[tuple[float, float, RunEntry]]) -> tuple[RunEntry, ...]:
    """Give turns without times the time at which the next run began: they are older than it."""
    runs_with_times: list[RunEntry] = []
    next_began: float | None = None
    for _, created, run in reversed(entries):
        if run.ended is None:
            runs_with_times.append(replace(run, ended=next_began))
        else:
            next_began = created if next_began is None else min(next_began, created)
            runs_with_times.append(run)
    return tuple(reversed(runs_with_times))
