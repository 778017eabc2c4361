"""Many users of one database: it stays whole, they wait for each other, and damage is set aside."""

import asyncio
import json
import logging
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import copies
import pytest
from kept import keep_turn

from minerva_platform import RunError
from minerva_platform.errors import StateBusyError, StateDamagedError
from minerva_platform.run_context.blocking import run_sync
from minerva_platform.run_context.user_messages import NOTICES
from minerva_platform.storage.engine.database import Database, opened
from minerva_platform.storage.engine.database_file import open_file
from minerva_platform.storage.engine.opening import engine_in_loop
from minerva_platform.storage.ledger.threads import Conversation, check_thread, last_thread
from minerva_platform.storage.ledger.turn import KeptTurn

CROWD = Path(__file__).parents[2] / "chaos" / "crowd.py"
TURN = KeptTurn(request="r", answer="a", topic="t", run_id="i", status="ok")

PROBE = """
import fcntl, os, sys
file = os.open(sys.argv[1], os.O_RDWR)
try:
    fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 510, 0x40000002)  # SQLite's SHARED range
except OSError:
    print("held")
else:
    print("free")
"""

FORKED = """
import os, sys
from pathlib import Path
from minerva_platform.storage.engine.database import opened
from minerva_platform.errors import StateError

path = Path(sys.argv[1])
def add(connection):
    with connection:
        connection.execute("INSERT INTO t VALUES (?)", (os.getpid(),))

with opened(path) as mine:
    mine.call(lambda connection: connection.execute("CREATE TABLE t (pid)"))
    if os.fork() == 0:
        try:
            mine.call(add)
        except StateError as error:
            print("child:", error)
        with opened(path) as its_own:
            print("child:", its_own is not mine)
        sys.exit()
    os.wait()
    mine.call(add)
    print("parent: 1 row", mine.call(lambda connection: connection.execute(
        "SELECT count(*) FROM t").fetchone()) == (1,))
"""

AT_ONCE = """
import os, sys
from pathlib import Path
from minerva_platform.storage.engine.database import opened

def add(connection):
    connection.execute("CREATE TABLE IF NOT EXISTS t (pid)")
    with connection:
        connection.execute("INSERT INTO t VALUES (?)", (os.getpid(),))

start, go = os.pipe()
for _ in range(8):
    if os.fork() == 0:
        os.close(go)
        os.read(start, 1)
        for _ in range(5):
            with opened(Path(sys.argv[1])) as database:
                database.call(add)
        os._exit(0)
os.close(start)
os.close(go)
while True:
    try:
        os.wait()
    except ChildProcessError:
        break
"""


def python(program: str, *arguments: str | Path) -> str:
    """Return what a program says in a process of its own, both streams together."""
    command = [sys.executable, "-c", program, *map(str, arguments)]
    done: subprocess.CompletedProcess[str] = copies.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=True
    )
    return done.stdout


def fill(path: Path) -> None:
    """Make a database of some hundred pages."""

    def rows(connection: sqlite3.Connection) -> None:
        connection.execute("CREATE TABLE t (x)")
        with connection:
            connection.executemany("INSERT INTO t VALUES (?)", [("x" * 500,)] * 1_000)

    with opened(path) as database:
        database.call(rows)


def count(database: Database) -> int:
    """Return how many rows it has, all of which are read."""
    query = "SELECT count(*) FROM t WHERE x LIKE 'x%'"
    return int(database.call(lambda one: one.execute(query).fetchone()[0]))


def check(path: Path) -> list[tuple[str]]:
    """Return what SQLite finds wrong with a database, [("ok",)] if nothing is."""
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute("PRAGMA integrity_check").fetchall()


