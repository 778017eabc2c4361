"""What a run's checkpoints survive: crashes, lost leases, forged rows, full books, OS threads."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any, TypedDict

import ormsgpack
import pytest
from langgraph.checkpoint.base import empty_checkpoint
from langgraph.graph import START, StateGraph
from ledger import Store, rows
from sqlalchemy import Connection, delete, func, select, update

from minerva_platform import Task
from minerva_platform.contract.bounds import MAX_CHECKPOINT_BYTES
from minerva_platform.errors import LeaseLostError, RunError, StateError
from minerva_platform.storage.checkpoints.flushing import FLUSH_AFTER_S, RETRY_AFTER_S
from minerva_platform.storage.checkpoints.rows import CheckpointRow, to_checkpoint_row
from minerva_platform.storage.checkpoints.run_checkpointer import RunCheckpointer
from minerva_platform.storage.checkpoints.serializer import StrictSerializer
from minerva_platform.storage.checkpoints.tables import Kept, keep
from minerva_platform.storage.engine.engine import Engine
from minerva_platform.storage.ledger.run_start import NewRun, accepted
from minerva_platform.storage.ledger.schema import checkpoints, threads, writes

RUN: Any = {"configurable": {"thread_id": "r"}}
STEPS = 5


class Clock:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        """Return the time."""
        return self.now

    def pass_by(self) -> None:
        """Let so much time pass that a flush is due."""
        self.now += FLUSH_AFTER_S + 0.01


def _added(old: list[str], new: list[str]) -> list[str]:
    return old + new


class State(TypedDict, total=False):
    """What the steps have done."""

    done: Annotated[list[str], _added]
    large: str


class Work:
    """A graph of five steps; it counts them, and can break in one."""

    def __init__(self, clock: Clock, *, breaks_at: int | None = None, large: int = 0) -> None:
        self.clock, self.breaks_at, self.large = clock, breaks_at, large
        self.did: list[int] = []

    def step(self, number: int, _: State) -> State:
        """Do a step, which takes a while."""
        if number == self.breaks_at:
            raise ZeroDivisionError
        self.did.append(number)
        self.clock.pass_by()
        return {"done": [str(number)], "large": "x" * self.large}

    def graph(self, checkpointer: Any = None, *, inner: Any = None) -> Any:
        """Return the graph."""
        builder: StateGraph[Any, Any, Any, Any] = StateGraph(State)
        steps: list[Any] = [(f"s{n}", partial(self.step, n)) for n in range(STEPS)]
        if inner is not None:
            steps[2] = ("inner", inner)
        builder.add_sequence(steps)
        builder.add_edge(START, steps[0][0])
        return builder.compile(checkpointer=checkpointer)


async def killed(engine: Engine, work: Work, kept: Kept = "last") -> None:
    """Run until a step breaks, and leave all that is only in memory."""
    checkpointer = RunCheckpointer(engine, "r", keep_checkpoints=kept, clock=work.clock)
    with pytest.raises(ZeroDivisionError):
        await work.graph(checkpointer).ainvoke({"done": []}, RUN)


async def gone_on(engine: Engine, work: Work) -> list[str]:
    """Go on with the run, as another process does; return what was done in all."""
    checkpointer = RunCheckpointer(engine, "r", clock=work.clock)
    await checkpointer.aload()
    graph = work.graph(checkpointer)
    state = await graph.aget_state(RUN)
    ended = await graph.ainvoke(None if state.values else {"done": []}, RUN)
    await checkpointer.aflush()
    return list(ended["done"])


@pytest.mark.small(databases=1)
async def test_a_run_that_was_killed_goes_on_where_it_was(store: Store) -> None:
    """A long run is written at its steps, so little of it is done again."""
    with store.opened() as engine:
        await killed(engine, Work(Clock(), breaks_at=3))
        second = Work(Clock())

        assert await gone_on(engine, second) == ["0", "1", "2", "3", "4"]
        assert second.did == [3, 4]


@pytest.mark.small(2)
@pytest.mark.parametrize(("gone", "kept"), [(1, "last"), (99, "last"), (2, "all")])
async def test_without_its_newest_checkpoints_a_run_goes_on_from_an_older_one(
    store: Store, gone: int, kept: Kept
) -> None:
    """Without any it begins again; the answer is the same."""

    def lose(connection: Connection) -> None:
        newest = select(checkpoints.c.checkpoint_id).order_by(checkpoints.c.number.desc())
        ids = [*connection.execute(newest.limit(gone)).scalars()]
        connection.execute(delete(checkpoints).where(checkpoints.c.checkpoint_id.in_(ids)))

    with store.opened() as engine:
        await killed(engine, Work(Clock(), breaks_at=3), kept)
        engine.write(lose)
        second = Work(Clock())

        assert await gone_on(engine, second) == ["0", "1", "2", "3", "4"]
        assert second.did[-2:] == [3, 4]
        assert len(second.did) == min(2 + gone - 1, STEPS)


@pytest.mark.small(databases=1)
async def test_a_checkpoint_that_cannot_be_read_costs_a_step(store: Store) -> None:
    """The one before it is taken."""
    newest = select(func.max(checkpoints.c.number)).scalar_subquery()
    broken = update(checkpoints).where(checkpoints.c.number == newest)
    with store.opened() as engine:
        await killed(engine, Work(Clock(), breaks_at=3))
        engine.write(lambda connection: connection.execute(broken.values(checkpoint=b"\xc1")))

        assert await gone_on(engine, Work(Clock())) == ["0", "1", "2", "3", "4"]


@pytest.mark.small(databases=1)
async def test_the_latest_checkpoint_is_the_last_one_whatever_the_clock_said(store: Store) -> None:
    """LangGraph's ids follow the clock, which may have been set back before a run went on."""
    with store.opened() as engine:
        for number, checkpoint_id in enumerate(("f", "a", "c")):
            checkpointer = RunCheckpointer(engine, "r")
            await checkpointer.aload()
            put = {**empty_checkpoint(), "id": checkpoint_id, "channel_values": {"n": number}}
            given: Any = put
            await checkpointer.aput(RUN, given, {"step": number}, {})
            await checkpointer.aflush()
        again = RunCheckpointer(engine, "r")
        await again.aload()

        found = again.get_tuple(RUN)
        assert found is not None
        assert found.checkpoint["channel_values"] == {"n": 2}
        ids = [item.checkpoint["id"] for item in again.list(RUN)]
        assert ids == ["c", "a", "f"]


