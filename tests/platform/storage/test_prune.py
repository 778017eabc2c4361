"""Removing old runs from the store, on SQLite and on a real Postgres."""

import json
import signal
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from filled import DAY, counts, fill, stored
from ledger import Store, rows, said, takers
from sqlalchemy import update

from minerva_platform.errors import RunError, UnknownRunError
from minerva_platform.storage.engine.engine import Engine
from minerva_platform.storage.engine.opening import opened_engine
from minerva_platform.storage.files.artifacts import find_artifacts
from minerva_platform.storage.ledger.schema import removed_threads, runs, threads
from minerva_platform.storage.maintenance.prune import PrunePlan, PruneRule, plan_prune, prune
from minerva_platform.storage.maintenance.space import give_back

NOW = time.time()


def planned(engine: Engine, home: Path, rule: PruneRule) -> PrunePlan:
    """Return what would go now."""
    work = partial(plan_prune, engine=engine, place=find_artifacts(home), rule=rule, now=NOW)
    return engine.read(work, empty=PrunePlan())


def ids(plan: PrunePlan) -> list[str | None]:
    """Return the runs that would go."""
    return [run.run_id for run in plan.runs]


@pytest.mark.small(databases=1)
def test_a_run_goes_with_all_that_is_kept_of_it(store: Store, minerva_home: Path) -> None:
    """A row of each table, and the artifact that nobody else names; the other run stays whole."""
    with store.opened() as engine:
        mine, shared = stored(minerva_home, "mine"), stored(minerva_home, "shared")
        fill(engine, "old", ended=NOW - 9 * DAY, artifacts=[mine, shared])
        fill(engine, "new", ended=NOW, artifacts=[shared])
        before = counts(engine)
        plan = planned(engine, minerva_home, PruneRule(older_than_s=7 * DAY))

        assert ids(plan) == ["old"]
        assert set(plan.rows.values()) == {1}
        assert [file.digest for file in plan.files] == [mine]
        assert counts(engine) == before

        done = prune(engine, plan)

        assert (done.runs, done.files, done.skipped_runs) == (1, 1, 0)
        assert counts(engine) == before | {name: before[name] - 1 for name in plan.rows}
        assert rows(engine, runs.c.run_id) == [("new",)]
        assert [path.name for path in (minerva_home / "artifacts").iterdir()] == [shared]


@pytest.mark.small(databases=1)
def test_what_waits_or_is_at_work_goes_only_by_its_name(store: Store, minerva_home: Path) -> None:
    """Whatever its age, and whatever the limits are; so does a run that was cut off."""
    with store.opened() as engine:
        for status in ("needs_human", "running", "queued"):
            fill(engine, f"r-{status}", thread=status, status=status, ended=NOW - 99 * DAY)
        fill(engine, "r-ok", ended=NOW - 99 * DAY)
        strict = PruneRule(older_than_s=DAY, keep=0)

        plan = planned(engine, minerva_home, strict)
        assert (ids(plan), plan.spared_runs) == (["r-ok"], 3)
        plan = planned(engine, minerva_home, PruneRule(named_ids=("r-needs_human", "r-run")))
        assert ids(plan) == ["r-needs_human", "r-running"]
        assert prune(engine, plan).runs == 2
        assert rows(engine, runs.c.run_id) == [("r-ok",), ("r-queued",)]


@pytest.mark.small(databases=1)
def test_a_name_must_be_that_of_one_run(store: Store, minerva_home: Path) -> None:
    """The beginning of an id is enough if no other begins so."""
    with store.opened() as engine:
        fill(engine, "ab1")
        fill(engine, "ab2")
        with pytest.raises(RunError, match="2 runs begin with 'ab'"):
            planned(engine, minerva_home, PruneRule(named_ids=("ab",)))
        with pytest.raises(UnknownRunError, match="no run `c`"):
            planned(engine, minerva_home, PruneRule(named_ids=("c",)))


@pytest.mark.small(databases=1)
def test_a_tenant_s_runs_go_alone(store: Store, minerva_home: Path) -> None:
    """Of files only those that no other tenant's run uses; a name is looked for among its runs."""
    with store.opened() as engine:
        mine, shared = stored(minerva_home, "mine"), stored(minerva_home, "shared")
        stray = stored(minerva_home, "stray")
        fill(engine, "hers", thread="a", ended=NOW - 9 * DAY, artifacts=[mine, shared])
        fill(engine, "his", thread="b", ended=NOW - 9 * DAY, artifacts=[shared])
        its = runs.c.run_id == "hers"
        engine.write(lambda c: c.execute(update(runs).where(its).values(tenant="acme")))
        plan = planned(engine, minerva_home, PruneRule(older_than_s=DAY, tenant="acme"))

        assert ids(plan) == ["hers"]
        assert [file.digest for file in plan.files] == [mine]
        with pytest.raises(UnknownRunError):
            planned(engine, minerva_home, PruneRule(named_ids=("his",), tenant="acme"))
        assert ids(planned(engine, minerva_home, PruneRule(keep=0, tenant="acme"))) == ["hers"]
        assert stray in [
            file.digest for file in planned(engine, minerva_home, PruneRule(older_than_s=DAY)).files
        ]


@pytest.mark.small(databases=1)
def test_the_newest_are_those_that_were_asked_last(store: Store, minerva_home: Path) -> None:
    """By their order, which no clock decides; those that wait are not counted."""
    with store.opened() as engine:
        for number, ended in enumerate((9, 8, 7, 6)):
            fill(engine, f"r{number}", thread=f"t{number}", ended=ended)
        fill(engine, "waits", thread="w", status="needs_human")

        assert ids(planned(engine, minerva_home, PruneRule(keep=1))) == ["r0", "r1", "r2"]
        assert planned(engine, minerva_home, PruneRule(keep=4)).is_empty


