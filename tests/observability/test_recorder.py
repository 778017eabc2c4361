"""A recorder may lose records; it may never lose a run."""

import logging
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from minerva_observability import (
    FanOut,
    MemorySink,
    Record,
    RunScope,
    Span,
    build_recorder,
    list_runs,
    read_records,
    record_span,
)


class BrokenSink(MemorySink):
    """Raises at every call."""

    def started(self, span: Span) -> None:
        """Raise."""
        raise OSError(span.path)

    def finished(self, record: Record) -> None:
        """Raise."""
        raise OSError(record.path)

    def close(self) -> None:
        """Raise."""
        raise OSError


def test_a_recorder_that_raises_is_counted_and_said_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """The run goes on as if nothing had happened (P8)."""
    scope = RunScope(recorder=BrokenSink())

    with scope.bound(), record_span(kind="run", path="p"):
        for _ in range(3):
            with record_span(kind="agent", path="p/a"):
                pass

    assert scope.records_dropped == 4
    assert [record.levelno for record in caplog.records] == [logging.WARNING]


def test_one_broken_sink_does_not_starve_the_others(caplog: pytest.LogCaptureFixture) -> None:
    """Each sink is called apart; what it lost is counted."""
    whole = MemorySink()
    recorder = FanOut(BrokenSink(), whole)

    with RunScope(recorder=recorder).bound(), record_span(kind="run", path="p"):
        pass
    recorder.close()

    assert [record.path for record in whole.records] == ["p"]
    assert recorder.records_dropped == 1
    assert len(caplog.records) == 1


def test_a_process_records_into_its_home(tmp_path: Path) -> None:
    """`runs.jsonl` is made with its folder; OTLP stays off unless an endpoint is named."""
    extra = MemorySink()
    recorder = build_recorder(tmp_path / "new" / ".minerva", extra, environment={})

    with RunScope(recorder=recorder).bound(), record_span(kind="run", path="p"):
        pass
    recorder.close()

    assert [type(sink).__name__ for sink in recorder.sinks] == ["JsonlSink", "MemorySink"]
    rows = list(read_records(tmp_path / "new" / ".minerva" / "runs.jsonl"))
    assert rows == [extra.records[0].to_json_dict()]


def test_wrong_settings_of_opentelemetry_do_not_fail_a_run(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """What they are for stays off, and the log says so."""
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1")
    monkeypatch.setenv("OTEL_BSP_SCHEDULE_DELAY", "-1")
    monkeypatch.setenv("OTEL_METRIC_EXPORT_INTERVAL", "-1")

    recorder = build_recorder(tmp_path)

    assert [type(sink).__name__ for sink in recorder.sinks] == ["JsonlSink"]
    assert "Check the OTEL_ variables" in caplog.text


class LiveSink(MemorySink):
    """A sink for a view of a run that goes on."""

    is_live = True


@pytest.mark.parametrize(
    ("end", "action"),
    [("ok_degraded", "bypassed"), ("needs_human", "bypassed"), ("failed", "stopped")],
)
def test_what_was_done_about_a_failure_is_written_when_its_run_ends(end: Any, action: str) -> None:
    """Nobody knows before if the run goes on without it; a live view shows the failure at once."""
    kept, live = MemorySink(), LiveSink()
    with (
        RunScope(recorder=FanOut(kept, live)).bound(),
        record_span(kind="run", path="platform") as run,
    ):
        with record_span(kind="agent", path="platform/a") as span:
            span.set(status="failed", action="substituted", substitute="b")
        with record_span(kind="agent", path="platform/b"):
            pass
        assert [(row.path, row.action) for row in kept.records] == [("platform/b", None)]
        run.set(status=end)

    kind = "substituted" if action == "bypassed" else action
    assert [row.path for row in kept.records] == ["platform/b", "platform/a", "platform"]
    assert (kept.records[1].action, kept.records[1].substitute) == (kind, "b")
    assert [(row.path, row.action) for row in live.records] == [
        ("platform/a", None),
        ("platform/b", None),
        ("platform", None),
    ]


def test_a_failure_of_a_run_that_never_ends_is_written_at_the_close() -> None:
    """And at once, if it comes after its run's end or outside of one."""
    kept = MemorySink()
    recorder = FanOut(kept)
    with RunScope(recorder=recorder).bound():
        record_span(kind="run", path="platform").begin()
        with record_span(kind="agent", path="platform/a", status="failed", action="bypassed"):
            pass
        assert not kept.records
    with (
        RunScope(recorder=recorder).bound(),
        record_span(kind="agent", path="platform/b", status="failed", action="bypassed"),
    ):
        pass
    recorder.close()

    assert [(row.path, row.action) for row in kept.records] == [
        ("platform/b", "bypassed"),
        ("platform/a", "bypassed"),
    ]


HOLDER = """
import sys
from minerva_observability import RunScope, build_recorder, record_span

recorder = build_recorder(sys.argv[1], environment={})
for run, ends in (("over", True), ("cut", False)):
    with RunScope(run_id=run, recorder=recorder).bound():
        its = record_span(kind="run", path="platform").begin()
        with record_span(kind="agent", path="platform/a", status="failed", action="bypassed"):
            pass
        if ends:
            its.set(status="failed")
            its.end()
print("ready", flush=True)
sys.stdin.read()
"""


@pytest.mark.processes
@pytest.mark.parametrize("goes_on", [True, False])
def test_a_killed_process_loses_no_failure(tmp_path: Path, *, goes_on: bool) -> None:
    """Whoever goes on with its run writes it, or else the next recorder; not while it lives."""
    alive = build_recorder(tmp_path, environment={})
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"ready\n"
        build_recorder(tmp_path, environment={}).close()
        assert {run.run_id for run in list_runs(tmp_path).runs} == {"over"}
        holder.kill()
    if goes_on:
        with RunScope(run_id="cut", resume_no=1, recorder=alive).bound():
            record_span(kind="run", path="platform").begin().end()
    else:
        build_recorder(tmp_path, environment={}).close()
    alive.close()

    failures = {
        row["run_id"]: row.get("action") for row in read_records(tmp_path) if "action" in row
    }
    assert failures == {"over": "stopped", "cut": "bypassed"}
    assert [run.failures for run in list_runs(tmp_path).runs] == [1, 2]
    assert [path.name for path in tmp_path.iterdir()] == ["runs.jsonl"]