@pytest.mark.small(databases=1)
async def test_who_lost_the_lease_writes_nothing(store: Store) -> None:
    """Neither between its steps nor at its end; the run stops."""
    new = NewRun("r", "t", "root", Task(request="go"))
    with store.opened() as engine:
        async with accepted(engine, new, seconds=9) as run:
            raised = update(threads).values(fence=threads.c.fence + 1)
            engine.write(lambda connection: connection.execute(raised))
            work = Work(Clock())
            checkpointer = RunCheckpointer(engine, "r", run.lease, clock=work.clock)
            with pytest.raises(LeaseLostError):
                await work.graph(checkpointer).ainvoke({"done": []}, RUN)
            with pytest.raises(LeaseLostError):
                await checkpointer.here.aflush()

        assert rows(engine, checkpoints.c.number) == []
        assert rows(engine, writes.c.idx) == []


class Slow(Engine):
    """An engine whose transaction is in the database before anybody hears of it, or fails."""

    def __init__(self, engine: Engine) -> None:
        self.engine, self.place = engine, engine.place
        self.knows_processes = engine.knows_processes
        self.fails = False
        self.seen, self.released = asyncio.Event(), asyncio.Event()
        self.transactions = 0

    def read(self, work: Any, *, empty: Any, seconds: Any = None) -> Any:
        """Read."""
        return self.engine.read(work, empty=empty, seconds=seconds)

    def write(self, work: Any, *, seconds: Any = None) -> Any:
        """Write."""
        self.transactions += 1
        return self.engine.write(work, seconds=seconds)

    async def aread(self, work: Any, *, empty: Any, seconds: Any = None) -> Any:
        """Read."""
        return await self.engine.aread(work, empty=empty, seconds=seconds)

    async def awrite(self, work: Any, *, seconds: Any = None) -> Any:
        """Write and lose the answer, or fail."""
        self.transactions += 1
        if self.fails:
            raise StateError(self.place, "is full.")
        self.engine.write(work, seconds=seconds)  # at once: no OS thread of it outlives the test
        self.seen.set()
        await self.released.wait()
        raise StateError(self.place, "went away.")

    def insert(self, table: Any) -> Any:
        """Return an INSERT."""
        return self.engine.insert(table)


