"""A restored copy does nothing that its original may have done, until a person says so."""

import tarfile
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from langgraph.types import interrupt
from ledger import Store, rows
from sqlalchemy import update

from minerva_platform import Run, Task, Team, effect
from minerva_platform.contract.askable import build_task
from minerva_platform.contract.run_object import DecisionBatch
from minerva_platform.durable.incoming_request import ask_team, submit_team
from minerva_platform.durable.run_continuation import advance, resume_team
from minerva_platform.durable.worker_process import WorkerProcess
from minerva_platform.errors import LeaseLostError, OriginalsRunError
from minerva_platform.runtime.run_options import RunOptions
from minerva_platform.storage.engine.engine import Engine
from minerva_platform.storage.engine.opening import opened_engine
from minerva_platform.storage.files.artifacts import find_artifacts
from minerva_platform.storage.ledger.decisions import decide, settle_late
from minerva_platform.storage.ledger.schema import decisions, effects, interrupts, runs, threads
from minerva_platform.storage.maintenance.backup import back_up
from minerva_platform.storage.maintenance.restored import find_restored, mark_restored, remove_mark
from minerva_platform.testing import EachOnceRouter, StubAgent

YES = {"type": "respond", "message": "yes"}


class Till:
    """A worker that pays as the request says, and what it has paid."""

    def __init__(self) -> None:
        self.paid: list[str] = []
        worker = StubAgent("payer", behave=self.work)
        self.team = Team(
            name="office", description="…", members=[worker], router=EachOnceRouter()
        ).assembled

    def work(self, given: Any) -> dict[str, str]:
        """Pay, and ask before or after that if the request says so."""
        words = str(given.request)

        @effect("once")
        def pay(words: str) -> str:
            self.paid.append(words)
            return words

        if words.startswith("ask"):
            interrupt("pay it?")
        pay(words)
        if words.endswith("ask"):
            interrupt("anything else?")
        return {"summary": f"paid {words}"}


@contextmanager
def restored(store: Store, engine: Engine, home: Path, folder: Path) -> Generator[Engine]:
    """Give the copy that a backup was restored to; on Postgres the marked store stands for it."""
    if not isinstance(store.place, Path):
        engine.write(mark_restored)
        yield engine
        return
    done = back_up(store.place, find_artifacts(home), folder / "store.tar")
    with tarfile.open(done.file) as archive:
        archive.extractall(folder / "restored", filter="data")
    with opened_engine(folder / "restored" / "state.db") as copy:
        yield copy


async def begun(till: Till, options: RunOptions) -> dict[str, Run]:
    """Return runs that have not ended: two wait, one of them after an effect, and one is queued."""
    told = {
        words: await ask_team(till.team, Task(request=words), replace(options, thread_id=words))
        for words in ("ask first", "then ask")
    }
    queued = replace(options, thread_id="queued")
    told["queued"] = await submit_team(till.team, Task(request="queued"), queued)
    assert [run.status for run in told.values()] == ["needs_human", "needs_human", "queued"]
    return told


async def worked_off(till: Till, options: RunOptions) -> list[str]:
    """Let a worker process work until the queue is empty; return the runs that it ended."""
    ended: list[str] = []
    process = WorkerProcess(
        lambda _: till.team, options, on_end=lambda run_id, _: ended.append(run_id)
    )
    await process.check_store()
    await process.work(until_empty=True)
    return ended


@pytest.mark.small(databases=1)
@pytest.mark.slow
async def test_what_the_original_may_have_done_waits_for_a_word(
    store: Store, minerva_home: Path, tmp_path: Path
) -> None:
    """No decision is taken, no worker takes a run, nothing expires; new requests are answered."""
    till, minerva_home = Till(), tmp_path / "home"
    with store.opened() as engine:
        its = await begun(till, RunOptions(engine=engine, home=minerva_home))
        engine.write(lambda c: c.execute(update(interrupts).values(expires_at=1.0)))
        before = [*till.paid]
        with restored(store, engine, minerva_home, tmp_path) as copy:
            options = RunOptions(engine=copy, home=minerva_home)
            for run in its.values():
                batch = DecisionBatch({each.id: YES for each in run.interrupts})
                with pytest.raises(OriginalsRunError, match="--this-is-the-store"):
                    await resume_team(till.team, run.run_id, batch, options)
                with pytest.raises(OriginalsRunError, match="--this-is-the-store"):
                    await advance(till.team, run.run_id, options)
            for thread in ("ask first", "new"):
                in_thread = replace(options, thread_id=thread)
                new = await ask_team(till.team, Task(request=f"pay {thread} anew"), in_thread)
                assert new.status == "ok"
            settle_late(copy)
            assert await worked_off(till, options) == []

            assert rows(copy, decisions.c.run_id) == []
            assert till.paid == [*before, "pay ask first anew", "pay new anew"]


