"""One store for all clients: each question is asked once, and nobody's loop is held up."""

import asyncio
import threading
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from minerva_observability import JsonlSink, Metrics, RunScope, SpanFilter, record_span
from minerva_observability.dashboard.server.shared_metrics import SharedMetrics

EVERYTHING = SpanFilter()


def record_a_run(folder: Path) -> None:
    """Record a run of one span."""
    sink = JsonlSink(folder / "runs.jsonl")
    with (
        RunScope(recorder=sink, thread_id="t").bound(),
        record_span(kind="run", path="t", agent_name="t_supervisor", team="t"),
    ):
        pass
    sink.close()


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """A folder with a log of one run."""
    record_a_run(tmp_path)
    return tmp_path


@pytest.fixture
async def feed(log: Path) -> AsyncIterator[SharedMetrics]:
    """A feed of the log, which reads whenever it is asked to."""
    feed = SharedMetrics(log, every_s=0)
    yield feed
    feed.close()


async def test_many_clients_cost_one_query(feed: SharedMetrics) -> None:
    """Also those who ask while it is being computed."""
    asked: list[str] = []

    def answer(metrics: Metrics) -> int:
        asked.append(threading.current_thread().name)
        return metrics.totals().runs

    await feed.refresh()
    answers = [feed.ask("runs", EVERYTHING, answer) for _ in range(20)]

    assert await asyncio.gather(*answers) == [1] * 20
    assert await feed.ask("runs", EVERYTHING, answer) == 1
    assert len(asked) == 1
    assert asked[0].startswith("minerva-dashboard")


async def test_another_filter_is_another_question(feed: SharedMetrics) -> None:
    """So is the same one after something new was recorded."""
    await feed.refresh()

    def answer(metrics: Metrics) -> int:
        return metrics.totals().runs

    assert await feed.ask("runs", EVERYTHING, answer) == 1
    assert await feed.ask("runs", SpanFilter(team="nobody"), answer) == 0


async def test_what_is_new_is_read_once_for_all(feed: SharedMetrics, log: Path) -> None:
    """A hundred who ask at the same time see the same generation."""
    first = await feed.refresh()
    record_a_run(log)

    states = await asyncio.gather(*(feed.refresh() for _ in range(100)))

    assert {state.generation for state in states} == {first.generation + 1}
    assert await feed.ask("runs", EVERYTHING, lambda metrics: metrics.totals().runs) == 2


async def test_it_reads_at_most_every_few_seconds(log: Path) -> None:
    """However many clients there are."""
    feed = SharedMetrics(log, every_s=3_600)
    first = await feed.refresh()
    record_a_run(log)

    assert await feed.refresh() == first
    feed.close()


async def test_a_question_that_fails_is_asked_again(feed: SharedMetrics) -> None:
    """A failure is no answer that is kept."""
    await feed.refresh()
    tries: list[int] = []

    def answer(_: Metrics) -> str:
        tries.append(1)
        if len(tries) == 1:
            msg = "out of memory"
            raise RuntimeError(msg)
        return "here"

    with pytest.raises(RuntimeError, match="out of memory"):
        await feed.ask("q", EVERYTHING, answer)
    assert await feed.ask("q", EVERYTHING, answer) == "here"


async def test_a_slow_query_holds_nobody_up(feed: SharedMetrics) -> None:
    """The loop goes on; another question is answered meanwhile."""
    await feed.refresh()
    free = threading.Event()
    slow = asyncio.create_task(feed.ask("slow", EVERYTHING, lambda _: free.wait(20)))

    assert await feed.ask("fast", EVERYTHING, lambda metrics: metrics.totals().runs) == 1
    assert not slow.done()
    free.set()
    assert await slow


async def test_who_leaves_takes_no_answer_from_others(feed: SharedMetrics) -> None:
    """A client that closes its page cancels its own waiting alone."""
    await feed.refresh()
    free = threading.Event()
    gone = asyncio.create_task(feed.ask("q", EVERYTHING, lambda _: free.wait(20)))
    waits = asyncio.create_task(feed.ask("q", EVERYTHING, lambda _: False))
    await asyncio.sleep(0)

    gone.cancel()
    free.set()

    assert await waits is True
    assert gone.cancelled() or gone.cancelling()
