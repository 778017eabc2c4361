"""The row of schema 1."""

import json
from dataclasses import fields
from typing import get_type_hints

from minerva_observability import MemorySink, Record, record_span
from minerva_observability.records import RecordRow, SpanFields
from minerva_observability.testing import ManualClock, still_scope


def test_a_row_holds_what_applies_and_nothing_else() -> None:
    """Absent means not applicable: a reader never meets a null."""
    clock, sink = ManualClock(), MemorySink()

    with still_scope(sink, clock).bound(), record_span(kind="run", path="platform") as span:
        clock.advance(1_234.5678)
        span.set(agent_name="platform_supervisor", status="ok_degraded", reason="substituted")

    assert sink.records[0].to_json_dict() == {
        "schema": 2,
        "timestamp": "2025-01-01T00:00:01.234Z",
        "started_at": "2025-01-01T00:00:00.000Z",
        "ms": 1234.568,
        "self_ms": 1234.568,
        "run_id": "ab" * 16,
        "thread_id": "thread",
        "span_id": "0000000000000001",
        "path": "platform",
        "kind": "run",
        "status": "ok_degraded",
        "agent_name": "platform_supervisor",
        "reason": "substituted",
    }


def test_record_row_and_owner_fields_name_the_same_things() -> None:
    """Three spellings of one schema may not drift apart."""
    in_record = {field.name for field in fields(Record)}
    in_row = set(get_type_hints(RecordRow))

    assert set(get_type_hints(SpanFields)) <= in_record
    assert in_record - {"started_ns", "duration_ns", "self_ns"} == in_row - {
        "schema",
        "timestamp",
        "started_at",
        "ms",
        "self_ms",
    }


def test_a_full_row_is_json() -> None:
    """Every field of the schema reaches the line."""
    clock, sink = ManualClock(), MemorySink()
    owner: SpanFields = {
        "team": "data",
        "agent_name": "retrieval_agent",
        "node": "retrieve",
        "status": "failed",
        "reason": "no_route",
        "attempt": 2,
        "router": "embedded",
        "arm": "a",
        "decision": {"goals": ["data"], "scores": {"data": 0.75}, "margin": 0.5},
        "model": "m",
        "prompt_tokens": 10,
        "completion_tokens": 5,
        "cost": 0.25,
        "action": "bypassed",
        "error": {"type": "ValueError", "message": "no"},
        "waited_ms": 12.5,
        "interrupt_id": "i1",
        "request_sha256": "00",
    }

    with still_scope(sink, clock).bound(), record_span(kind="route", path="platform", **owner):
        pass

    row = json.loads(json.dumps(sink.records[0].to_json_dict()))
    assert {name: row[name] for name in owner} == owner
