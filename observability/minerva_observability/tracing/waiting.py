"""Record what a run waits for, that it waits for a person, and what the person decided.

Each wait is a row of its own, `wait`, so it never counts as time in which an agent worked. The rows
`pause` and `decision` are moments of the run and take no time. The id of each row about a question
follows from the run and the question. A step that is repeated after a crash therefore writes the
same row again, and readers count it once.
"""

import hashlib
from typing import Final, TypedDict

from minerva_observability.records.record import CommonFields, Kind, Record, WaitReason, called_name
from minerva_observability.tracing.scope import current_scope, record_span
from minerva_observability.tracing.span import Span, current_span

_NS: Final = 1_000_000_000


class Waiting(TypedDict):
    """Who waits, by its place in the run."""

    path: str
    team: str
    agent_name: str


def record_wait(reason: WaitReason, who: Waiting | None = None) -> Span:
    """Return the span of a wait, to be entered with `with`; the innermost span's by default."""
    around = current_span()
    if who is not None:
        return record_span(kind="wait", reason=reason, **who)
    span = record_span(kind="wait", path=around.path if around else "", reason=reason)
    span.set_as(around, "team", "agent_name")
    return span


def record_earlier_wait(reason: WaitReason, *, path: str, began: float, until: float) -> None:
    """Record a wait before the run began here, from `began` to `until` in seconds since 1970."""
    key = f"{reason} {scope.resume_no}" if (scope := current_scope()) else reason
    _record("wait", {"reason": reason}, path=path, key=key, at=began, until=until)


def record_pause(*, path: str, interrupt_id: str, asked: float, team: str | None = None) -> None:
    """Record that the worker at `path` asked a person; call it when the question is kept.

    `path` is the hop path of the worker, `interrupt_id` the id of the question, `asked` when it
    was asked in seconds since 1970, `team` the worker's if the path does not say it. What is asked
    is never recorded. The row belongs to the current scope; outside any `RunScope` nothing is
    recorded.
    """
    about = _about(interrupt_id, team)
    _record("pause", about, path=path, key=interrupt_id, at=asked)


def record_decision(
    *,
    path: str,
    interrupt_id: str,
    decision: str,
    by: str,
    asked: float,
    at: float,
    team: str | None = None,
) -> None:
    """Record that a person decided; call it when the decision is given to the run.

    `decision` is its type (`approve`, `edit`, `reject`, `respond`), `by` who made it. `asked` and
    `at` are when the question was asked and decided, in seconds since 1970; a clock that was set
    back between them makes a wait of 0. The value of a decision is never recorded. The row belongs
    to the current scope; outside any `RunScope` nothing is recorded.
    """
    about, waited_ms = _about(interrupt_id, team), round(max(at - asked, 0.0) * 1e3, 3)
    more: CommonFields = {"waited_ms": waited_ms, "decision": {"type": decision, "by": by}}
    _record("decision", {**about, **more}, path=path, key=interrupt_id, at=at)
    _record("wait", {**about, "reason": "person"}, path=path, key=interrupt_id, at=asked, until=at)


def _about(interrupt_id: str, team: str | None) -> CommonFields:
    about: CommonFields = {"interrupt_id": interrupt_id}
    if team is not None:
        about["team"] = team
    return about


def _record(
    kind: Kind, about: CommonFields, *, path: str, key: str, at: float, until: float = 0.0
) -> None:
    """Record a row that took the time from `at` to `until`, if that is later."""
    scope, around = current_scope(), current_span()
    if scope is None:
        return
    supervisor, _, worker = path.rpartition("/")
    names: CommonFields = {"team": called_name(supervisor or path)}
    if supervisor:
        names["agent_name"] = called_name(worker)
    names.update(about)
    number = f"{kind} {scope.run_id} {key}"
    scope.deliver(
        Record(
            started_ns=round(at * _NS),
            duration_ns=max(round(until * _NS) - round(at * _NS), 0),
            self_ns=0,
            run_id=scope.run_id,
            thread_id=scope.thread_id,
            resume_no=scope.resume_no,
            traceparent=scope.traceparent,
            span_id=hashlib.sha256(number.encode()).hexdigest()[:16],
            parent_id=around.span_id if around is not None and around.scope is scope else None,
            path=path,
            kind=kind,
            status="paused" if kind == "pause" else "ok",
            **names,
        )
    )
