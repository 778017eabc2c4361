"""What `minerva prune` removes: runs that ended, with all that is kept of them.

A plan says what would go. A run that waits for a person, or is at work, goes only if it is named.
Rows go in small transactions, so that other processes write in between; the runs of a
transaction are looked at again in it.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final

from sqlalchemy import Connection, delete, select

from minerva_platform.contract.run_object import IS_OVER
from minerva_platform.errors import RunError, UnknownRunError
from minerva_platform.storage.engine.engine import Engine
from minerva_platform.storage.files.artifacts import ArtifactPlace
from minerva_platform.storage.ledger.lease import find_holders, take_away
from minerva_platform.storage.ledger.schema import host_effects, runs, threads, turns
from minerva_platform.storage.maintenance.artifact_folder import (
    UNUSED_UPLOAD_S,
    StoredFile,
    remove_files,
    remove_uploads,
    unfinished_files,
)
from minerva_platform.storage.maintenance.inventory import (
    RunEntry,
    Survey,
    digests_in_ledger,
    survey,
)
from minerva_platform.storage.maintenance.run_rows import (
    count_host_effects,
    count_rows,
    owners_of,
    remove_empty_threads,
    remove_host_effects,
    remove_runs,
)

BATCH: Final = 50
"""Runs that one transaction removes."""


@dataclass(frozen=True, slots=True)
class PruneRule:
    """What may stay at most. Each limit holds by itself; None is no limit."""

    older_than_s: float | None = None
    """Seconds since a run ended beyond which it goes."""
    keep: int | None = None
    """Runs that have ended and stay, the newest ones."""
    named_ids: tuple[str, ...] = ()
    """Runs that go whatever they do, by their ids or how these begin."""
    ages: Mapping[str, float] = field(default_factory=dict[str, float])
    """Like `older_than_s`, and instead of it, by tenant."""
    tenant: str | None = None
    """Only its runs go, with the files that no other run uses; None: those of all tenants."""

    def has_expired(self, run: RunEntry, now: float) -> bool:
        """True if a run ended longer ago than it may have."""
        age = self.ages.get(run.tenant, self.older_than_s)
        return age is not None and run.ended is not None and run.ended < now - age


@dataclass(frozen=True, slots=True)
class PrunePlan:
    """What would go."""

    runs: tuple[RunEntry, ...] = ()
    named_ids: frozenset[str] = frozenset()
    files: tuple[StoredFile, ...] = ()
    """Artifacts and copies of uploads that no other run uses, and what killed processes left
    half-written."""
    uploads: frozenset[str] = frozenset()
    """The sha-256 of uploads whose rows go."""
    uploads_before: float = 0.0
    """An upload that was given since then stays, in seconds since 1970."""
    host_effects_before: float = 0.0
    """Effects of runs inside other programs' graphs that ended before go, in seconds since 1970."""
    rows: Mapping[str, int] = field(default_factory=dict[str, int])
    """How many rows of each table."""
    bytes: int = 0
    """About what goes, files included."""
    spared_runs: int = 0
    """Runs that wait, are at work or were cut off: they stay."""

    @property
    def is_empty(self) -> bool:
        """True if nothing would go."""
        return not (self.runs or self.files or self.uploads or self.rows.get("host_effects"))


@dataclass(frozen=True, slots=True)
class PruneReport:
    """What went."""

    runs: int
    files: int
    skipped_runs: int
    """Runs of the plan that somebody began to use meanwhile."""


def plan_prune(
    connection: Connection,
    engine: Engine,
    place: ArtifactPlace,
    rule: PruneRule,
    *,
    now: float,
    used_elsewhere: Collection[str] = (),
) -> PrunePlan:
    """Return what would go by `rule`. `used_elsewhere` are artifacts that another ledger uses.

    Raises:
        UnknownRunError: no run has a named id.
        RunError: a named id is the beginning of several.
    """
    inventory = survey(connection, engine, place)
    if rule.tenant is not None:
        mine = tuple(run for run in inventory.runs if run.tenant == rule.tenant)
        inventory = replace(inventory, runs=mine)
    named_ids = frozenset(_find_run_id(inventory, beginning) for beginning in rule.named_ids)
    choice = _Choice(inventory, frozenset(used_elsewhere), now)
    choice.apply(rule, named_ids)
    going = tuple(run for run in inventory.runs if id(run) in choice.runs)
    ids = {run.run_id for run in going if run.run_id is not None}
    is_for_all = rule.tenant is None
    strays = unfinished_files(place, now) if is_for_all else ()
    files = (*choice.files.values(), *choice.copies, *strays)
    before = now - rule.older_than_s if is_for_all and rule.older_than_s is not None else 0.0
    others = count_host_effects(connection, host_effects.c.at < before)
    return PrunePlan(
        runs=going,
        named_ids=named_ids,
        files=files,
        uploads=frozenset(choice.uploads),
        uploads_before=now - UNUSED_UPLOAD_S,
        host_effects_before=before,
        rows=count_rows(connection, ids) | ({"host_effects": others} if others else {}),
        bytes=sum(run.bytes for run in going) + sum(file.size for file in files),
        spared_runs=sum(not run.has_ended and id(run) not in choice.runs for run in inventory.runs),
    )


