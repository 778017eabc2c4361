"""`minerva audit`: all decisions about runs' questions, for an auditor, one JSON object a line.

A line says what was asked, the digest of what was shown, what was decided, who decided and when,
and what was done then. Secrets and personal data are masked, as in the records.
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any

from sqlalchemy import Connection, select

from minerva_observability import Masking
from minerva_observability.tracing import mask_text
from minerva_platform.cli.decide.commands import AuditOptions
from minerva_platform.cli.io.escape import harmless_json
from minerva_platform.cli.io.stream import write_text
from minerva_platform.cli.maintenance.open_store import OpenedStore, opened_store
from minerva_platform.cli.records.stats import text_to_moment
from minerva_platform.contract.run_object import Interrupt
from minerva_platform.contract.values import Effect
from minerva_platform.storage.ledger.effects import effects_of_run
from minerva_platform.storage.ledger.questions import KeptDecision, decisions_of, questions_of
from minerva_platform.storage.ledger.run_row import heads_of
from minerva_platform.storage.ledger.schema import decisions, runs
from minerva_platform.storage.server.tenant_rows import shown_id


def print_decisions(options: AuditOptions) -> None:
    """Print the decisions since a time, of a tenant or of all, the oldest first.

    Raises:
        MomentError: the time cannot be understood.
        StateError: the store cannot be read.
    """
    since = 0.0
    if options.since is not None:
        now = datetime.now(UTC)
        since = text_to_moment(options.since, option="--since", now=now).timestamp()
    with opened_store(options.config) as store:
        if store is None:
            return
        look = partial(_look, store=store, since=since, tenant=options.tenant)
        lines = store.engine.read(look, empty=list[dict[str, Any]]())
    for line in sorted(lines, key=lambda each: str(each["at"])):
        write_text(harmless_json(line))


def _look(
    connection: Connection, store: OpenedStore, since: float, tenant: str | None
) -> list[dict[str, Any]]:
    """Return a line for each decision, and for each run that somebody cancelled."""
    lately = select(decisions.c.run_id).where(decisions.c.at >= since)
    is_cancelled = (runs.c.status == "cancelled") & (runs.c.ended >= since)
    masking, lines = Masking(), list[dict[str, Any]]()
    for head in heads_of(
        connection, runs.c.run_id.in_(lately) | is_cancelled, tenant=tenant
    ).values():
        questions = questions_of(connection, head.run_id)
        choices = decisions_of(connection, head.run_id)
        pairs = [(questions.get(each), decision) for each, decision in choices.items()]
        if head.cancelled_by is not None:
            by, at = head.cancelled_by, head.ended_at or 0.0
            pairs.append((None, KeptDecision("", {"type": "cancel"}, by, "", at)))
        deeds: dict[str, list[Any]] = {}
        for effect in effects_of_run(connection, head.run_id):
            if (cause := _decision_behind(effect, pairs)) is not None:
                deeds.setdefault(cause, []).append(effect.model_dump(mode="json"))
        for question, decision in pairs:
            if decision.at >= since:
                parts = {
                    "question": question and question.model_dump(mode="json"),
                    "decision": dict(decision.decision),
                    "effects": deeds.get(decision.interrupt_id, []),
                }
                line = {
                    "at": datetime.fromtimestamp(decision.at, UTC).isoformat(),
                    "by": decision.by,
                    "tenant": head.tenant,
                    "run_id": head.run_id,
                    "thread_id": mask_text(shown_id(head.thread_id)),
                    "requester": head.requester,
                    "request": store.words(head.request),
                    "shown_sha256": decision.shown_sha256,
                }
                lines.append(line | masking.mask_value(parts))
    return lines


def _decision_behind(
    effect: Effect, pairs: Sequence[tuple[Interrupt | None, KeptDecision]]
) -> str | None:
    """Return the question whose decision let the effect happen: the latest one before it.

    Of several it is the one about its arguments; those of the effect are kept without secrets.
    """
    before: list[tuple[int, float, str]] = []
    for question, decision in pairs:
        is_no = decision.decision["type"] == "reject" or decision.at > effect.at
        if question is not None and question.path == effect.path and not is_no:
            change = decision.decision.get("edited_action", {})
            arguments = change.get("args", question.arguments)
            same = sum(effect.arguments.get(name) == each for name, each in arguments.items())
            before.append((same, decision.at, decision.interrupt_id))
    return max(before)[-1] if before else None
