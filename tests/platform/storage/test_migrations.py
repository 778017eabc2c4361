"""Homes of earlier versions become homes of this one: in place, whole, with a copy until then."""

import json
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from alembic.config import Config
from alembic.script import ScriptDirectory
from ledger import Store, rows
from sqlalchemy import Connection, inspect, text

from minerva_platform.errors import StateError
from minerva_platform.storage import migrations
from minerva_platform.storage.engine.opening import opened_engine
from minerva_platform.storage.ledger.schema import SCHEMA, metadata, runs, threads, turns
from minerva_platform.storage.ledger.threads import Conversation, last_thread
from minerva_platform.storage.migrations.upgrade import upgrade

OLD = """
CREATE TABLE turns (
    thread_id TEXT NOT NULL, number INTEGER NOT NULL, turn TEXT NOT NULL,
    PRIMARY KEY (thread_id, number)
)
"""
KEPT_BY_0001 = (
    "INSERT INTO threads (thread_id, tenant, root) VALUES ('t', 'local', 'platform')",
    "INSERT INTO turns (thread_id, number, run_id, turn) VALUES ('t', 1, 'r', :turn)",
)
NEW_HOME = """
import sys
sys.path.insert(0, sys.argv[2])
from pathlib import Path
from kept import keep_turn
from minerva_platform.storage.ledger.turn import KeptTurn
turn = KeptTurn(request="r", answer="a", topic="t", run_id="i", status="ok")
keep_turn(Path(sys.argv[1]), "t", turn)
keep_turn(Path(sys.argv[1]), "t", turn.model_copy(update={"run_id": "j"}))
print([name for name in ("alembic", "sqlalchemy.orm", "psycopg") if name in sys.modules])
"""


def turn(run_id: str) -> str:
    """Return a turn as an earlier version kept it."""
    told = {"request": run_id, "answer": "a", "topic": "t", "status": "ok", "root": "platform"}
    return json.dumps({**told, "run_id": run_id})


def old_database(path: Path, *kept: tuple[str, int, str]) -> None:
    """Make a database as versions before the ledger left it."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(OLD)
        connection.executemany("INSERT INTO turns VALUES (?, ?, ?)", kept)
        connection.execute("CREATE TABLE checkpoints (x)")
        connection.commit()


def shape(connection: Connection) -> dict[str, Any]:
    """Return what the database says of our tables, without the order of it."""
    seen = inspect(connection)
    return {
        name: (
            {
                (each["name"], str(each["type"]), each["nullable"])
                for each in seen.get_columns(name)
            },
            seen.get_pk_constraint(name)["constrained_columns"],
            sorted(each["column_names"] for each in seen.get_unique_constraints(name)),
            sorted((str(each["name"]), each["unique"]) for each in seen.get_indexes(name)),
        )
        for name in metadata.tables
    }


def test_the_number_of_the_schema_is_alembic_s_newest() -> None:
    """Or a home would be changed by every run, or by none."""
    config = Config()
    config.set_main_option("script_location", str(Path(migrations.__file__).parent))

    assert ScriptDirectory.from_config(config).get_current_head() == SCHEMA


def test_a_home_of_before_has_the_tables_of_a_new_one(tmp_path: Path) -> None:
    """Columns, keys and indexes, whichever way they came."""
    old_database(tmp_path / "old.db", ("t", 1, turn("r")))
    found: list[dict[str, Any]] = []
    for name in ("old.db", "new.db"):
        with opened_engine(tmp_path / name) as engine:
            found.append(engine.write(shape))

    assert found[0] == found[1]


def test_the_turns_of_before_keep_their_order(tmp_path: Path) -> None:
    """In each thread and over all; a damaged one costs itself, and a repeated id nothing."""
    path = tmp_path / "state.db"
    kept = [("b", 1, turn("1")), ("a", 1, turn("2")), ("b", 2, "{"), ("b", 3, turn("1"))]
    old_database(path, *kept)

    assert last_thread(path) == "b"
    with opened_engine(path) as engine:
        found = rows(engine, turns.c.place, turns.c.thread_id, turns.c.number, turns.c.run_id)
        assert found == [(1, "b", 1, "1"), (2, "a", 1, "2"), (3, "b", 2, None), (4, "b", 3, None)]
        assert rows(engine, threads.c.thread_id, threads.c.root) == [
            ("a", "platform"),
            ("b", "platform"),
        ]
        assert rows(engine, runs.c.run_id) == []
    assert [each.request for each in Conversation(path, "b").turns()] == ["1", "1"]
    assert {each.name for each in tmp_path.iterdir()} == {"state.db", "state.db.lock"}


def test_a_change_that_fails_leaves_all_as_it_was_and_a_copy(tmp_path: Path) -> None:
    """For the owner alone; the next attempt begins from the start."""
    path, copy = tmp_path / "state.db", tmp_path / f"state.before-{SCHEMA}.db"
    old_database(path, ("t", 1, turn("r")))
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE runs (a_stranger_s)")
    with pytest.raises(StateError, match="table runs already exists"):
        last_thread(path)

    for each in (path, copy):
        with closing(sqlite3.connect(each)) as connection:
            assert connection.execute("SELECT turn FROM turns").fetchall() == [(turn("r"),)]
            connection.execute("DROP TABLE runs")
    assert copy.stat().st_mode & 0o777 == 0o600
    assert last_thread(path) == "t"
    assert not copy.exists()


def test_neither_a_new_home_nor_one_of_now_costs_alembic(tmp_path: Path) -> None:
    """It is imported only where tables are changed; SQLAlchemy's mapper never is."""
    command = [sys.executable, "-c", NEW_HOME, str(tmp_path / "state.db")]
    support = Path(__file__).parents[2] / "support"
    done = subprocess.run([*command, support], capture_output=True, text=True, check=True)

    assert done.stdout == "[]\n"


@pytest.mark.small(databases=1)
def test_both_databases_get_the_same_tables_from_the_migrations(store: Store) -> None:
    """Those of the code, which a new database gets at once; a turn that was there is read."""
    with store.opened() as engine:
        made = engine.write(shape)

        def again(connection: Connection) -> dict[str, Any]:
            metadata.drop_all(connection)
            upgrade(connection, "0001")
            for statement in KEPT_BY_0001:
                connection.execute(text(statement), {"turn": turn("환자번호")})
            upgrade(connection)
            return shape(connection)

        remade = engine.write(again)
        assert [each.request for each in Conversation(engine, "t").turns()] == ["환자번호"]
    del made["minerva_schema"], remade["minerva_schema"]  # Alembic names its key

    assert remade == made
