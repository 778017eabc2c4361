"""Records of a run that another process went on with while the first one stood still."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from forms import each_with

from minerva_observability import Metrics, SpanStore, find_run, list_runs
from minerva_observability.compaction import compact_records

RUN = "ab" * 16
SUPERVISOR = {"path": "shop", "agent_name": "shop_supervisor", "team": "shop"}
LOST = {"error": {"type": "LeaseLostError", "message": "taken over"}}


def row(number: int, at: float, part: int, **fields: Any) -> dict[str, Any]:
    """Return a span of `ms` (100) that ended `at` seconds after ten, of a part of the run."""
    ms = fields.pop("ms", 100.0)
    resumed = {"resume_no": part} if part else {}
    return {
        "schema": 1,
        "timestamp": f"2026-01-01T10:00:{at:06.3f}Z",
        "started_at": f"2026-01-01T10:00:{at - ms / 1000:06.3f}Z",
        "ms": ms,
        "self_ms": ms,
        "run_id": RUN,
        "span_id": f"{number:016x}",
        "path": "shop/payer",
        "agent_name": "payer",
        "team": "shop",
        "kind": "agent",
        "status": "ok",
        **resumed,
        **fields,
    }


BEFORE = [row(1, 1.0, 0, path="shop/asker", agent_name="asker")]
"""What the first process did before it stood still."""
OTHER = [
    row(2, 11.0, 1, decision={"effects": [{"name": "pay", "key": "k", "outcome": "done"}]}),
    row(3, 12.0, 1, kind="run", ms=2_000.0, **SUPERVISOR),
]
"""What the other one did, from the tenth second on."""
LATE = {
    "failed": [
        row(4, 13.0, 0, status="timeout", action="bypassed", ms=11_000.0, **LOST),
        row(5, 13.1, 0, kind="node", node="act", status="failed", ms=11_000.0, **LOST),
        row(6, 13.2, 0, kind="model", model="m", ms=900.0, prompt_tokens=7, completion_tokens=2),
        row(7, 13.4, 0, kind="run", status="failed", action="stopped", ms=13_000.0, **SUPERVISOR),
    ],
    "not_kept": [
        row(4, 13.0, 0, ms=11_000.0),
        row(7, 13.4, 0, kind="run", status="ok_degraded", ms=13_000.0, **SUPERVISOR),
    ],
    "skipped": [
        row(4, 10.5, 0, status="skipped", reason="cancelled", ms=9_000.0),
        row(7, 10.6, 0, kind="run", status="skipped", reason="lease_lost", **SUPERVISOR),
    ],
}
"""What the first one has recorded once it went on; the last kind before the other has ended."""


def write(file: Path, rows: Sequence[dict[str, Any]]) -> None:
    """Append rows."""
    with file.open("a", encoding="utf-8") as lines:
        lines.writelines(json.dumps(row) + "\n" for row in rows)


@pytest.mark.parametrize(
    ("late", "layout"), each_with(LATE, ["one_file", "two_files", "compacted", "late_alone"])
)
def test_a_run_that_was_taken_over_is_what_the_other_process_made_of_it(
    tmp_path: Path, late: str, layout: str
) -> None:
    """In the list, on its page and in the figures; only its tokens are added."""
    file = tmp_path / "runs.jsonl"
    write(file, [*BEFORE, *OTHER])
    if layout in {"compacted", "late_alone"}:
        compact_records(tmp_path)
    write(tmp_path / "runs.2.jsonl" if layout == "two_files" else file, LATE[late])
    if layout == "compacted":
        compact_records(tmp_path)

    (listed,) = list_runs(tmp_path).runs
    kept = {each["span_id"][-1] for each in find_run(tmp_path, RUN).rows}
    with SpanStore(tmp_path) as store:
        store.refresh()
        totals = Metrics(store).totals()
        (found,) = Metrics(store).runs().runs
        failures = Metrics(store).failures()
        (payer,) = (each for each in Metrics(store).figures("agent") if each.name == "payer")

    assert (listed.status, listed.reason, listed.failures) == ("ok", None, 0)
    assert (listed.hops, listed.ms) == (2, 2_000.0)
    assert kept == {"1", "2", "3", *(["6"] if late == "failed" else [])}
    assert (totals.statuses, totals.failures, totals.bypasses) == ({"ok": 1}, 0, 0)
    assert (totals.run_ms, totals.prompt_tokens) == (2_000.0, 7 if late == "failed" else 0)
    assert (found.status, found.reason, found.workers, found.failures) == ("ok", None, 2, 0)
    assert (failures, payer.calls, payer.failures) == ((), 1, 0)


def test_records_that_come_one_after_the_other_say_the_same(tmp_path: Path) -> None:
    """A store that is open while the first process goes on leaves its late rows out, too."""
    with SpanStore(tmp_path) as store:
        for rows in (BEFORE, OTHER, LATE["failed"]):
            write(tmp_path / "runs.jsonl", rows)
            store.refresh()
            told = Metrics(store).totals()

    assert (told.statuses, told.failures, told.worker_calls) == ({"ok": 1}, 0, 2)


def test_a_part_that_asked_a_person_counts_whatever_the_clocks_say(tmp_path: Path) -> None:
    """A host whose clock is behind went on with it; a run that was cut off keeps what it did."""
    asked = row(3, 13.0, 0, kind="run", status="needs_human", **SUPERVISOR)
    write(tmp_path / "runs.jsonl", [*BEFORE, row(9, 12.9, 0), asked, *OTHER[:1]])
    write(tmp_path / "runs.jsonl", [row(8, 12.5, 1, kind="run", ms=2_000.0, **SUPERVISOR)])

    (listed,) = list_runs(tmp_path).runs
    with SpanStore(tmp_path) as store:
        store.refresh()
        told = Metrics(store).totals()

    assert (listed.status, listed.hops, told.statuses, told.worker_calls) == ("ok", 3, {"ok": 1}, 3)