@pytest.mark.small(databases=1)
def test_an_artifact_that_a_run_may_just_have_given_stays(store: Store, minerva_home: Path) -> None:
    """Its rows may not be written yet; the next prune takes it if nobody names it by then."""
    with store.opened() as engine:
        fresh = stored(minerva_home, "fresh", at=NOW)
        old = stored(minerva_home, "old")
        fill(engine, "r1", artifacts=[fresh, old])
        plan = planned(engine, minerva_home, PruneRule(keep=0))
        assert [file.digest for file in plan.files] == [old]

        again = stored(minerva_home, "old", at=NOW - 1)  # a run gives it between plan and removal
        assert prune(engine, plan).files == 0
        assert (minerva_home / "artifacts" / again).exists()


@pytest.mark.small(databases=1)
def test_another_process_at_work_keeps_its_thread(store: Store, minerva_home: Path) -> None:
    """Its own run and the turns that it may read; what it writes is whole. By name it loses it."""
    with store.opened() as engine, takers(store) as (first, second):
        assert first.do("ask", "a1", thread="busy") == "ok"
        assert second.do("ask", "b1", thread="free") == "ok"
        early = planned(engine, minerva_home, PruneRule(keep=0))
        assert first.do("begin", "a2", thread="busy") == "ok"

        done = prune(engine, early)
        assert (done.runs, done.skipped_runs) == (1, 1)
        assert planned(engine, minerva_home, PruneRule(keep=0)).is_empty
        assert first.do("end", "a2") == "ok"
        assert rows(engine, runs.c.run_id, runs.c.status) == [("a1", "ok"), ("a2", "ok")]

        assert first.do("begin", "a3", thread="busy") == "ok"
        prune(engine, planned(engine, minerva_home, PruneRule(named_ids=("a3",))))
        assert first.do("end", "a3") == "LeaseLostError"
        assert [run_id for (run_id,) in rows(engine, runs.c.run_id)] == ["a1", "a2"]


@pytest.mark.small(1)
def test_who_still_holds_a_removed_thread_cannot_write_to_its_successor(
    store: Store, minerva_home: Path
) -> None:
    """A later thread of the same name begins above every fence that was ever given in it."""
    with store.opened() as engine, takers(store, lease_seconds=1) as (stalled, other):
        assert stalled.do("begin", "r1") == "ok"
        stalled.process.send_signal(signal.SIGSTOP)
        assert other.do("ask", "r2") == "ok"
        every = PruneRule(keep=0, named_ids=("r1",))
        prune(engine, planned(engine, minerva_home, every))
        assert rows(engine, threads.c.thread_id) == []
        assert rows(engine, removed_threads.c.fence) == [(2,)]

        assert other.do("begin", "r3") == "ok"
        stalled.process.send_signal(signal.SIGCONT)
        assert stalled.do("end", "r1") == "LeaseLostError"
        assert other.do("end", "r3") == "ok"
        assert said(engine) == [(1, "r3")]


@pytest.mark.small(1)
def test_the_file_system_gets_the_space_back_while_another_process_writes(
    store: Store, minerva_home: Path
) -> None:
    """SQLite's file is as small as its rows afterwards; Postgres keeps the space for new rows."""
    with store.opened() as engine, takers(store, 1) as (other,):
        for number in range(40):
            fill(engine, f"r{number}", thread=f"t{number}", words="w" * 20_000)
        plan = planned(engine, minerva_home, PruneRule(keep=1))
        for number in range(20):
            other.tell("ask", f"o{number}", thread="other")
        done = prune(engine, plan)
        space = give_back(engine)
        answers = [other.heard() for _ in range(20)]

        assert (done.runs, answers) == (39, ["ok"] * 20)
        assert len(rows(engine, runs.c.run_id)) == 21
        if isinstance(store.place, Path):
            assert space.before > 5_000_000
            assert max(space.after, store.place.stat().st_size) < 700_000


def test_the_command_shows_first_and_removes_only_what_is_confirmed(
    type_in: Callable[..., Any], minerva_home: Path
) -> None:
    """In a pipe nobody can be asked, so `--yes` must be typed."""
    with opened_engine(minerva_home / "state.db") as engine:
        fill(engine, "r1", artifacts=[stored(minerva_home, "text")])
        fill(engine, "r2", thread="w", status="needs_human")
        looked = type_in("prune", "--keep", "0")
        assert looked.returncode == 0
        assert "runs: 1, in threads: 1" in looked.stdout
        assert "are at work or were cut off stay: 1." in looked.stdout
        assert "minerva prune --keep 0 --yes" in looked.stderr
        assert len(rows(engine, runs.c.run_id)) == 2

        told = json.loads(type_in("prune", "--keep", "0", "--yes", "--json").stdout)
        assert told["would_remove"]["runs"] == ["r1"]
        assert (told["removed"]["runs"], told["removed"]["artifacts"]) == (1, 1)
        assert rows(engine, runs.c.run_id) == [("r2",)]

        korean = type_in("prune", "--keep", "0", "--language", "ko", "--dry-run")
        assert "실행 1개는 남습니다" in korean.stdout


def test_the_command_says_what_is_wrong_with_a_limit(type_in: Callable[..., Any]) -> None:
    """And what to type; without any store there is nothing to remove, and none is made."""
    assert "--older-than 30d" in type_in("prune").stderr
    assert "is no time" in type_in("prune", "--older-than", "old").stderr
    assert type_in("prune", "--keep", "1").stdout == "Nothing is to be removed.\n"
