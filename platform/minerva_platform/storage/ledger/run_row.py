"""A run as the ledger keeps it, from its row to values again."""

import json
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any

from pydantic import ValidationError
from sqlalchemy import ColumnElement, Connection, Row, select, true

from minerva_platform.config.limits import RunLimits
from minerva_platform.contract.run_object import IS_OVER, Run, RunStatus
from minerva_platform.contract.task import Task, Turn
from minerva_platform.errors import OriginalsRunError, RunError, StateError, UnknownRunError
from minerva_platform.run_context.usage import Used
from minerva_platform.storage.ledger.effects import effects_of_run
from minerva_platform.storage.ledger.events import cancelled_by
from minerva_platform.storage.ledger.schema import runs, turns
from minerva_platform.storage.ledger.turn import KeptTurn

_LEAST_CHARACTERS = 4
"""Of an id that is typed in part: fewer name some run by chance."""
_MAX_NAMED = 5
"""Runs that an error names."""


@dataclass(frozen=True, slots=True)
class KeptRun:
    """A run's row. `number` is the place of its turn in its thread."""

    run_id: str
    thread_id: str
    root: str
    status: RunStatus
    reason: str | None
    task: Task
    limits: RunLimits
    used: Used
    understanding: str | None
    """The request as it was understood, as JSON; None if that was not kept."""
    resumes: int
    number: int
    run: Run | None
    """The run object of its end or of its latest pause."""
    roots: frozenset[str] | None = None
    """The roots whose turns it may read; None: all."""
    of_original: bool = False
    """True if it had not ended when this store was restored from its original."""
    lone_starts: int = 0
    """How often it was taken up alone since it last came to rest."""
    created: float = 0.0
    """When it was accepted, in seconds since 1970."""
    ended_at: float | None = None
    traceparent: str | None = None
    """The W3C header of the span that called it."""
    versions: Mapping[str, str] = field(default_factory=dict[str, str])
    """What its teams were installed from when it began; empty if an earlier version kept it."""
    requester: str | None = None
    """The token that asked; None: it was asked without a server."""
    metadata: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """What a client says about it."""
    fence: int = 0
    """Of its latest lease."""
    idle_since: float | None = None
    """When it was decided about, or left by a process; None if nobody knows, or it is new."""

    @property
    def is_new(self) -> bool:
        """True if it waits in the queue and has never been at work."""
        return self.status == "queued" and self.reason is None

    @property
    def next_resume(self) -> int:
        """The number under which it goes on: 0 for the first time."""
        return self.resumes if self.is_new else self.resumes + 1

    @property
    def is_over(self) -> bool:
        """True if nothing of it can go on."""
        return self.status in IS_OVER

    @property
    def rests(self) -> bool:
        """True if the original of this restored store may have gone on with it."""
        return self.of_original and not self.is_over

    def check_owner(self) -> None:
        """Let nobody go on with a run that the original of a restored store may have gone on with.

        Raises:
            OriginalsRunError: it is such a run.
        """
        if self.rests:
            raise OriginalsRunError(self.run_id)

    def to_run(self) -> Run:
        """Return the run object; of a run that came to none, its status alone."""
        if self.run is not None and self.run.status == self.status and not self.rests:
            return self.run
        if self.run is not None:  # decided, and at work again; or nobody is to decide
            return self.run.model_copy(update={"status": self.status, "interrupts": ()})
        reason: Any = {"cancelled": "cancelled"}.get(self.status)
        return Run(run_id=self.run_id, thread_id=self.thread_id, status=self.status, reason=reason)


def find_run(connection: Connection, run_id: str, place: object) -> KeptRun | None:
    """Return a run that was accepted; None if there is none. `place` is named in errors.

    Raises:
        StateError: its row is damaged.
    """
    row = connection.execute(
        select(runs, turns.c.number, turns.c.turn)
        .join(turns, turns.c.run_id == runs.c.run_id, isouter=True)
        .where(runs.c.run_id == run_id)
    ).first()
    if row is None:
        return None
    kept = row_to_run(row, place)
    if kept.run is not None or kept.status not in IS_OVER:
        return kept
    did = {"effects": effects_of_run(connection, run_id)}
    return replace(kept, run=kept.to_run().model_copy(update=did))


def limits_to_row(limits: RunLimits) -> str:
    """Return limits as the ledger keeps them."""
    return json.dumps(asdict(limits))


def roots_to_row(roots: Collection[str] | None) -> str | None:
    """Return the roots that somebody may ask as the ledger keeps them; None: all."""
    return None if roots is None else json.dumps(sorted(roots))


def row_to_roots(text: str | None) -> frozenset[str] | None:
    """Return the roots that somebody may ask, from a row."""
    return None if text is None else frozenset(json.loads(text))


def in_sight(connection: Connection, run_id: str) -> ColumnElement[bool]:
    """Return what is true of the runs whose turns the run `run_id` may read."""
    its = connection.execute(select(runs.c.roots).where(runs.c.run_id == run_id)).scalar()
    return true() if its is None else runs.c.root.in_(sorted(row_to_roots(its) or ()))