@pytest.mark.small(databases=1)
async def test_a_word_lets_them_go_on(
    store: Store, minerva_home: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """It says what goes on; an effect in doubt is asked about, as after a crash."""
    till, minerva_home = Till(), tmp_path / "home"
    with store.opened() as engine:
        its = await begun(till, RunOptions(engine=engine, home=minerva_home))
        doubt = update(effects).values(state="begun", outcome=None)
        engine.write(lambda c: c.execute(doubt))
        with restored(store, engine, minerva_home, tmp_path) as copy:
            options = RunOptions(engine=copy, home=minerva_home)
            assert await worked_off(till, options) == []
            assert "3 runs that were accepted before rest" in caplog.text
            found = copy.write(remove_mark)
            assert found is not None
            assert list(found.runs) == [run.run_id for run in its.values()]
            assert found.questions == 2
            assert [(one.name.rpartition(".")[2], one.kind) for one in found.effects] == [
                ("pay", "once")
            ]
            assert copy.read(find_restored, empty=None) is None

            first, then = its["ask first"], its["then ask"]
            decide(copy, first.run_id, {first.interrupts[0].id: YES}, by="ann", wakes=True)
            ended = await worked_off(till, options)
            given = DecisionBatch({then.interrupts[0].id: YES})
            asked = await resume_team(till.team, then.run_id, given, options)

    assert sorted(ended) == sorted([first.run_id, its["queued"].run_id])
    assert sorted(till.paid) == ["ask first", "queued", "then ask"]
    assert [each.kind for each in asked.interrupts] == ["effect"]


async def test_a_thread_offers_what_was_asked_after_the_copy_and_never_what_rests(
    store: Store,
) -> None:
    """An unclear word is told of the rest, and does nothing; one question rests, another waits."""
    till = Till()
    with store.opened() as engine:
        options = RunOptions(engine=engine, thread_id="t")
        rests = await ask_team(till.team, Task(request="ask first"), options)
        engine.write(mark_restored)
        for request, said in (
            ("yes, less", "A question of this thread rests"),
            ("네, 조금만", "쉬고 있습니다"),
        ):
            told = await ask_team(till.team, build_task(request), options)
            assert (told.reason, said in told.answer) == ("asked_back", True)
            assert "--this-is-the-store" in told.answer
            assert "minerva approve" not in told.answer
        waits = await ask_team(till.team, Task(request="pay the flat anew, then ask"), options)
        back = await ask_team(till.team, build_task("yes, less"), options)

    assert (waits.status, till.paid) == ("needs_human", ["pay the flat anew, then ask"])
    assert waits.run_id[:8] in back.answer
    assert rests.run_id[:8] not in back.answer


async def test_whoever_is_at_work_in_a_copy_loses_it_with_the_mark(store: Store) -> None:
    """A process that was started too early does no effect after it."""
    with store.opened() as engine:
        till = Till()
        options = RunOptions(engine=engine, thread_id="t")
        seen: list[Any] = []

        def mark_and_pay(given: Any) -> dict[str, str]:
            engine.write(mark_restored)
            return till.work(given)

        worker = StubAgent("payer", behave=mark_and_pay)
        team = Team(name="office", description="…", members=[worker], router=EachOnceRouter())
        with pytest.raises(LeaseLostError):
            await ask_team(team.assembled, Task(request="pay"), options)
        seen += rows(engine, runs.c.status, runs.c.of_original)
        held = rows(engine, threads.c.holder)

    assert (till.paid, seen, held) == ([], [("running", True)], [(None,)])
