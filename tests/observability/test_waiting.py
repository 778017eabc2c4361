"""A run that waits for a person: what is recorded, and that its wait counts as nobody's work."""

from pathlib import Path

import pytest

from minerva_observability import (
    MemorySink,
    Metrics,
    Record,
    RunScope,
    SpanStore,
    build_recorder,
    find_run,
    list_runs,
    record_decision,
    record_pause,
    record_span,
)
from minerva_observability.compaction import compact_records
from minerva_observability.records import record_files
from minerva_observability.records.record import Status
from minerva_observability.testing import ManualClock
from minerva_observability.tracing import Recorder, Span

RUN = "ab" * 16
ASKER = "platform/finance/payment_agent"
HOUR_MS = 3_600_000


def waited_run(recorder: Recorder, *, resumed: bool = True) -> None:
    """Record a run that works 30 ms, waits two hours for Kim, and works 40 ms more."""
    day = ManualClock()
    first = RunScope(recorder=recorder, run_id=RUN, clock=day.as_clock())
    with first.bound(), record_span(kind="run", path="platform", status="needs_human"):
        day.advance(10)
        with worker(status="paused"):
            day.advance(20)
        asked = day.now_ns / 1e9
        record_pause(path=ASKER, interrupt_id="i1", asked=asked)
    if not resumed:
        return
    day.advance(2 * HOUR_MS)
    second = RunScope(recorder=recorder, run_id=RUN, clock=day.as_clock(), resume_no=1)
    with second.bound(), record_span(kind="run", path="platform"):
        record_decision(
            path=ASKER,
            interrupt_id="i1",
            decision="edit",
            by="kim",
            asked=asked,
            at=day.now_ns / 1e9,
        )
        with worker():
            day.advance(40)


def worker(status: Status = "ok") -> Span:
    """Return the span of the worker that asks."""
    return record_span(
        kind="agent",
        path=ASKER,
        team="finance",
        agent_name="payment_agent",
        status=status,
    )


def recorded() -> list[Record]:
    """Return the records of the run."""
    sink = MemorySink()
    waited_run(sink)
    return sink.records


def test_a_question_and_its_answer_are_moments_of_the_run() -> None:
    """They name who waits, the question's id, what was decided and by whom. They take no time."""
    pause, decision = (row for row in recorded() if row.kind in {"pause", "decision"})

    assert (pause.path, pause.agent_name, pause.team) == (ASKER, "payment_agent", "finance")
    assert (pause.status, pause.interrupt_id, pause.waited_ms) == ("paused", "i1", None)
    assert (decision.status, decision.interrupt_id) == ("ok", "i1")
    assert decision.decision == {"type": "edit", "by": "kim"}
    assert decision.waited_ms == pytest.approx(2 * HOUR_MS, abs=1)
    assert (pause.ms, decision.ms, decision.self_ms) == (0, 0, 0)


def test_all_rows_of_a_resumed_part_say_how_often_it_was_resumed() -> None:
    """The question's part has no number, that of its answer has 1; the run's id stays."""
    rows = recorded()

    assert [row.resume_no for row in rows if row.kind != "decision"] == [None] * 3 + [1] * 3
    assert next(row.resume_no for row in rows if row.kind == "decision") == 1
    assert {row.run_id for row in rows} == {RUN}


def test_a_step_that_a_crash_repeats_records_its_question_once(tmp_path: Path) -> None:
    """The id of the row follows from the run and the question."""
    recorder = build_recorder(tmp_path)
    scope = RunScope(recorder=recorder, run_id=RUN)
    for _ in range(3):
        with scope.bound():
            record_pause(path=ASKER, interrupt_id="i1", asked=100.0)
            record_decision(
                path=ASKER, interrupt_id="i1", decision="approve", by="kim", asked=100.0, at=101.0
            )
    recorder.close()
    with SpanStore(tmp_path) as store:
        store.refresh()
        totals = Metrics(store).totals()

    assert [row["kind"] for row in find_run(tmp_path, RUN).rows] == [*("pause", "decision", "wait")]
    assert (totals.asked, totals.decided, totals.waited_ms) == (1, 1, 1_000)


def test_a_clock_that_was_set_back_makes_no_wait_below_zero() -> None:
    """A duration below zero would spoil the line."""
    sink = MemorySink()
    with RunScope(recorder=sink).bound():
        record_decision(
            path=ASKER, interrupt_id="i1", decision="reject", by="expiry", asked=9_000.0, at=100.0
        )

    assert sink.records[0].waited_ms == 0


def test_outside_a_run_nothing_is_recorded() -> None:
    """A question that is kept by a tool without a run has nowhere to stand."""
    record_pause(path=ASKER, interrupt_id="i1", asked=1.0)


def test_the_hours_of_a_person_are_in_no_figure_of_an_agent(tmp_path: Path) -> None:
    """The worker took 40 ms and the run 70; the two hours stand by themselves."""
    recorder = build_recorder(tmp_path)
    waited_run(recorder)
    recorder.close()
    with SpanStore(tmp_path) as store:
        store.refresh()
        metrics = Metrics(store)
        totals, agents = metrics.totals(), {each.name: each for each in metrics.figures("agent")}
        page = metrics.runs()

    asker = agents["payment_agent"]
    assert (asker.calls, asker.pauses, asker.max_ms, asker.total_ms) == (1, 1, 40, 60)
    assert asker.waited_ms == totals.waited_ms == pytest.approx(2 * HOUR_MS, abs=1)
    assert (totals.run_ms, totals.run_p95_ms, totals.runs) == (70, 70, 1)
    assert (totals.asked, totals.decided, dict(totals.statuses)) == (1, 1, {"ok": 1})
    assert [(run.status, run.ms) for run in page.runs] == [("ok", 70)]


def test_a_run_that_still_waits_is_listed_as_such(tmp_path: Path) -> None:
    """One question is asked, none decided."""
    recorder = build_recorder(tmp_path)
    waited_run(recorder, resumed=False)
    recorder.close()
    with SpanStore(tmp_path) as store:
        store.refresh()
        totals = Metrics(store).totals()

    assert (totals.asked, totals.decided, dict(totals.statuses)) == (1, 0, {"needs_human": 1})
    assert [run.status for run in list_runs(tmp_path).runs] == ["needs_human"]


@pytest.mark.parametrize("compacted", ["nothing", "the first part", "both parts"])
def test_a_list_of_runs_adds_up_the_parts_of_a_run(tmp_path: Path, compacted: str) -> None:
    """In whatever files they lie: it began when it was asked, and worked 70 ms."""
    sink = MemorySink()
    waited_run(sink)
    parts = [row for row in sink.records if row.resume_no is None], sink.records
    for number, part in enumerate(parts):
        recorder = build_recorder(tmp_path)
        for row in part if number == 0 else part[len(parts[0]) :]:
            recorder.finished(row)
        recorder.close()
        if compacted == "both parts" or (compacted == "the first part" and number == 0):
            compact_records(tmp_path)
    began = next(row.started_at for row in sink.records if row.kind == "run")
    (run,) = list_runs(tmp_path).runs

    assert bool(record_files(tmp_path)) is (compacted != "both parts")
    assert (run.status, run.ms, run.started_at, run.hops) == ("ok", 70, began, 1)
