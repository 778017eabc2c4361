"""The queue of background runs. The ledger is the queue: a run waits in it as a row `queued`.

A worker process takes the thread of a run by its lease, as every writer does. So a run is at work
in one process, runs of a thread follow each other, and what a dead process leaves is free with its
lease. The caps are counted in the transaction that takes the thread, one process after the other.
"""

import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from sqlalchemy import Connection, and_, delete, exists, false, func, select, true, update
from sqlalchemy.sql.elements import ColumnElement

from minerva_platform.contract.result import Reason
from minerva_platform.contract.run_object import IS_OVER, Event, RunStatus
from minerva_platform.errors import AlreadyDecidedError, RunError, UnknownRunError
from minerva_platform.storage.checkpoints.tables import delete_runs
from minerva_platform.storage.engine.engine import Engine, db_now
from minerva_platform.storage.ledger.decisions import os_user
from minerva_platform.storage.ledger.effects import effects_of_run
from minerva_platform.storage.ledger.events import write_events
from minerva_platform.storage.ledger.lease import (
    find_holders,
    is_alive,
    is_dead,
    lock_thread,
    take_away,
    this_process,
)
from minerva_platform.storage.ledger.questions import decisions_of, lock_run
from minerva_platform.storage.ledger.run_row import KeptRun, find_run, run_to_row
from minerva_platform.storage.ledger.schema import RETENTION, runs, threads, turns, worker_processes
from minerva_platform.storage.ledger.turn import KeptTurn

MAX_LONE_STARTS: Final = 10
"""How often a run is taken up alone whose process then ends. Fewer may be the machine, or somebody
who kills processes: with three, runs failed in a storm of kills that were to blame for none."""

_QUEUE_LOCK: Final = 0x4D494E51554555
"""Postgres' advisory lock under which the runs at work are counted: `MINQUEU`."""


@dataclass(frozen=True, slots=True)
class Caps:
    """How many background runs may be at work at once, over all processes. None: any number."""

    in_all: int | None = None
    of_root: Mapping[str, int] = field(default_factory=dict[str, int])
    """By the root that was asked: `platform`, or a team alone."""

    def let_begin(self, root: str, at_work: Sequence[str]) -> bool:
        """True if a run of `root` may begin beside those that are at work, given by their roots."""
        if self.in_all is not None and len(at_work) >= self.in_all:
            return False
        return root not in self.of_root or at_work.count(root) < self.of_root[root]


@dataclass(frozen=True, slots=True)
class FreeRun:
    """A background run that may begin now."""

    run_id: str
    root: str
    is_suspect: bool
    """True if it was cut off: it may be what ended its process, or held it up."""


def free_runs(
    connection: Connection, engine: Engine, caps: Caps, *, limit: int
) -> tuple[list[FreeRun], list[FreeRun]]:
    """Return background runs that may begin now, longest waiting first; and suspects among them.

    At most `limit` of each; suspects that were taken up alone less often come first. A run waits
    for earlier background runs of its thread. It is free if nobody holds its thread, or if its
    holder has certainly ended. One that is alone in a process that stands still stays there:
    elsewhere it would do the same to the next one.
    """
    earlier_runs, earlier_turns = runs.alias(), turns.alias()
    waits = exists().where(
        earlier_turns.c.thread_id == turns.c.thread_id,
        earlier_turns.c.number < turns.c.number,
        earlier_runs.c.run_id == earlier_turns.c.run_id,
        _is_open(earlier_runs.c),
    )
    left = (threads.c.lease_until - db_now()).label("left")
    columns = (runs.c.run_id, runs.c.root, runs.c.lone_starts, threads.c.holder, left)
    query = (
        select(*columns)
        .join_from(runs, turns, turns.c.run_id == runs.c.run_id)
        .join(threads, threads.c.thread_id == runs.c.thread_id)
        .where(_is_open(runs.c), ~waits)
    )
    at_work = _roots_at_work(connection, engine)

    def look_at(status: str, order: Any) -> list[FreeRun]:
        free, going = list[FreeRun](), [*at_work]
        for row in connection.execute(query.where(runs.c.status == status).order_by(*order)):
            if len(free) == limit:
                break
            if _is_free(engine, row) and caps.let_begin(row.root, going):
                free.append(FreeRun(row.run_id, row.root, is_suspect=status == "running"))
                going.append(row.root)
        return free

    suspects = look_at("running", [runs.c.lone_starts, turns.c.place])
    return look_at("queued", [turns.c.place]), suspects