@contextmanager
def heard() -> Generator[list[str]]:
    """Give the notices of the block."""
    said: list[str] = []

    class Keep(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            said.append(record.getMessage())

    logger, handler = logging.getLogger(NOTICES), Keep()
    logger.addHandler(handler)
    try:
        yield said
    finally:
        logger.removeHandler(handler)


async def test_nothing_that_is_done_lets_go_of_the_process_s_lock(minerva_home: Path) -> None:
    """Without it another process takes itself for the last, and deletes the log of this one."""
    state = minerva_home / "state.db"
    async with engine_in_loop(state) as engine:
        async with engine_in_loop(state) as other:
            await other.awrite(lambda _: None)
        keep_turn(state, "t", TURN)
        assert last_thread(state) == check_thread("last", state) == "t"
        assert Conversation(engine, "t").latest() == TURN

        assert python(PROBE, state) == "held\n"
    assert python(PROBE, state) == "free\n"


async def test_all_runs_of_a_process_share_one_connection(tmp_path: Path) -> None:
    """Those in other threads with event loops of their own, too; the last one closes it."""
    path = tmp_path / "state.db"
    found: list[sqlite3.Connection] = []
    together = threading.Barrier(4)

    async def one_run() -> None:
        async with engine_in_loop(path):
            with opened(path) as database:
                found.append(await database.acall(lambda connection: connection))
                await asyncio.to_thread(together.wait)

    threads = [threading.Thread(target=run_sync, args=(one_run,)) for _ in range(3)]
    for thread in threads:
        thread.start()
    await one_run()
    for thread in threads:
        thread.join()

    assert len({*found}) == 1
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        found[0].execute("SELECT 1")
    assert not path.with_name("state.db-wal").exists()


async def test_only_the_owner_reads_what_runs_keep(minerva_home: Path) -> None:
    """The folder, the database and all that SQLite puts beside it, while it is open."""
    async with engine_in_loop(minerva_home / "state.db"):
        keep_turn(minerva_home / "state.db", "t", TURN)
        found = modes(minerva_home)

    names = ("state.db", "state.db-shm", "state.db-wal", "state.db.lock")
    assert found == {".minerva": 0o700, **dict.fromkeys(names, 0o600)}


def modes(folder: Path) -> dict[str, int]:
    """Return who may do what with a folder and with what is in it."""
    return {each.name: each.stat().st_mode & 0o777 for each in (folder, *folder.iterdir())}


def test_a_folder_that_was_there_keeps_its_mode(tmp_path: Path) -> None:
    """It may be shared with others on purpose."""
    tmp_path.chmod(0o755)
    last_thread(tmp_path / "state.db")

    assert tmp_path.stat().st_mode & 0o777 == 0o755


@pytest.mark.parametrize(
    ("end", "filling", "cause"),
    [
        (0, b"no database at all " * 500, "file is not a database"),
        (40_000, b"", "database disk image is malformed"),
        (100, b"\x00" * 3_996, "database disk image is malformed"),
    ],
)
def test_a_damaged_database_is_set_aside_with_a_sentence(
    end: int, filling: bytes, cause: str, tmp_path: Path
) -> None:
    """Nothing of it is lost, and whoever came with a question is served."""
    path = tmp_path / "state.db"
    fill(path)
    damaged = path.read_bytes()[:end] + filling
    path.write_bytes(damaged)

    with heard() as said:
        keep_turn(path, "t", TURN)

    assert said == [
        f"{path} was damaged ({cause}). It is kept as state.damaged-1.db; a new one begins without "
        "its conversations."
    ]
    assert (tmp_path / "state.damaged-1.db").read_bytes() == damaged
    assert check(path) == [("ok",)]


def test_an_earlier_damaged_database_is_not_overwritten(tmp_path: Path) -> None:
    """Each has a number of its own, and what lies beside it goes with it."""
    path = tmp_path / "state.db"
    for text in ("first", "second"):
        path.write_text(text * 1_000)
        path.with_name("state.db-shm").write_text(f"{text} index")
        last_thread(path)

    kept = {each.name: each.read_text()[:15] for each in tmp_path.glob("*damaged*")}
    assert kept == {
        "state.damaged-1.db": "firstfirstfirst",
        "state.damaged-1.db-shm": "first index",
        "state.damaged-2.db": "secondsecondsec",
        "state.damaged-2.db-shm": "second index",
    }


def test_a_good_database_that_takes_the_place_of_a_damaged_one_stays(tmp_path: Path) -> None:
    """A person may bring a copy back before anybody has set the other one aside."""
    path = tmp_path / "state.db"
    fill(path)
    path.with_name("state.db.damaged").write_text("a run had found a broken page")
    with opened(path) as database, heard() as said:
        assert count(database) == 1_000

    assert said == []
    assert {each.name for each in tmp_path.iterdir()} == {"state.db", "state.db.lock"}


def test_an_empty_file_is_a_new_database(tmp_path: Path) -> None:
    """SQLite takes it for one; whoever made it was killed before the first page was written."""
    path = tmp_path / "state.db"
    path.touch()
    with heard() as said:
        keep_turn(path, "t", TURN)

    assert said == []
    assert last_thread(path) == "t"


def test_a_damaged_database_is_not_renamed_under_who_has_it_open(tmp_path: Path) -> None:
    """At its end SQLite would delete the log by its name, which is the new database's by then."""
    path = tmp_path / "state.db"
    fill(path)
    overwrite = "import os, sys; os.pwrite(os.open(sys.argv[1], os.O_RDWR), bytes(300_000), 4096)"
    with opened(path) as first:
        first.call(lambda connection: connection.execute("SELECT 1"))
        python(overwrite, path)  # another process's, because this one's locks would go with it
        with pytest.raises(StateDamagedError):
            count(first)
        with pytest.raises(StateBusyError, match="others still have it"):
            open_file(path, until=0.0)
        assert not list(tmp_path.glob("state.damaged-*"))
    with opened(path) as third, heard() as said:
        tables = third.call(lambda one: one.execute("SELECT * FROM sqlite_master").fetchall())

    assert (tables, len(said)) == ([], 1)
    assert [each.name for each in tmp_path.glob("state.damaged-*")] == ["state.damaged-1.db"]


def test_of_many_that_find_the_damage_at_once_one_sets_it_aside(tmp_path: Path) -> None:
    """The others go on with the new one; nobody takes that for the damaged one."""
    path = tmp_path / "state.db"
    path.write_bytes(b"no database at all " * 500)

    said = python(AT_ONCE, path).splitlines()

    assert [each.name for each in tmp_path.glob("*damaged*")] == ["state.damaged-1.db"]
    assert len(said) == 1
    assert check(path) == [("ok",)]
    with closing(sqlite3.connect(path)) as connection:
        kept = connection.execute("SELECT count(*), count(DISTINCT pid) FROM t").fetchone()
    assert kept == (40, 8)


def test_a_forked_process_has_no_part_in_the_connection(tmp_path: Path) -> None:
    """It would let go of the parent's locks, and clean up a log that is still written to."""
    said = python(FORKED, tmp_path / "state.db")

    assert "was opened before this process was forked" in said
    assert said.splitlines()[1:] == ["child: True", "parent: 1 row True"]
    assert check(tmp_path / "state.db") == [("ok",)]


def test_what_an_operation_leaves_open_is_undone(tmp_path: Path) -> None:
    """It is one transaction; half of it may not come into the next one's."""
    path = tmp_path / "state.db"
    fill(path)

    def half(connection: sqlite3.Connection) -> None:
        connection.execute("INSERT INTO t VALUES ('x')")
        message = "no database error"
        raise ValueError(message)

    with opened(path) as database:
        with pytest.raises(ValueError, match="no database error"):
            database.call(half)
        assert count(database) == 1_000


def test_who_waits_in_vain_is_told_by_whom_it_is_held_up(tmp_path: Path) -> None:
    """In plain words; a lock is no reason for a traceback."""
    path = tmp_path / "state.db"
    fill(path)
    with closing(sqlite3.connect(path)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(RunError, match=r"state\.db, which stayed busy until the time was up"):
            keep_turn(path, "t", TURN, seconds=0.1)
        assert last_thread(path) is None  # who only reads does not wait


def crowd(home: Path, *numbers: int) -> dict[str, Any]:
    """Let processes ask in one home; return what was seen, as `tests/chaos/crowd.py` explains."""
    command = [sys.executable, str(CROWD), str(home), *map(str, numbers)]
    done = copies.run(command, stdout=subprocess.PIPE, check=True)
    seen: dict[str, Any] = json.loads(done.stdout)
    return seen


def test_four_processes_in_one_home_lose_nothing(minerva_home: Path) -> None:
    """Each run ends well, each turn is kept, and the database is whole; `make chaos` has more."""
    seen = crowd(minerva_home, 4, 6, 1)

    assert seen["unwell"] == []
    assert seen["integrity"] == ["ok"]
    assert len(seen["told"]) == 24
    assert seen["kept"] == seen["told"]


def test_many_runs_at_once_share_the_database(minerva_home: Path) -> None:
    """They queue for it, and nobody is told that it is locked; `make chaos` has 200."""
    seen = crowd(minerva_home, 1, 20, 20)

    assert seen["unwell"] == []
    assert len(seen["told"]) == 20
    assert seen["kept"] == seen["told"]


def test_a_writer_that_is_killed_costs_nobody_else_anything(minerva_home: Path) -> None:
    """What it had said to be done is there, too; the lock is the system's and ends with it."""
    seen = crowd(minerva_home, 3, 6, 1, 4)

    assert seen["unwell"] == []
    assert seen["integrity"] == ["ok"]
    assert len(seen["told"]) - seen["of_the_killed"] == 12
    assert set(seen["told"]) - set(seen["kept"]) == set()
    assert len(seen["kept"]) - len(seen["told"]) in {0, 1}  # kept, and killed before it said so