@pytest.mark.small(databases=1)
async def test_a_run_that_is_cancelled_in_the_middle_of_a_flush_loses_nothing(store: Store) -> None:
    """What may be in the database or not is written again."""
    with store.opened() as engine:
        work, slow = Work(Clock()), Slow(engine)
        checkpointer = RunCheckpointer(slow, "r", clock=work.clock)
        running = asyncio.create_task(work.graph(checkpointer).ainvoke({"done": []}, RUN))
        await slow.seen.wait()
        running.cancel()
        slow.released.set()
        with pytest.raises(asyncio.CancelledError):
            await running
        await checkpointer.here.aflush()

        second = Work(Clock())
        assert await gone_on(engine, second) == ["0", "1", "2", "3", "4"]
        assert len(work.did) + len(second.did) <= STEPS + 1  # one step was in the middle


async def test_a_run_goes_on_while_its_database_cannot_be_written(store: Store) -> None:
    """It tries again later; who must have it written is told that it is not."""
    with store.opened() as engine:
        work, broken = Work(Clock()), Slow(engine)
        broken.fails = True
        checkpointer = RunCheckpointer(broken, "r", clock=work.clock)
        ended = await work.graph(checkpointer).ainvoke({"done": []}, RUN)

        assert ended["done"] == ["0", "1", "2", "3", "4"]
        assert work.clock.now < RETRY_AFTER_S
        assert broken.transactions == 1
        with pytest.raises(StateError, match="is full"):
            await checkpointer.aflush()
        await checkpointer.here.aflush()  # there is space again
        assert len(rows(engine, checkpoints.c.number)) == 2


@pytest.mark.small(1)
async def test_nodes_in_os_threads_save_at_once(store: Store) -> None:
    """Each with its graph's state, by the methods that wait; all of it is in the database."""
    with store.opened() as engine:
        clock = Clock()
        checkpointer = RunCheckpointer(engine, "r", keep_checkpoints="all", clock=clock)
        together = threading.Barrier(8)

        def save(number: int) -> None:
            together.wait()
            for step in range(20):
                config: Any = {"configurable": {"thread_id": "r", "checkpoint_ns": f"n{number}"}}
                named = checkpointer.put(config, empty_checkpoint(), {"step": step}, {})
                checkpointer.put_writes(named, [("a", number), ("b", step)], f"task{step}")
                clock.pass_by()

        with ThreadPoolExecutor(8) as pool:
            list(pool.map(save, range(8)))
        await checkpointer.here.aflush()

        found = rows(engine, checkpoints.c.checkpoint_ns, checkpoints.c.number)
        assert len(found) == 160
        assert len({number for _, number in found}) == 160
        assert len(rows(engine, writes.c.idx)) == 320
        assert len(list(checkpointer.list(RUN))) == 160


@pytest.mark.small(databases=1)
@pytest.mark.parametrize(("kept", "lengths"), [("all", [5, 4, 3, 2, 1, 0, 0]), ("last", [5, 4])])
async def test_only_the_latest_checkpoints_stay_in_memory(
    store: Store, kept: Kept, lengths: list[int]
) -> None:
    """However many steps a graph takes; if all are kept, the database has the earlier ones."""
    with store.opened() as engine:
        work = Work(Clock())
        checkpointer = RunCheckpointer(engine, "r", keep_checkpoints=kept, clock=work.clock)
        graph = work.graph(checkpointer)
        await graph.ainvoke({"done": []}, RUN)
        await checkpointer.here.aflush()

        assert len(checkpointer._book.all()) == 2  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]  # what is held is not said in public
        history = [state.values["done"] async for state in graph.aget_state_history(RUN)]
        # a flush that came late on a busy machine may have left earlier ones for the next to remove
        assert [len(done) for done in history][: len(lengths)] == lengths


@pytest.mark.small(databases=1)
@pytest.mark.parametrize("kept", ["all", "last"])
async def test_the_states_of_a_task_that_is_done_are_not_written(store: Store, kept: Kept) -> None:
    """It never goes on, so nobody reads them; who keeps all has them."""
    with store.opened() as engine:
        clock = Clock()
        checkpointer = RunCheckpointer(engine, "r", keep_checkpoints=kept, clock=clock)

        async def inner(_: State) -> State:
            await Work(Clock()).graph().ainvoke({"done": []})
            return {"done": ["inner"]}

        await Work(Clock()).graph(checkpointer, inner=inner).ainvoke({"done": []}, RUN)
        await checkpointer.here.aflush()

        graphs = {space for (space,) in rows(engine, checkpoints.c.checkpoint_ns)}
        assert len(graphs) == (2 if kept == "all" else 1)


