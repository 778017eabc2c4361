"""Times, parents and outcomes of spans."""

import asyncio
import contextvars
import threading
from collections.abc import Callable
from itertools import pairwise

import pytest
from hypothesis import given, strategies as st

from minerva_observability import MemorySink, Record, RunScope, current_span, record_span
from minerva_observability.testing import ManualClock, still_scope
from minerva_observability.tracing.span import gaps


class BubbleUpError(Exception):
    """Stands for a framework's control flow."""


def by_path(sink: MemorySink) -> dict[str, Record]:
    """Return the records by their hop path."""
    return {record.path: record for record in sink.records}


def raise_after(tell: Callable[..., None], error: Exception) -> None:
    """Tell that a failure was bypassed, then fail."""
    tell(action="bypassed")
    raise error


def test_self_times_of_a_sequential_run_add_up_to_its_wall_time() -> None:
    """A node and the graph inside it are not counted twice."""
    clock, sink = ManualClock(), MemorySink()

    with still_scope(sink, clock).bound(), record_span(kind="run", path="p"):
        clock.advance(3)
        for team in ("p/a", "p/b"):
            with record_span(kind="agent", path=team):
                clock.advance(5)
                with record_span(kind="node", path=f"{team}/n"):
                    clock.advance(7.25)
                clock.advance(1)

    records = by_path(sink)
    assert {path: record.self_ms for path, record in records.items()} == {
        "p/a/n": 7.25,
        "p/a": 6,
        "p/b/n": 7.25,
        "p/b": 6,
        "p": 3,
    }
    assert sum(record.self_ms for record in records.values()) == records["p"].ms == 29.5


async def test_parallel_children_are_subtracted_once() -> None:
    """Two children that ran side by side for 10 ms leave their parent 10 ms less, not 20."""
    clock, sink = ManualClock(), MemorySink()
    both_began, may_end = asyncio.Barrier(3), asyncio.Event()

    async def child(name: str) -> None:
        with record_span(kind="agent", path=f"p/{name}"):
            await both_began.wait()
            await may_end.wait()

    with still_scope(sink, clock).bound(), record_span(kind="run", path="p"):
        clock.advance(1)
        children = [asyncio.create_task(child(name)) for name in ("a", "b")]
        await both_began.wait()
        clock.advance(10)
        may_end.set()
        await asyncio.gather(*children)

    records = by_path(sink)
    assert (records["p/a"].ms, records["p/b"].ms) == (10, 10)
    assert (records["p"].ms, records["p"].self_ms) == (11, 1)
    assert records["p/a"].parent_id == records["p/b"].parent_id == records["p"].span_id


@pytest.mark.parametrize(
    ("intervals", "covered"),
    [
        ([], 0),
        ([[0, 5], [5, 9]], 9),
        ([[0, 5], [2, 9]], 9),
        ([[0, 9], [2, 5]], 9),
        ([[2, 5], [0, 3], [7, 8]], 6),
        ([[4]], 6),  # still running when its parent ended at 10
        ([[4, 20]], 6),
    ],
)
def test_the_union_of_intervals(intervals: list[list[int]], covered: int) -> None:
    """Overlaps count once; what runs on counts to the parent's end."""
    left = gaps(intervals, from_ns=0, until_ns=10)
    assert 10 - sum(end - start for start, end in left) == covered


def test_a_child_abandoned_by_its_parent_is_still_written() -> None:
    """A timeout leaves the worker's thread behind; its span ends later and hurts nobody."""
    clock, sink = ManualClock(), MemorySink()
    began, may_end = threading.Event(), threading.Event()

    def hang() -> None:
        with record_span(kind="agent", path="p/slow"):
            began.set()
            may_end.wait(10)

    with still_scope(sink, clock).bound(), record_span(kind="run", path="p"):
        clock.advance(1)
        thread = threading.Thread(target=contextvars.copy_context().run, args=(hang,), daemon=True)
        thread.start()
        began.wait(10)
        clock.advance(4)
    clock.advance(100)
    may_end.set()
    thread.join(10)

    run, slow = sink.records
    assert (run.path, run.ms, run.self_ms) == ("p", 5, 1)
    assert (slow.path, slow.ms, slow.parent_id) == ("p/slow", 104, run.span_id)
    assert run.self_ms + slow.self_ms == run.ms  # what it did later is in nobody's time