def _is_free(engine: Engine, row: Any) -> bool:
    holder = row.holder
    if holder is None or (engine.knows_processes and is_dead(holder)):
        return True
    stays = row.lone_starts and holder != this_process() and is_alive(holder)
    return bool(row.left < 0 and not stays)


def has_room(connection: Connection, engine: Engine, run: KeptRun, caps: Caps) -> bool:
    """True if the caps let this run begin. It stays true until the transaction ends."""
    if caps.in_all is None and run.root not in caps.of_root:
        return True
    if connection.dialect.name == "postgresql":
        connection.execute(select(func.pg_advisory_xact_lock(_QUEUE_LOCK)))
    return caps.let_begin(run.root, _roots_at_work(connection, engine, but=run.run_id))


def _roots_at_work(connection: Connection, engine: Engine, *, but: str = "") -> list[str]:
    """Return the roots of the background runs that processes work on now."""
    going = select(runs.c.thread_id, runs.c.root, runs.c.fence).where(
        runs.c.background.is_(true()), runs.c.status == "running", runs.c.run_id != but
    )
    rows = connection.execute(going).all()
    holders = find_holders(connection, engine, of_threads=[row.thread_id for row in rows])
    return [
        row.root
        for row in rows
        if (holder := holders.get(row.thread_id)) is not None
        and holder.is_at_work
        and holder.fence == row.fence
    ]


def give_up(connection: Connection, engine: Engine, run: KeptRun, answer: str) -> bool:
    """Let a run fail whose processes ended while it was alone there. True if it has failed now."""
    if run.status != "running" or run.lone_starts < MAX_LONE_STARTS:
        return False
    holder = find_holders(connection, engine, of_threads=[run.thread_id]).get(run.thread_id)
    if holder is not None and holder.is_at_work:  # it was taken up since it was found free
        return False
    _end(connection, run, status="failed", reason="internal_error", answer=answer)
    return True


def leave_runs(connection: Connection, run_ids: Collection[str]) -> None:
    """Keep that these runs were at work in a process that ends on purpose; others go on."""
    mine = update(runs).where(runs.c.run_id.in_(run_ids), runs.c.status == "running")
    connection.execute(mine.values(status="queued", reason="lost", lone_starts=0))


def cancel_run(
    engine: Engine, run_id: str, *, even_decided: bool = False, by: str | None = None
) -> KeptRun:
    """Cancel a run, wherever it is at work, and return it as it was before.

    Its last event keeps `by` whom: a token's name, or the person at this machine.

    Of a person who lets something happen and one who cancels, the first one wins: a run that goes
    on with such a decision is not cancelled unless `even_decided`.

    Its process loses the thread with this, so nothing of the run is written any more and no effect
    begins. It notices at its next write or beat.

    Raises:
        UnknownRunError: there is no such run.
        AlreadyDecidedError: somebody has let what the run waited for happen; nothing is cancelled.
        RunError: the run is over.
        StateError: the database cannot be used, or the run's row is damaged.
    """

    def work(connection: Connection) -> KeptRun:
        its_thread = select(runs.c.thread_id).where(runs.c.run_id == run_id)
        lock_thread(connection, connection.execute(its_thread).scalar() or "")
        lock_run(connection, run_id)
        run = find_run(connection, run_id, engine.place)
        if run is None:
            raise UnknownRunError(run_id)
        if not even_decided and run.status not in IS_OVER:
            _refuse_if_let_happen(connection, run)
        if run.status in IS_OVER:
            message = f"Run `{run_id}` is over (`{run.status}`); nothing is left to cancel."
            raise RunError(message)
        fence = select(runs.c.fence).where(runs.c.run_id == run_id).scalar_subquery()
        its = (threads.c.thread_id == run.thread_id, threads.c.fence == fence)
        take_away(connection, *its, threads.c.holder.is_not(None))
        _end(connection, run, status="cancelled", reason="cancelled", by=by or os_user())
        return run

    return engine.write(work)


