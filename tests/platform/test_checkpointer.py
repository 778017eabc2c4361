"""The checkpointer of runs: LangGraph's own suite for checkpointers, and its OS thread."""

import asyncio
import sqlite3
import threading
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.base import empty_checkpoint
from langgraph.checkpoint.conformance import checkpointer_test, validate

from minerva_platform.storage.checkpointer import open_checkpointer


async def test_it_does_all_that_langgraph_asks_of_a_saver(tmp_path: Path) -> None:
    """Every check of the conformance suite for what the library's SQLite savers can do."""
    count = iter(range(1_000))

    @checkpointer_test(name="minerva")
    async def checkpointer() -> AsyncGenerator[Any]:
        async with open_checkpointer(tmp_path / f"{next(count)}.db") as opened:
            yield opened

    report = await validate(checkpointer)

    done = {name: result for name, result in report.results.items() if result.detected}
    assert set(done) == {"put", "put_writes", "get_tuple", "list", "delete_thread"}
    assert [failure for result in done.values() for failure in result.failures] == []
    assert sum(result.tests_passed for result in done.values()) == 58


async def test_operations_at_once_do_not_disturb_each_other(tmp_path: Path) -> None:
    """They queue for the one OS thread, which ends with the checkpointer."""
    async with open_checkpointer(tmp_path / "state.db") as checkpointer:

        async def keep(number: int) -> None:
            config: Any = {"configurable": {"thread_id": str(number % 10), "checkpoint_ns": ""}}
            kept = await checkpointer.aput(config, empty_checkpoint(), {"step": number}, {})
            await checkpointer.aput_writes(kept, [("channel", number)], f"task-{number}")

        await asyncio.gather(*(keep(number) for number in range(100)))
        found = [item async for item in checkpointer.alist(None)]

    assert len(found) == 100
    assert all(item.pending_writes for item in found)
    assert not any(thread.name.startswith("checkpoints") for thread in threading.enumerate())


async def test_a_run_that_is_cancelled_closes_the_database(tmp_path: Path) -> None:
    """Nothing is written after that, and the file is whole."""

    async def cancelled() -> None:
        async with open_checkpointer(tmp_path / "state.db") as checkpointer:
            config: Any = {"configurable": {"thread_id": "t", "checkpoint_ns": ""}}
            await checkpointer.aput(config, empty_checkpoint(), {"step": 1}, {})
            raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        await cancelled()

    with sqlite3.connect(tmp_path / "state.db") as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert database.execute("SELECT count(*) FROM checkpoints").fetchone() == (1,)
