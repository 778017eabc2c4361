"""Care of the store beside many writers, and killed anywhere, on SQLite and Postgres.

`make test` has the small forms, in tests/platform/storage/test_prune.py and its neighbours.
"""

import os
import random
import subprocess
import sys
import tarfile
import time
from functools import partial
from pathlib import Path

import pytest
from filled import fill, stored
from ledger import Store, rows, said, takers
from sqlalchemy import Connection

from minerva_platform.storage.engine.engine import Engine
from minerva_platform.storage.engine.opening import opened_engine
from minerva_platform.storage.files.artifacts import find_artifacts
from minerva_platform.storage.ledger.schema import runs, threads, turns
from minerva_platform.storage.maintenance.backup import back_up
from minerva_platform.storage.maintenance.examination.checkpoints import examine_checkpoints
from minerva_platform.storage.maintenance.examination.database import examine_file
from minerva_platform.storage.maintenance.examination.finding import Finding
from minerva_platform.storage.maintenance.examination.rows import examine_rows
from minerva_platform.storage.maintenance.examination.runs import examine_runs
from minerva_platform.storage.maintenance.forget import forget, plan_forget
from minerva_platform.storage.maintenance.prune import PrunePlan, PruneRule, plan_prune, prune
from minerva_platform.storage.maintenance.space import give_back

CANARY = "canary-7f3d"
COMMAND = "from minerva_platform.cli.main import main; main()"


def faults(engine: Engine) -> list[Finding]:
    """Return what is wrong with the store."""

    def looked(connection: Connection) -> list[Finding]:
        found = [*examine_rows(connection), *examine_checkpoints(connection)]
        return [*found, *examine_runs(connection, engine)]

    found = engine.read(looked, empty=list[Finding]())
    if isinstance(engine.place, Path):
        found += examine_file(engine.place)
    return [finding for finding in found if not finding.is_note]


def prune_to(engine: Engine, home: Path, keep: int) -> int:
    """Remove all but the newest runs; return how many went."""
    rule = PruneRule(keep=keep)
    work = partial(
        plan_prune, engine=engine, place=find_artifacts(home), rule=rule, now=time.time()
    )
    return prune(engine, engine.read(work, empty=PrunePlan())).runs


def test_eight_processes_write_while_the_store_is_pruned_copied_and_shrunk(
    store: Store, minerva_home: Path, tmp_path: Path
) -> None:
    """Every turn is answered, every copy is whole, and what is left at the end is right."""
    copies: list[Path] = []
    with store.opened() as engine, takers(store, 8) as many:
        for number in range(25):
            for who, taker in enumerate(many):
                taker.tell("ask", f"{who}-{number}", thread=f"t{who}", seconds=300)
        gone = 0
        for number in range(10):
            for taker in many:
                assert taker.heard() == "ok"
            fill(engine, f"mine-{number}", thread="mine", words=f"{CANARY} " * 200)
            gone += prune_to(engine, minerva_home, keep=60)
            plan = partial(
                plan_forget, engine=engine, place=find_artifacts(minerva_home), thread_id="mine"
            )
            found = engine.read(plan, empty=None)
            if found is not None:
                forget(engine, found)
            give_back(engine)
            if isinstance(store.place, Path):
                copies.append(tmp_path / f"{number}.tar")
                back_up(store.place, find_artifacts(minerva_home), copies[-1])
        for _ in range(15):
            for taker in many:
                assert taker.heard() == "ok"
        gone += prune_to(engine, minerva_home, keep=60)
        assert faults(engine) == []
        assert gone >= 140
        assert 50 <= len(said(engine)) == len(rows(engine, runs.c.run_id)) <= 60
    for copy in copies:
        with tarfile.open(copy) as archive:
            archive.extractall(copy.with_suffix(""), filter="data")
        with opened_engine(copy.with_suffix("") / "state.db") as engine:
            held = {finding.code for finding in faults(engine)}
            assert held <= {"run_cut_off"}  # their processes had them when it was copied
            kept = {run_id for (run_id,) in rows(engine, runs.c.run_id)}
            assert kept == {run_id for (run_id,) in rows(engine, turns.c.run_id)}


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("words", [("prune", "--keep", "5"), ("forget", "t")])
def test_a_command_that_is_killed_anywhere_leaves_a_whole_store(
    store: Store, minerva_home: Path, words: tuple[str, ...], seed: int
) -> None:
    """Typed again, it ends what it began; nothing readable of a forgotten thread stays."""
    chance = random.Random(seed)  # noqa: S311  # when to kill
    is_sqlite = isinstance(store.place, Path)
    url = f"sqlite:///{store.address}" if is_sqlite else store.address
    environment = os.environ | {"MINERVA_STORAGE_URL": url, "MINERVA_HOME": str(minerva_home)}
    command = (sys.executable, "-c", COMMAND, *words, "--yes")
    with store.opened() as engine:
        for number in range(200):
            digest = stored(minerva_home, f"{CANARY} {number}")
            text = f"{CANARY} {number} " * 100
            fill(engine, f"r{number}", words=text, artifacts=[digest])
        fill(engine, "other", thread="o")
    started = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE)
    assert started.stdout is not None
    started.stdout.readline()  # it has shown what would go, and begins
    time.sleep(chance.random() * 0.4)
    started.kill()
    started.communicate()
    with store.opened() as engine:
        assert {finding.code for finding in faults(engine)} <= {"lease_left"}
    store.shift(60)  # its lease is over by now, where its death is not known
    again = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)

    with store.opened() as engine:
        assert faults(engine) == []
        if words[0] == "prune":
            assert again.returncode == 0
            assert len(rows(engine, runs.c.run_id)) == 5
            return
        assert again.returncode == 0 or "There is no thread `t`" in again.stderr
        assert rows(engine, threads.c.thread_id) == [("o",)]
        if is_sqlite:
            left = [path.name for path in minerva_home.rglob("*") if _holds(path, CANARY)]
            assert left == []


def _holds(path: Path, word: str) -> bool:
    return path.is_file() and word.encode() in path.read_bytes()