def row_to_run(row: Any, place: object) -> KeptRun:
    """Return the run in a row of `runs`, joined with its turn and the turn's number.

    Raises:
        StateError: the row is damaged.
    """
    try:
        return KeptRun(
            run_id=row.run_id,
            thread_id=row.thread_id,
            root=row.root,
            status=row.status,
            reason=row.reason,
            task=Task.model_validate_json(row.task),
            limits=_limits(row.limits),
            used=Used.model_validate_json(row.used) if row.used else Used(),
            understanding=row.understood,
            resumes=row.resumes,
            number=row.number or 1,
            run=_run(row.run, row.turn) if row.run else None,
            roots=row_to_roots(row.roots),
            of_original=row.of_original,
            lone_starts=row.lone_starts,
            created=row.created,
            ended_at=row.ended,
            traceparent=row.traceparent,
            versions=json.loads(row.versions or "{}"),
            requester=row.requester,
            metadata=json.loads(row.metadata or "{}"),
            fence=row.fence,
        )
    except (ValidationError, ValueError, TypeError, AttributeError) as error:
        cause = " ".join(str(error).split())
        reason = f"holds a damaged row for the run `{row.run_id}`: {cause} Other runs are whole."
        raise StateError(place, reason) from error


def run_to_row(run: Run, turn: KeptTurn) -> str:
    """Return a run object as the ledger keeps it; if it is over, its turn alone has its answer.

    The latest hand-off of a kind is kept once.
    """
    is_in_turn = run.status in IS_OVER and turn.answer == run.answer
    kept_once = {kind: {-1: {"payload"}} for kind in run.handoffs}
    leave_out: dict[str, Any] = {"all_handoffs": kept_once, "answer": is_in_turn}
    return run.model_dump_json(exclude=leave_out, exclude_defaults=True)


def _run(text: str, turn: str | None) -> Run:
    told: dict[str, Any] = json.loads(text)
    if "answer" not in told and turn is not None:
        with suppress(ValidationError):  # the damage costs the turn alone
            told["answer"] = Turn.model_validate_json(turn).answer
    for artifact in told.get("artifacts", ()):  # the version before kept what `--json` prints
        artifact.setdefault("media_type", "text/plain")
    every = told.setdefault("all_handoffs", {})
    for kind, payload in told.get("handoffs", {}).items():
        every.setdefault(kind, [{}])[-1]["payload"] = payload  # that version kept no senders
    return Run.model_validate(told)


def _limits(text: str | None) -> RunLimits:
    known = {each.name for each in fields(RunLimits)}
    told: dict[str, Any] = json.loads(text) if text else {}
    return RunLimits(**{name: value for name, value in told.items() if name in known})


@dataclass(frozen=True, slots=True)
class RunHead:
    """What is known of a run before its state is read."""

    run_id: str
    thread_id: str
    root: str
    """The platform, or the team that was asked by itself."""
    status: str
    request: str
    """The words of its request; empty if they cannot be read."""
    tenant: str
    of_original: bool
    """True if it rests as long as it is open: see `KeptRun`."""
    reason: str | None
    requester: str | None
    """The token that asked; None: it was asked without a server."""
    created: float
    """When it was accepted, in seconds since 1970."""
    ended_at: float | None = None
    cancelled_by: str | None = None
    """Who cancelled it, if `heads_of` knows it."""


def named_run(connection: Connection, name: str, *, tenant: str | None = None) -> RunHead:
    """Return the run whose id is `name`, or the only one whose id begins so: of `tenant`, or any.

    Raises:
        UnknownRunError: there is none.
        RunError: there are several, or too little of an id was typed.
    """
    seen = select(runs).where(_of_tenant(tenant))
    whole = connection.execute(seen.where(runs.c.run_id == name)).first()
    if whole is not None:
        return to_head(whole)
    begins = seen.where(runs.c.run_id.startswith(name, autoescape=True))
    rows = connection.execute(begins.order_by(runs.c.run_id)) if name else ()
    found = [row for row in rows if row.run_id.startswith(name)]
    if not found:
        raise UnknownRunError(name)
    if len(found) > 1:
        names = ", ".join(row.run_id[: len(name) + 4] for row in found[:_MAX_NAMED])
        message = f"{len(found)} runs begin with `{name}`: {names}. Type more."
        raise RunError(message)
    if len(name) < _LEAST_CHARACTERS:
        message = (
            f"`{name}` is too short for a run's id. Type at least {_LEAST_CHARACTERS} characters."
        )
        raise RunError(message)
    return to_head(found[0])


def latest_run(connection: Connection, *, tenant: str | None = None) -> str | None:
    """Return the run that was accepted last, of `tenant` or of all; None if there is none."""
    newest = (
        select(runs.c.run_id)
        .join_from(runs, turns, turns.c.run_id == runs.c.run_id)
        .where(_of_tenant(tenant))
        .order_by(turns.c.place.desc())
    )
    return connection.execute(newest.limit(1)).scalar()


def heads_of(
    connection: Connection, its: ColumnElement[bool], *, tenant: str | None = None
) -> dict[str, RunHead]:
    """Return the runs of which `its` is true, by their ids, the latest one first."""
    query = select(runs).join_from(runs, turns, turns.c.run_id == runs.c.run_id, isouter=True)
    mine = its & _of_tenant(tenant)
    rows = connection.execute(query.where(mine).order_by(turns.c.place.desc()))
    heads = {row.run_id: to_head(row) for row in rows}
    for run_id, name in cancelled_by(connection, mine).items():
        heads[run_id] = replace(heads[run_id], cancelled_by=name)
    return heads


def _of_tenant(tenant: str | None) -> ColumnElement[bool]:
    return true() if tenant is None else runs.c.tenant == tenant


def to_head(row: Row[Any]) -> RunHead:
    """Return what a row of `runs` says of its run."""
    its = (row.run_id, row.thread_id, row.root, row.status, request_in(row.task))
    more = (row.tenant, row.of_original, row.reason, row.requester, row.created, row.ended)
    return RunHead(*its, *more)


def request_in(task: str) -> str:
    """Return the words of a task as it is kept; empty if they cannot be read."""
    try:
        return str(json.loads(task)["request"])
    except (TypeError, ValueError, KeyError):  # a damaged row; `minerva doctor` names it
        return ""