@pytest.mark.slow
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["begin", "begin", "end", "wait"]), st.integers(0, 9), st.integers(1, 9)
        ),
        max_size=40,
    )
)
def test_self_time_never_exceeds_the_total(steps: list[tuple[str, int, int]]) -> None:
    """Whatever begins below whom and ends when: before its parent, long after it, or beside others.

    All self times are within the run's, as many times as spans ran at once.
    """
    clock, sink = ManualClock(), MemorySink()
    with still_scope(sink, clock).bound():
        root = record_span(kind="run", path="p").begin()
        spans, is_open, most = [root], {0}, 1
        for what, which, ms in steps:
            number = which % len(spans)
            if what == "begin":
                is_open.add(len(spans))
                spans.append(record_span(kind="node", path="p").begin(parent=spans[number]))
                most = max(most, len(is_open))
            elif what == "end" and number in is_open:
                is_open.remove(number)
                spans[number].end()
            clock.advance(ms)
        for number in sorted(is_open):  # a parent may end before its children
            spans[number].end()
            clock.advance(1)

    for record in sink.records:
        assert 0 <= record.self_ns <= record.duration_ns
        assert 0 <= record.self_ms <= record.ms
    (run,) = [record for record in sink.records if record.kind == "run"]
    assert sum(record.self_ns for record in sink.records) <= most * run.duration_ns


@pytest.mark.slow
@given(
    st.lists(st.lists(st.integers(0, 60), min_size=1, max_size=2)),
    st.integers(0, 30),
    st.integers(0, 30),
)
def test_what_is_covered_fits_between_the_two_times(
    intervals: list[list[int]], from_ns: int, until_ns: int
) -> None:
    """Also of intervals that begin before it or end after it, or end before they begin."""
    left = gaps(intervals, from_ns=from_ns, until_ns=until_ns)
    covered = max(until_ns - from_ns, 0) - sum(end - start for start, end in left)

    inside = {
        ns
        for interval in intervals
        for ns in range(from_ns, until_ns)
        if interval[0] <= ns < (interval[1] if len(interval) > 1 else until_ns)
    }
    assert covered == len(inside)


def test_durations_survive_a_clock_that_is_set_back() -> None:
    """The wall clock only dates a span; it never measures one (P15)."""
    clock, sink = ManualClock(), MemorySink()
    scope = still_scope(sink, clock)
    wall = iter([7_200_000_000_000, 3_600_000_000_000])
    scope.clock = type(scope.clock)(scope.clock.monotonic_ns, lambda: next(wall))

    with scope.bound():
        for path in ("a", "b"):
            with record_span(kind="node", path=path):
                clock.advance(2)

    assert [(record.ms, record.started_at) for record in sink.records] == [
        (2, "1970-01-01T02:00:00.000Z"),
        (2, "1970-01-01T01:00:00.000Z"),
    ]


@pytest.mark.parametrize(
    ("error", "status", "reason", "error_type"),
    [
        (ValueError("no"), "failed", None, "ValueError"),
        (TimeoutError("late"), "timeout", None, "TimeoutError"),
        (BubbleUpError(), "paused", None, None),
        (asyncio.CancelledError(), "skipped", "cancelled", None),
    ],
)
def test_an_exception_tells_the_status(
    error: BaseException,
    status: str,
    reason: str | None,
    error_type: str | None,
) -> None:
    """It passes through untouched; a pause and a cancellation are no failures."""
    sink = MemorySink()

    with (
        pytest.raises(type(error)),
        RunScope(recorder=sink, control_flow=(BubbleUpError,)).bound(),
        record_span(kind="agent", path="p"),
    ):
        raise error

    record = sink.records[0]
    assert (record.status, record.reason) == (status, reason)
    assert (record.error["type"] if record.error else None) == error_type


def test_the_owner_has_the_last_word() -> None:
    """A supervisor that turned the failure into data knows better than the exception."""
    sink = MemorySink()

    with (
        pytest.raises(ValueError, match="no"),
        RunScope(recorder=sink).bound(),
        record_span(kind="agent", path="p", status="skipped", reason="deadline") as span,
    ):
        raise_after(span.set, ValueError("no"))

    record = sink.records[0]
    assert (record.status, record.reason, record.action) == ("skipped", "deadline", "bypassed")


