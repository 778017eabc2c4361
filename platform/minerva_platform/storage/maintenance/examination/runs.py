"""Examines runs that have not ended, and leases of processes that have."""

from collections.abc import Iterator, Mapping

from sqlalchemy import Connection, exists, func, select

from minerva_platform.storage.engine.engine import Engine
from minerva_platform.storage.ledger.lease import Holding, find_holders
from minerva_platform.storage.ledger.open_run import CUT_OFF
from minerva_platform.storage.ledger.questions import OPEN_RUNS
from minerva_platform.storage.ledger.schema import checkpoints, decisions, interrupts, runs
from minerva_platform.storage.maintenance.examination.finding import MEND, Finding


def examine_runs(connection: Connection, engine: Engine) -> list[Finding]:
    """Return the runs that were cut off or wait, and the leases that nobody uses."""
    holders = find_holders(connection, engine)
    found = [*_of_runs(connection, holders)]
    held = {finding.values.get("thread") for finding in found if finding.code == "run_cut_off"}
    for thread_id, holder in holders.items():
        if not holder.is_at_work and thread_id not in held:
            values = {"thread": thread_id, "holder": holder.holder}
            found.append(Finding("lease_left", f"threads/{thread_id}", MEND, values))
    return found


def find_resumable(connection: Connection, engine: Engine) -> tuple[str, ...]:
    """Return the runs that go on by `minerva resume` alone, in the order in which they began."""
    return tuple(
        str(finding.values["run"])
        for finding in _of_runs(connection, find_holders(connection, engine))
        if finding.code in {"run_cut_off", "run_decided"}
    )


def _of_runs(connection: Connection, holders: Mapping[str, Holding]) -> Iterator[Finding]:
    columns = (runs.c.run_id, runs.c.thread_id, runs.c.status, runs.c.reason, runs.c.background)
    going = runs.c.status.in_(OPEN_RUNS) & runs.c.of_original.is_(False)  # the others rest
    for run_id, thread_id, status, reason, is_background in connection.execute(
        select(*columns).where(going).order_by(runs.c.created)
    ).all():
        values: dict[str, object] = {"run": run_id, "thread": thread_id}
        where, resume = f"runs/{run_id}", f"resume {run_id}"
        is_at_work = thread_id in holders and holders[thread_id].is_at_work
        if status == "needs_human":
            yield _waiting(connection, run_id, values)
        elif is_background and status == "queued":
            yield Finding("run_queued", where, "worker", values)
        elif (status, reason) == CUT_OFF or (status == "running" and not is_at_work):
            yield Finding("run_cut_off", where, resume, values)


def _waiting(connection: Connection, run_id: str, values: dict[str, object]) -> Finding:
    where = f"runs/{run_id}"
    asked = select(func.count()).where(interrupts.c.run_id == run_id)
    answer = exists().where(
        decisions.c.run_id == interrupts.c.run_id,
        decisions.c.interrupt_id == interrupts.c.interrupt_id,
    )
    is_open = connection.execute(asked.where(~answer)).scalar_one()
    state = select(func.count()).where(checkpoints.c.thread_id == run_id)
    if not connection.execute(state).scalar_one() or not connection.execute(asked).scalar_one():
        return Finding("run_lost", where, MEND, {**values, "count": 0, "cause": "", "number": 0})
    if is_open:
        return Finding("run_waits", where, f"waiting show {run_id}", {**values, "count": is_open})
    return Finding("run_decided", where, f"resume {run_id}", values)
