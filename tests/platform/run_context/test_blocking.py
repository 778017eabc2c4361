"""Blocking work cannot hang the process, and the sync facade says when it does not fit."""

import asyncio
import socket
import subprocess
import sys
import threading
from collections.abc import AsyncGenerator, Callable
from contextlib import suppress
from contextvars import ContextVar
from pathlib import Path

import copies
import pytest

from minerva_platform import AgentInput, AgentOutput, BaseAgent, Team
from minerva_platform.run_context.blocking import in_daemon_thread, run_sync
from minerva_platform.testing import EachOnceRouter, ScriptedRouter, StubAgent

COLOUR: ContextVar[str] = ContextVar("colour", default="none")


def colour_and_thread() -> tuple[str, bool]:
    """Return what a daemon thread sees."""
    return COLOUR.get(), threading.current_thread().daemon


async def test_context_reaches_the_thread() -> None:
    """Spans and budgets hang in context variables."""
    COLOUR.set("blue")

    assert await in_daemon_thread(colour_and_thread) == ("blue", True)


async def test_what_a_thread_raises_arrives() -> None:
    """With its own class."""
    with pytest.raises(ZeroDivisionError):
        await in_daemon_thread(lambda: 1 // 0)


async def test_the_sync_facade_works_in_a_running_loop() -> None:
    """As a cell of a notebook calls it: the loop waits, and the next call finds its connections."""
    agent = StubAgent("a")
    team = Team(name="t", description="…", members=(agent,), router=EachOnceRouter())

    for _ in range(2):
        assert agent.invoke({"request": "x"})["summary"] == "a answered"
        assert team.ask("x").status == "ok"


async def test_a_worker_is_told_to_await(minerva_home: Path) -> None:
    """The loop of a run would wait for itself."""

    class Asks(BaseAgent[AgentInput, AgentOutput]):
        name, description = "asks", "Asks another one."
        Input, Output = AgentInput, AgentOutput

        async def work(self, given: AgentInput) -> AgentOutput:
            return AgentOutput(summary=StubAgent("b").invoke({"request": given.request})["summary"])

    assert minerva_home
    run = await Team(name="t", members=(Asks(),), router=EachOnceRouter()).aask("x")

    assert "use `await ainvoke(…)`" in run.bypassed[0].cause


def test_run_sync_returns_what_is_awaited() -> None:
    """And raises what it raises."""

    async def answer(number: int) -> int:
        await asyncio.sleep(0)
        if number < 0:
            raise ValueError(number)
        return number + 1

    assert run_sync(answer, 1) == 2
    with pytest.raises(ValueError, match="-1"):
        run_sync(answer, -1)


def test_run_sync_leaves_no_thread() -> None:
    """A program may call it ten thousand times."""

    async def in_default_executor() -> bool:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(None, lambda: threading.current_thread().daemon)

    assert run_sync(in_default_executor)
    before = threading.active_count()
    for _ in range(20):
        assert run_sync(in_default_executor)

    assert threading.active_count() <= before


def test_a_connection_of_one_call_serves_the_next() -> None:
    """As that of a model's HTTP client, which is made once and kept."""

    async def connect() -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        return await asyncio.open_connection(*server.getsockname())

    async def say(words: bytes) -> bytes:
        writer.write(words)
        return await reader.readexactly(len(words))

    with socket.create_server(("127.0.0.1", 0)) as server:
        reader, writer = run_sync(connect)
        with server.accept()[0] as other:
            other.sendall(b"onetwo")
            assert run_sync(say, b"one") == b"one"
            assert run_sync(say, b"two") == b"two"
            assert other.recv(6, socket.MSG_WAITALL) == b"onetwo"
        run_sync(in_loop, writer.close)


async def in_loop(function: Callable[[], None]) -> None:
    """Call `function` where a loop runs."""
    function()


def test_a_call_closes_the_generators_that_it_left() -> None:
    """Even if somebody still holds them."""
    ended: list[str] = []

    async def pieces() -> AsyncGenerator[int, None]:
        try:
            yield 1
        finally:
            ended.append("closed")

    async def half_read() -> AsyncGenerator[int, None]:
        generator = pieces()
        assert await anext(generator) == 1
        return generator

    held = run_sync(half_read)

    assert ended == ["closed"]
    assert run_sync(half_read) is not held


FORKED = """
import asyncio, os
from minerva_platform.run_context.blocking import run_sync

async def loop():
    await asyncio.sleep(0)
    return asyncio.get_running_loop()

ours = run_sync(loop)
if child := os.fork():
    assert os.waitpid(child, 0)[1] == 0
    assert run_sync(loop) is ours
else:
    os._exit(run_sync(loop) is ours)
"""


def test_a_forked_process_has_a_loop_of_its_own() -> None:
    """Two processes with one loop would take each other's events."""
    subprocess.run([sys.executable, "-W", "error", "-c", FORKED], check=True)


def test_a_task_that_will_not_be_cancelled_goes_on_in_a_daemon_thread() -> None:
    """`asyncio.run` would wait for it for ever; here it ends when it wants to."""
    before = set(threading.enumerate())
    released = threading.Event()

    async def stubborn() -> None:
        while not released.is_set():
            with suppress(asyncio.CancelledError):
                await asyncio.sleep(0.01)

    async def start_one() -> str:
        task = asyncio.create_task(stubborn())
        await asyncio.sleep(0)
        assert not task.done()
        return "done"

    assert run_sync(start_one) == "done"
    (thread,) = set(threading.enumerate()) - before
    assert thread.daemon
    released.set()
    thread.join()
    assert not thread.is_alive()


HANGING = """
import asyncio, json, logging, sys, time
from minerva_platform import Task, Team
from minerva_platform.durable.active_run import run_team
from minerva_platform.testing import EachOnceRouter, StubAgent
from minerva_platform.run_context.blocking import run_sync

logging.basicConfig()

def blocks(_):
    time.sleep(3600)

async def awaits(_):
    await asyncio.sleep(3600)

async def ignores(_):
    while True:
        try:
            await asyncio.sleep(3600)
        except asyncio.CancelledError:
            pass

async def half_read(_):
    async def pieces():
        try:
            yield 1
        finally:
            await asyncio.sleep(3600)
    kept.append(pieces())
    await anext(kept[0])

kept = []
hanging = (blocks, awaits, ignores, half_read)
members = [StubAgent(f.__name__, behave=f, timeout=0.5) for f in hanging]
team = Team(name="t", description=".", members=[*members, StubAgent("fine")],
            router=EachOnceRouter())
run = run_sync(run_team, team.assembled, Task(request="go"))
print(json.dumps({"status": run.status, "hops": {h.agent_name: h.status for h in run.hops}}))
"""


def test_a_process_ends_in_time_whatever_hangs() -> None:
    """An hour of blocking, of waiting and of refusing to end ends with the limit."""
    done = copies.run(
        [sys.executable, "-c", HANGING],
        capture_output=True,
        text=True,
        check=True,
    )

    assert done.stdout.splitlines() == [
        '{"status": "ok_degraded", "hops": {"blocks": "timeout", "awaits": "timeout", '
        '"ignores": "timeout", "half_read": "ok", "fine": "ok"}}'
    ]
    assert done.stderr == ""


def test_a_late_thread_does_not_disturb_the_next_run(tmp_path: Path) -> None:
    """What a worker says after its time is nobody's business."""
    release = tmp_path / "release"

    def late(_: object) -> None:
        gate.wait()
        release.write_text("late")

    before = set(threading.enumerate())
    gate = threading.Event()
    members = (StubAgent("late", behave=late, timeout=0.05), StubAgent("fine"))
    team = Team(name="t", description="…", members=members, router=ScriptedRouter(["late", "fine"]))

    assert team.invoke({"request": "x"})["status"] == "ok_degraded"
    (hung,) = set(threading.enumerate()) - before
    gate.set()
    hung.join()

    assert release.exists()
    team.router = ScriptedRouter("fine")
    assert team.invoke({"request": "x"})["status"] == "ok"