def _refuse_if_let_happen(connection: Connection, run: KeptRun) -> None:
    """Refuse to cancel a run that goes on with what a person has let happen since it waited.

    Raises:
        AlreadyDecidedError: it does.
    """
    done = decisions_of(connection, run.run_id)
    for question in run.run.interrupts if run.run else ():
        winner = done.get(question.id)
        if winner is not None and winner.decision["type"] != "reject":
            raise AlreadyDecidedError(run.run_id, question.id, winner.to_winner())


def open_runs(connection: Connection) -> set[str]:
    """Return the background runs that wait or are at work, in whichever process."""
    query = select(runs.c.run_id).where(_is_open(runs.c))
    return set(connection.execute(query).scalars())


def cancelled_of(connection: Connection, run_ids: Collection[str]) -> set[str]:
    """Return which of these runs were cancelled."""
    mine = runs.c.run_id.in_(run_ids)
    query = select(runs.c.run_id).where(mine, runs.c.status == "cancelled")
    return set(connection.execute(query).scalars())


def count_before(connection: Connection, run_id: str) -> int:
    """Return how many background runs wait that were accepted before this one."""
    place = select(turns.c.place).where(turns.c.run_id == run_id).scalar_subquery()
    query = (
        select(func.count())
        .select_from(runs.join(turns, turns.c.run_id == runs.c.run_id))
        .where(runs.c.background.is_(true()), runs.c.status == "queued")
        .where(turns.c.place < place)
    )
    return connection.execute(query).scalar_one()


def _is_open(of: Any) -> ColumnElement[bool]:
    """True of a background run that waits, or is at work, or was when its process ended."""
    is_ours = of.of_original.is_(false())  # the others rest, and nobody waits for them
    return and_(of.background.is_(true()), is_ours, of.status.in_(("queued", "running")))


def _end(
    connection: Connection,
    run: KeptRun,
    *,
    status: RunStatus,
    reason: Reason,
    answer: str = "",
    by: str = "",
) -> None:
    """Keep that a run was ended, and what is said of it. The next turn may refer to its request."""
    delete_runs(connection, [run.run_id])
    turn = KeptTurn(
        request=run.task.context,
        answer=answer,
        topic=run.task.request,
        run_id=run.run_id,
        status="failed",
        root=run.root,
        attachments=run.task.attachments,
    )
    end: dict[str, Any] = {"status": status, "reason": reason, "answer": answer}
    end["effects"] = effects_of_run(connection, run.run_id)
    row = run_to_row(run.to_run().model_copy(update=end), turn) if answer else None
    connection.execute(
        update(runs)
        .where(runs.c.run_id == run.run_id)
        .values(status=status, reason=reason, run=row, understood=None, ended=time.time())
    )
    its = update(turns).where(turns.c.run_id == run.run_id)
    connection.execute(its.values(turn=turn.model_dump_json()))
    ends = {"status": status, "reason": reason} | ({"by": by} if by else {})
    event = Event.of("run_ended", run.root, at=time.time(), is_run=True, **ends)
    write_events(connection, run.run_id, [event])


BEAT_S: Final = 5.0
"""Seconds between two beats of a worker process."""
_ALIVE_S: Final = 30.0
"""Seconds for which it counts as alive after its last one."""
_KEPT_S: Final = 86_400.0
"""Seconds after which what a process has said is removed."""


def beat(connection: Connection) -> None:
    """Keep that this worker process lives. What was said a day ago is removed."""
    mine = worker_processes.c.name == this_process()
    changed = update(worker_processes).where(mine).values(alive_until=db_now() + _ALIVE_S)
    if connection.execute(changed.returning(worker_processes.c.name)).first() is None:
        values = {"name": this_process(), "alive_until": db_now() + _ALIVE_S}
        connection.execute(worker_processes.insert().values(values))
    old = worker_processes.c.alive_until < db_now() - _KEPT_S
    connection.execute(delete(worker_processes).where(old))


def leave(connection: Connection) -> None:
    """Keep that this worker process takes no more runs."""
    connection.execute(delete(worker_processes).where(worker_processes.c.name == this_process()))


def count_workers(connection: Connection, engine: Engine) -> int:
    """Return how many worker processes are alive."""
    alive = select(worker_processes.c.name).where(
        worker_processes.c.alive_until >= db_now(), worker_processes.c.name != RETENTION
    )
    names = connection.execute(alive).scalars()
    return sum(not (engine.knows_processes and is_dead(name)) for name in names)
