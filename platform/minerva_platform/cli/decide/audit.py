"""`minerva audit`: all decisions about runs' questions, for an auditor, one JSON object a line.

A line says what was asked, the digest of what was shown, what was decided, who decided and when,
and what was done then. Secrets and personal data are masked, as in the records.
"""

from collections.abc import Iterator
from datetime import UTC, datetime
from functools import partial
from typing import Any

from sqlalchemy import Connection, select

from minerva_observability import Masking
from minerva_platform.cli.io.escape import harmless_json
from minerva_platform.cli.io.options import AuditOptions
from minerva_platform.cli.io.stream import write_text
from minerva_platform.cli.maintenance.open_store import OpenedStore, opened_store
from minerva_platform.cli.records.stats import text_to_moment
from minerva_platform.contract.run_object import Interrupt
from minerva_platform.contract.values import Effect
from minerva_platform.storage.ledger.effects import effects_of_run
from minerva_platform.storage.ledger.questions import KeptDecision, decisions_of, questions_of
from minerva_platform.storage.ledger.run_row import RunHead, heads_of
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
        look = partial(_decided, store=store, since=since, tenant=options.tenant)
        lines = store.engine.read(look, empty=list[tuple[float, dict[str, Any]]]())
    for _, line in sorted(lines, key=lambda each: each[0]):
        write_text(harmless_json(line))


def _decided(
    connection: Connection, store: OpenedStore, since: float, tenant: str | None
) -> list[tuple[float, dict[str, Any]]]:
    """Return each decision with its time."""
    lately = select(decisions.c.run_id).where(decisions.c.at >= since)
    heads = heads_of(connection, runs.c.run_id.in_(lately), tenant=tenant)
    masking, found = Masking(), list[tuple[float, dict[str, Any]]]()
    for head in heads.values():
        asked, kept = questions_of(connection, head.run_id), decisions_of(connection, head.run_id)
        pairs = [(asked.get(each), decision) for each, decision in kept.items()]
        did = dict(_deeds(pairs, effects_of_run(connection, head.run_id)))
        for question, decision in pairs:
            if decision.at >= since:
                effects = did.get(decision.interrupt_id, [])
                line = _to_line(head, question, decision, effects, masking)
                found.append((decision.at, line | {"request": store.words(head.request)}))
    return found


def _deeds(
    pairs: list[tuple[Interrupt | None, KeptDecision]], effects: tuple[Effect, ...]
) -> Iterator[tuple[str, list[Effect]]]:
    """Yield what was done after each decision.

    An effect is that of the latest decision before it that let its worker go on; of decisions in
    one batch, of the one about its arguments.
    """
    mine: dict[str, list[Effect]] = {}
    for effect in effects:
        before = [
            (_arguments(question, decision) == effect.arguments, decision.at, decision.interrupt_id)
            for question, decision in pairs
            if question is not None
            and question.path == effect.path
            and decision.at <= effect.at
            and decision.decision["type"] != "reject"
        ]
        if before:
            mine.setdefault(max(before)[-1], []).append(effect)
    yield from mine.items()


def _arguments(question: Interrupt, decision: KeptDecision) -> Any:
    return decision.decision.get("edited_action", {}).get("args", question.arguments)


def _to_line(
    head: RunHead,
    question: Interrupt | None,
    decision: KeptDecision,
    effects: list[Effect],
    masking: Masking,
) -> dict[str, Any]:
    told = {
        "question": question and question.model_dump(mode="json", exclude={"shown_sha256"}),
        "decision": dict(decision.decision),
        "effects": [effect.model_dump(mode="json") for effect in effects],
    }
    return {
        "at": datetime.fromtimestamp(decision.at, UTC).isoformat(timespec="milliseconds"),
        "by": decision.by,
        "tenant": head.tenant,
        "run_id": head.run_id,
        "thread_id": shown_id(head.thread_id),
        "requester": head.requester,
        "shown_sha256": decision.shown_sha256,
        **masking.mask_value(told),
    }