def test_a_failure_handled_inside_is_told_by_set_error() -> None:
    """What was caught and masked is recorded all the same."""
    sink = MemorySink()

    with RunScope(recorder=sink).bound(), record_span(kind="agent", path="p") as span:
        span.set_error(ConnectionError("refused"))

    assert sink.records[0].status == "failed"
    assert sink.records[0].error == {"type": "ConnectionError", "message": "refused"}


def test_an_error_that_cannot_print_itself_is_recorded() -> None:
    """Somebody else's broken `__str__` costs its message only."""

    class MuteError(Exception):
        def __str__(self) -> str:
            raise RuntimeError

    sink = MemorySink()

    with RunScope(recorder=sink).bound(), record_span(kind="agent", path="p") as span:
        span.set_error(MuteError())

    assert sink.records[0].error == {
        "type": "MuteError",
        "message": "(its message cannot be shown)",
    }


def test_a_run_inside_a_run_is_a_tree_of_its_own() -> None:
    """A tool that asks the platform again must not become a span of the outer trace."""
    outer, inner = MemorySink(), MemorySink()

    with RunScope(recorder=outer).bound(), record_span(kind="run", path="outer") as span:
        with RunScope(recorder=inner).bound(), record_span(kind="run", path="inner"):
            pass
        assert current_span() is span

    assert inner.records[0].parent_id is None
    assert inner.records[0].run_id != outer.records[0].run_id


def test_a_live_listener_hears_spans_as_they_start() -> None:
    """Parents start before children and finish after them."""
    sink = MemorySink()

    with RunScope(recorder=sink).bound(), record_span(kind="run", path="p"):
        assert [span.path for span in sink.spans] == ["p"]
        with record_span(kind="agent", path="p/a"):
            assert [span.path for span in sink.spans] == ["p", "p/a"]
            assert sink.records == []

    assert [record.path for record in sink.records] == ["p/a", "p"]
    parent, child = sink.spans
    assert child.parent_id == parent.span_id


def test_a_span_closed_in_another_context_leaves_that_one_alone() -> None:
    """An async generator may be finalised by whoever collects it."""
    sink = MemorySink()

    with RunScope(recorder=sink).bound(), record_span(kind="run", path="p"):
        stray = contextvars.copy_context().run(
            lambda: record_span(kind="agent", path="p/a").__enter__(),
        )
        with record_span(kind="agent", path="p/b") as open_span:
            stray.__exit__(None, None, None)
            assert current_span() is open_span

    assert [record.path for record in sink.records] == ["p/a", "p/b", "p"]


def test_a_callback_begins_and_ends_a_span_across_contexts() -> None:
    """It is timed below the current span and never becomes the parent of what follows."""
    clock, sink = ManualClock(), MemorySink()

    with still_scope(sink, clock).bound(), record_span(kind="node", path="p") as node:
        model = record_span(kind="model", path="p").begin()
        clock.advance(4)
        record_span(kind="tool", path="p").begin(parent=model).end()
        assert (current_span(), model.ms) == (node, 4)
        contextvars.copy_context().run(model.end, TimeoutError("late"))
        clock.advance(1)

    tool, told, around = sink.records
    assert (tool.kind, tool.parent_id) == ("tool", model.span_id)
    assert (told.kind, told.status, told.ms, told.parent_id) == (
        "model",
        "timeout",
        4,
        node.span_id,
    )
    assert (around.ms, around.self_ms) == (5, 1)


def test_without_a_scope_a_span_only_takes_the_time() -> None:
    """A worker called alone runs the same code and records nothing."""
    with record_span(kind="agent", path="p") as span:
        pass

    assert span.duration_ns is not None
    assert span.duration_ns >= 0


def test_ids_are_those_of_opentelemetry_and_never_repeat() -> None:
    """16 bytes for a run, 8 for a span, in hexadecimal."""
    sink = MemorySink()
    with RunScope(recorder=sink).bound():
        for _ in range(100):
            with record_span(kind="node", path="p"):
                pass

    ids = [record.span_id for record in sink.records]
    assert len(set(ids)) == 100
    assert all(len(bytes.fromhex(name)) == 8 for name in ids)
    assert len(bytes.fromhex(sink.records[0].run_id)) == 16
    assert all(one.run_id == other.run_id for one, other in pairwise(sink.records))
