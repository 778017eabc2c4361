"""What was bypassed is the same figure wherever it is asked for, and the one counted by hand."""

import asyncio
import json
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

import duckdb
import pytest
from busy_office import helped, shown

from minerva_observability import (
    MemorySink,
    Metrics,
    RunScope,
    SpanStore,
    build_recorder,
    record_span,
)
from minerva_observability.compaction import compact_records
from minerva_observability.metrics import PrometheusPage
from minerva_platform import Task, Team
from minerva_platform.cli.records.figure_options import StatsOptions
from minerva_platform.cli.records.stats import told_of
from minerva_platform.cli.records.stats_export import report_to_json
from minerva_platform.contract.run_object import Event, Run
from minerva_platform.durable.active_run import run_team
from minerva_platform.durable.events import EventRecorder
from minerva_platform.errors import LeaseLostError
from minerva_platform.run_context.recorded_failures import mark_failed
from minerva_platform.runtime.run_options import RunOptions
from minerva_platform.testing import ScriptedRouter, StubAgent

OUTAGE: Final = ("it cannot be reached (ConnectError).", "it rests for 30 s more.", "it failed: 7.")
"""What is said of one model in three runs, and by three different workers."""
RUNS: Final = (
    # who is asked, and how the run ends
    ("helped_a", "ok_degraded"),
    ("helped_b", "ok_degraded"),
    ("helped_c", "ok_degraded"),
    ("flaky steady", "ok_degraded"),
    ("flaky", "ok_degraded"),
    ("steady", "ok"),
    ("broken steady", "ok_degraded"),
    ("broken", "failed"),
    ("flaky_too", "failed"),
)
BY_HAND: Final = {
    "bypasses": 6,  # three by the outage, two of `flaky`, one of `broken`
    "failures": 6,  # `flaky` and `broken` twice, `flaky_too` and its substitute
    "runs_with_failure": 8,
    "runs_answered": 6,
    "causes": 5,  # the model, `flaky`, `broken`, `flaky_too`, `worse`
    "stopped": 3,  # `broken` alone; `flaky_too` and `worse`, which stood in for it
}


def failing(name: str) -> StubAgent:
    """Return a worker that fails, in other words each time."""
    calls = [0]

    def fail(_: Any) -> None:
        calls[0] += 1
        message = f"{name} has lost row {calls[0]}"
        raise ValueError(message)

    return StubAgent(name, behave=fail)


def recorded(home: Path) -> list[Run]:
    """Record the runs."""
    recorder = build_recorder(home)
    workers = [helped(f"helped_{part}", why) for part, why in zip("abc", OUTAGE, strict=True)]
    workers += [failing(name) for name in ("flaky", "broken", "flaky_too", "worse")]
    workers += [StubAgent("spare"), StubAgent("steady")]
    runs: list[Run] = []
    for wanted, _ in RUNS:
        team = Team(
            name="t",
            description="…",
            members=workers,
            router=ScriptedRouter([*wanted.split(), "FINISH"]),
            substitutes={"flaky": "spare", "flaky_too": "worse"},
        )
        options = RunOptions(recorder=recorder)
        runs.append(asyncio.run(run_team(team.assembled, Task(request="go"), options)))
    recorder.close()
    return runs


@pytest.mark.parametrize("is_compacted", [False, True])
def test_every_view_says_what_was_counted_by_hand(
    minerva_home: Path, *, is_compacted: bool
) -> None:
    """Figures of `stats`, pages, Prometheus, and SQL and Python over the rows."""
    minerva_home.mkdir()
    feed = PrometheusPage(minerva_home)
    runs = recorded(minerva_home)
    page = feed.text()[0].decode()
    feed.close()
    assert [run.status for run in runs] == [status for _, status in RUNS]
    actions = {entry.action for run in runs if run.status == "failed" for entry in run.bypassed}
    assert actions == {"stopped"}

    went_on = ("bypassed", "substituted", "skipped", "left_out")
    by_label = (shown(page, "minerva_failures_total", f'minerva_action="{one}"') for one in went_on)
    assert sum(by_label) == BY_HAND["bypasses"]
    failed = shown(
        page, "minerva_failures_total", 'minerva_kind="agent"', 'minerva_status="failed"'
    )
    assert failed == BY_HAND["failures"]

    if is_compacted:
        assert compact_records(minerva_home).segments
        [file] = (minerva_home / "runs").glob("*.parquet")
        source = f"read_parquet('{file}')"
    else:
        file = minerva_home / "runs.jsonl"
        source = f"read_json('{file}', format = 'newline_delimited')"
        rows = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
        begun = [row for row in rows if "because_of" not in row]
        assert sum(row.get("action") in went_on for row in begun) == BY_HAND["bypasses"]
        of_members = [row for row in begun if row["kind"] == "agent"]
        stopped = [row for row in of_members if row.get("action") == "stopped"]
        assert len(stopped) == BY_HAND["stopped"]
        assert {row["agent_name"]: row.get("substitute") for row in stopped} == {
            "broken": None,
            "flaky_too": "worse",
            "worse": None,
        }
    found: Any = duckdb.sql(
        f"SELECT count(*) FROM {source} WHERE because_of IS NULL AND action IN {went_on}"  # noqa: S608
    )
    assert found.fetchall() == [(BY_HAND["bypasses"],)]

    totals = report_to_json(told_of(StatsOptions()))["totals"]
    names = ("bypasses", "failures", "runs_with_failure", "runs_answered", "causes")
    assert {name: totals[name] for name in names} == {name: BY_HAND[name] for name in names}
    assert totals["bypasses_of_schema_1"] == 0
    with SpanStore(minerva_home) as store:
        store.refresh()
        asked = Metrics(store)
        causes = [(each.count, each.runs) for each in asked.overview().bypassed]
        listed = asked.runs(limit=100).runs
        assert sum(each.bypasses for each in asked.figures("team")) == BY_HAND["bypasses"]
    assert sorted(causes) == [(1, 1), (2, 2), (3, 3)]
    assert sum(run.bypasses for run in listed) == BY_HAND["bypasses"]
    assert not any(run.bypasses for run in listed if run.status == "failed")


def test_a_call_of_a_run_that_was_taken_over_has_not_failed() -> None:
    """Another process goes on with it: the row says so, and no figure counts a failure."""
    sink = MemorySink()
    lost = LeaseLostError("thread")
    with (
        RunScope(recorder=sink).bound(),
        suppress(LeaseLostError),
        record_span(kind="agent", path="t/worker", agent_name="worker") as span,
    ):
        mark_failed(span, lost)
        raise lost

    [row] = sink.records
    assert (row.status, row.reason, row.error, row.action) == ("skipped", "lease_lost", None, None)


@pytest.mark.parametrize(("end", "told"), [("ok_degraded", ["call_bypassed"]), ("failed", [])])
def test_nobody_who_watches_is_told_too_early(end: Any, told: list[str]) -> None:
    """That a call failed is told at once; that the run went on without it, when it has."""
    log: Any = SimpleNamespace(add=(events := list[Event]()).append)
    recorder = EventRecorder(MemorySink(), log, teams=("t",))
    with RunScope(recorder=recorder).bound(), record_span(kind="run", path="t") as run:
        with record_span(kind="agent", path="t/worker") as span:
            span.set(status="failed", action="bypassed")
        assert [event.type for event in events] == ["run_started", "call_started", "call_failed"]
        run.set(status=end)

    assert [event.type for event in events[3:]] == told
