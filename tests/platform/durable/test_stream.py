"""A stream shows a run while it happens, and the run object at its end."""

import asyncio
from contextlib import nullcontext
from typing import Any

from minerva_observability import MemorySink
from minerva_platform import RunEvent, Task, Team
from minerva_platform.engine import stream_team
from minerva_platform.runtime.run_options import RunOptions
from minerva_platform.testing import EachOnceRouter, ScriptedRouter, StubAgent


def tree(**behaviours: Any) -> Team:
    """Return a team of a team."""
    inner = Team(
        name="inner",
        description="…",
        members=(StubAgent("a", behave=behaviours.get("a")), StubAgent("b")),
        router=ScriptedRouter("a", "b"),
    )
    return Team(name="t", description="…", members=(inner,), router=EachOnceRouter())


def told(event: RunEvent) -> tuple[str, str, str]:
    """Return an event as it can be compared."""
    kind = event.span.kind if event.span else event.record.kind if event.record else "run"
    return event.type, kind, event.path


async def test_events_come_in_order_at_every_depth() -> None:
    """Started before finished, children inside their parents, the run last."""
    events = [event async for event in tree().stream("go")]

    agents = [told(e) for e in events if told(e)[1] in {"agent", "run"}]
    assert agents == [
        ("started", "run", "t"),
        ("started", "agent", "t/inner"),
        ("started", "agent", "t/inner/a"),
        ("finished", "agent", "t/inner/a"),
        ("started", "agent", "t/inner/b"),
        ("finished", "agent", "t/inner/b"),
        ("finished", "agent", "t/inner"),
        ("finished", "run", "t"),
        ("run", "run", "t"),
    ]
    assert events[-1].run is not None
    assert events[-1].run.status == "ok"
    started = [e.span.span_id for e in events if e.span]
    finished = [e.record.span_id for e in events if e.record]
    assert sorted(started) == sorted(finished)
    for span_id in started:
        first = next(n for n, e in enumerate(events) if e.span and e.span.span_id == span_id)
        last = next(n for n, e in enumerate(events) if e.record and e.record.span_id == span_id)
        assert first < last


async def test_events_come_while_the_run_goes_on() -> None:
    """A worker that waits has started, and nothing after it has."""
    gate = asyncio.Event()

    async def waits(_: Any) -> None:
        await gate.wait()

    seen: list[tuple[str, str, str]] = []
    async for event in tree(a=waits).stream("go"):
        seen.append(told(event))
        if seen[-1] == ("started", "node", "t/inner/a"):
            assert not any(path == "t/inner/b" for _, _, path in seen)
            gate.set()

    assert seen[-1] == ("run", "run", "t")


async def test_the_recorder_hears_the_same() -> None:
    """A stream is a second listener, not another source."""
    sink = MemorySink()

    events = [
        event
        async for event in stream_team(
            tree().assembled, Task(request="go"), nullcontext(RunOptions(recorder=sink))
        )
    ]

    assert [e.record for e in events if e.record] == sink.records


async def test_a_consumer_that_leaves_ends_the_run() -> None:
    """No task goes on behind its back, and what ran is on record."""
    before = asyncio.all_tasks()
    sink = MemorySink()

    async def hangs(_: Any) -> None:
        await asyncio.Event().wait()

    around = nullcontext(RunOptions(recorder=sink))
    stream = stream_team(tree(a=hangs).assembled, Task(request="go"), around)
    async for event in stream:
        if told(event) == ("started", "node", "t/inner/a"):
            break
    await stream.aclose()

    assert await _all_end(asyncio.all_tasks() - before)
    assert [(r.kind, r.status, r.reason) for r in sink.records if r.kind == "run"] == [
        ("run", "skipped", "cancelled")
    ]


async def test_a_consumer_that_is_cancelled_leaves_no_task() -> None:
    """As when a web client goes away."""
    before = asyncio.all_tasks()
    begun = asyncio.Event()

    async def hangs(_: Any) -> None:
        begun.set()
        await asyncio.Event().wait()

    async def consume() -> None:
        async for _ in tree(a=hangs).stream("go"):
            pass

    consumer = asyncio.create_task(consume())
    await begun.wait()
    consumer.cancel()
    await asyncio.wait({consumer})

    assert consumer.cancelled()
    assert await _all_end(asyncio.all_tasks() - before)


async def _all_end(tasks: set[Any]) -> bool:
    """Wait for tasks that were cancelled; they need a few turns of the loop."""
    if not tasks:
        return True
    _, pending = await asyncio.wait(tasks)
    return not pending
