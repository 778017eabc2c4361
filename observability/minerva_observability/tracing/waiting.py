"""Record that a run waits for a person, and what the person decided.

Both rows are moments of the run and take no time: the wait is a field of its own, `waited_ms`, so
the hours of a person never count as time in which an agent worked. The id of each row follows from
the run and the question. A step that is repeated after a crash therefore writes the same row again,
and readers count it once.
"""

import hashlib
from typing import Final

from minerva_observability.records.record import Kind, Record, Status, called_name
from minerva_observability.tracing.scope import current_scope
from minerva_observability.tracing.span import current_span

_NS: Final = 1_000_000_000


def record_pause(*, path: str, interrupt_id: str, asked: float) -> None:
    """Record that the worker at `path` asked a person; call it when the question is kept.

    `path` is the hop path of the worker, `interrupt_id` the id of the question, `asked` when it
    was asked in seconds since 1970. What is asked is never recorded. The row belongs to the
    current scope; outside any `RunScope` nothing is recorded.
    """
    _record("pause", path=path, interrupt_id=interrupt_id, status="paused", at=asked)


def record_decision(
    *, path: str, interrupt_id: str, decision: str, by: str, asked: float, at: float
) -> None:
    """Record that a person decided; call it when the decision is given to the run.

    `decision` is its type (`approve`, `edit`, `reject`, `respond`), `by` who made it. `asked` and
    `at` are when the question was asked and decided, in seconds since 1970; a clock that was set
    back between them makes a wait of 0. The value of a decision is never recorded. The row belongs
    to the current scope; outside any `RunScope` nothing is recorded.
    """
    _record(
        "decision",
        path=path,
        interrupt_id=interrupt_id,
        status="ok",
        at=at,
        waited_ms=round(max(at - asked, 0.0) * 1e3, 3),
        decision={"type": decision, "by": by},
    )


def _record(
    kind: Kind,
    *,
    path: str,
    interrupt_id: str,
    status: Status,
    at: float,
    waited_ms: float | None = None,
    decision: dict[str, str] | None = None,
) -> None:
    scope, around = current_scope(), current_span()
    if scope is None:
        return
    supervisor, _, worker = path.rpartition("/")
    scope.deliver(
        Record(
            started_ns=round(at * _NS),
            duration_ns=0,
            self_ns=0,
            run_id=scope.run_id,
            thread_id=scope.thread_id,
            resume_no=scope.resume_no,
            span_id=hashlib.sha256(f"{kind} {scope.run_id} {interrupt_id}".encode()).hexdigest()[
                :16
            ],
            parent_id=around.span_id if around is not None and around.scope is scope else None,
            path=path,
            kind=kind,
            status=status,
            team=called_name(supervisor) or None,
            agent_name=called_name(worker),
            interrupt_id=interrupt_id,
            decision=decision,
            waited_ms=waited_ms,
        )
    )