@pytest.mark.small(databases=1)
@pytest.mark.parametrize("bytes_", [MAX_CHECKPOINT_BYTES + 1, 10])
async def test_a_large_state_below_the_root_is_left_out(store: Store, bytes_: int) -> None:
    """The worker's steps are done again after a crash, and the database stays small."""
    with store.opened() as engine:
        clock = Clock()
        worker = Work(clock, large=bytes_)
        checkpointer = RunCheckpointer(engine, "r", keep_checkpoints="all", clock=clock)

        async def inner(_: State) -> State:
            await worker.graph().ainvoke({"done": []})
            return {"done": ["inner"]}

        await Work(clock).graph(checkpointer, inner=inner).ainvoke({"done": []}, RUN)
        await checkpointer.here.aflush()

        size = func.max(func.length(checkpoints.c.checkpoint))
        of_worker = select(func.count(), size).where(checkpoints.c.checkpoint_ns != "")
        nothing: list[tuple[int, int]] = []
        ((count, largest),) = engine.read(
            lambda c: [(row[0], row[1]) for row in c.execute(of_worker)], empty=nothing
        )
        is_large = bytes_ > MAX_CHECKPOINT_BYTES
        assert count == (2 if is_large else STEPS + 2)
        assert largest < MAX_CHECKPOINT_BYTES


def forged(kind: str, marker: Path) -> CheckpointRow:
    """Return a checkpoint of a run that names code, which would make a file."""
    command = f"touch {marker}"
    told = ("os", "system", command)
    calls = {
        "msgpack": ormsgpack.packb(
            {
                **empty_checkpoint(),
                "channel_values": {
                    "done": ormsgpack.Ext(0, ormsgpack.packb(told)),
                    "large": ormsgpack.Ext(
                        3, ormsgpack.packb(("os", "system", command, "__call__"))
                    ),
                },
            }
        ),
        "json": b'{"lc": 2, "type": "constructor", "id": ["os", "system"], "args": ["'
        + command.encode()
        + b'"]}',
        "pickle": b"cos\nsystem\n(S'" + command.encode() + b"'\ntR.",
    }
    row = to_checkpoint_row(StrictSerializer(), RUN, {**empty_checkpoint(), "id": "z"}, {})
    return replace(row, number=99, type=kind, checkpoint=calls[kind])


@pytest.mark.parametrize("kind", ["msgpack", "json", "pickle"])
async def test_a_forged_checkpoint_runs_no_code(store: Store, kind: str, tmp_path: Path) -> None:
    """What names code comes back as plain data, or is not read and costs the run its last step."""
    marker = tmp_path / "ran"
    with store.opened() as engine:
        engine.write(partial(keep, engine=engine, rows=[forged(kind, marker)]))
        checkpointer = RunCheckpointer(engine, "r")
        await checkpointer.aload()
        found = await Work(Clock()).graph(checkpointer).aget_state(RUN)
        named: Any = {"configurable": {"thread_id": "r", "checkpoint_id": "z"}}
        if kind != "msgpack":
            assert found.values == {}
            with pytest.raises(RunError, match=f"is written as '{kind}'"):
                checkpointer.get_tuple(named)

    assert not marker.exists()


async def test_the_text_of_an_error_is_kept_without_secrets(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """LangGraph keeps what a step raised; it may quote a key."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-a-secret-of-many-letters")
    with store.opened() as engine:
        checkpointer = RunCheckpointer(engine, "r")
        named = await checkpointer.aput(RUN, empty_checkpoint(), {}, {})
        error = ValueError("refused sk-a-secret-of-many-letters")
        await checkpointer.aput_writes(named, [("__error__", error)], "task")
        checkpointer.put_writes(named, [("__error__", error)], "other")
        await checkpointer.aflush()

        kept = rows(engine, writes.c.value)
        assert len(kept) == 2
        assert all(b"ValueError" in value and b"secret" not in value for (value,) in kept)


@pytest.mark.small(databases=1)
async def test_a_thread_that_an_author_names_is_kept_apart(store: Store) -> None:
    """At once, by its own name, and a run before does not lose it to the next."""
    own: Any = {"configurable": {"thread_id": "memory"}}
    with store.opened() as engine:
        for turn in range(2):
            graph = Work(Clock()).graph(RunCheckpointer(engine, f"r{turn}"))
            ended = await graph.ainvoke({"done": []}, own)
            assert len(ended["done"]) == STEPS * (turn + 1)

        assert {thread for (thread,) in rows(engine, checkpoints.c.thread_id)} == {"memory"}