class _Choice:
    """Chooses what goes."""

    def __init__(self, inventory: Survey, used_elsewhere: frozenset[str], now: float) -> None:
        self.inventory, self.now = inventory, now
        self.runs: dict[int, RunEntry] = {}
        self.files: dict[str, StoredFile] = {}
        self.uploads: set[str] = set()
        self.copies: list[StoredFile] = []
        self._elsewhere = used_elsewhere
        self._users = {digest: set(users) for digest, users in inventory.users.items()}
        self._used: dict[str, list[str]] = {}
        for digest, users in inventory.users.items():
            for run_id in users:
                self._used.setdefault(run_id, []).append(digest)

    def apply(self, rule: PruneRule, named_ids: frozenset[str]) -> None:
        """Choose by each limit of `rule` in turn."""
        free = [run for run in self.inventory.runs if run.has_ended and not run.is_in_use]
        strays = self.inventory.uploads.keys() - self._users.keys() if rule.tenant is None else ()
        for digest in strays:
            self._choose_upload(digest)
        for run in self.inventory.runs:
            if run.run_id in named_ids:
                self._choose(run)
        for run in free:
            if rule.has_expired(run, self.now):
                self._choose(run)
        if rule.older_than_s is not None and rule.tenant is None:
            self._choose_strays(self.now - rule.older_than_s)
        if rule.keep is not None:
            ended = [run for run in self.inventory.runs if run.has_ended]
            newest = {id(run) for run in ended[max(0, len(ended) - rule.keep) :]}
            for run in free:
                if id(run) not in newest:
                    self._choose(run)

    def _choose_strays(self, limit: float) -> None:
        known = self.inventory.users.keys() | self.inventory.uploads.keys()
        for digest, file in self.inventory.files.items():
            if digest not in known and file.last_given < limit:
                self._choose_file(file)

    def _choose(self, run: RunEntry) -> None:
        if id(run) in self.runs:
            return
        self.runs[id(run)] = run
        if run.run_id is not None:
            self._free(run.run_id)

    def _free(self, run_id: str) -> None:
        """Choose the artifacts and uploads that nobody but this run used."""
        for digest in self._used.get(run_id, ()):
            self._users[digest].discard(run_id)
            if self._users[digest]:
                continue
            if digest in self.inventory.uploads:
                self._choose_upload(digest)
            else:
                self._choose_file(self.inventory.files[digest])

    def _choose_upload(self, digest: str) -> None:
        """Choose an upload that no run uses, unless somebody has given it lately."""
        entry = self.inventory.uploads[digest]
        if digest in self._elsewhere or entry.last_given >= self.now - UNUSED_UPLOAD_S:
            return
        self.uploads.add(digest)
        self.copies += entry.copies
        if digest in self.inventory.files:
            self._choose_file(self.inventory.files[digest])

    def _choose_file(self, file: StoredFile) -> None:
        if file.digest in self._elsewhere or file.digest in self.files:
            return
        if file.has_settled(self.now, before=self.inventory.at_work_since):
            self.files[file.digest] = file


def prune(engine: Engine, plan: PrunePlan) -> PruneReport:
    """Remove what `plan` names, unless somebody began to use it meanwhile.

    Raises:
        StateError: the database cannot be written; what went is gone, and the rest is whole.
    """
    gone = 0
    for start in range(0, len(plan.runs), BATCH):
        batch = plan.runs[start : start + BATCH]
        gone += engine.write(partial(_remove, engine=engine, batch=batch, named_ids=plan.named_ids))
    ended = host_effects.c.at < plan.host_effects_before
    engine.write(partial(remove_host_effects, its=ended))
    skipped = len(plan.runs) - gone
    still_used = digests_in_ledger(engine) if skipped or plan.uploads else set[str]()
    if plan.uploads:
        unused, before = plan.uploads - still_used, plan.uploads_before
        still_used |= plan.uploads - engine.write(
            partial(remove_uploads, digests=unused, before=before)
        )
    count, _ = remove_files(engine, [f for f in plan.files if f.digest not in still_used])
    return PruneReport(gone, count, skipped)


def _remove(
    connection: Connection, engine: Engine, batch: tuple[RunEntry, ...], named_ids: frozenset[str]
) -> int:
    """Remove the runs of a batch that may still go; return how many."""
    thread_ids = {run.thread_id for run in batch}
    holders = find_holders(connection, engine, of_threads=thread_ids, locks=True)
    busy = {thread_id for thread_id, holder in holders.items() if holder.is_at_work}
    ids = [run.run_id for run in batch if run.run_id is not None]
    query = select(runs.c.run_id, runs.c.status).where(runs.c.run_id.in_(ids))
    statuses = {run_id: str(status) for run_id, status in connection.execute(query)}
    going = [
        run
        for run in batch
        if run.run_id in named_ids
        or (run.thread_id not in busy and statuses.get(run.run_id or "", run.status) in IS_OVER)
    ]
    for run in going:
        if statuses.get(run.run_id or "") == "running" and run.thread_id in holders:
            take_away(connection, threads.c.thread_id == run.thread_id)
    going_ids = [run.run_id for run in going if run.run_id is not None]
    owners = owners_of(connection, going_ids)
    remove_runs(connection, going_ids)
    places = [run.place for run in going if run.run_id is None]
    connection.execute(delete(turns).where(turns.c.place.in_(places)))
    find_holders(connection, engine, of_threads=owners, locks=True)
    remove_empty_threads(connection, {run.thread_id for run in going} | owners)
    return len(going)


def _find_run_id(inventory: Survey, beginning: str) -> str:
    ids = sorted(run.run_id for run in inventory.runs if run.run_id is not None)
    if beginning in ids:
        return beginning
    fitting = [run_id for run_id in ids if beginning and run_id.startswith(beginning)]
    if not fitting:
        raise UnknownRunError(beginning)
    if len(fitting) > 1:
        message = f"{len(fitting)} runs begin with {beginning!r}; type more of the id."
        raise RunError(message)
    return fitting[0]
