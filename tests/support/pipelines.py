"""The pipeline of `configs/examples/pipeline`: its files, its databases, and runs to be killed."""

import hashlib
import os
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from itertools import count
from pathlib import Path
from typing import Any

import psycopg
from sqlalchemy import URL, Engine, MetaData, NullPool, create_engine, event, select, text

from minerva_platform import Run, Team
from minerva_platform.assembly.platform_tree import build_platform
from minerva_platform.assembly.registry import find_teams
from minerva_platform.config.settings import Rule, Settings
from minerva_platform.testing import Scenario, kill_point

FOLDER = Path(__file__).parents[2] / "configs" / "examples" / "pipeline"
REQUEST = "load the table visits"
POLICY = (FOLDER / "schema.sql", FOLDER / "privacy.yaml")
GOOD, BAD = FOLDER / "visits.csv", FOLDER / "visits-bad.csv"
TARGET = "PIPELINE_TARGET"
CLUSTER = "PIPELINES_CLUSTER"
"""The variable with the address of a cluster that has a target for each home."""
MARK = "warehouse"
"""Stands in the address of each target, so that its statements are known."""
_numbers = count()


def module(name: str) -> Any:
    """Return a module of the example, as `platform.yaml` has it loaded."""
    (team,) = find_teams(["./pipeline.py:Pipeline"], settings=Settings(FOLDER)).teams
    return import_module(f"{team.declaration.__module__.rpartition('.')[0]}.{name}")


@dataclass(frozen=True, slots=True)
class Warehouse:
    """A database to load into, or to read from."""

    url: str

    def execute(self, *statements: str) -> None:
        """Change it."""
        with self._engine().begin() as connection:
            for statement in statements:
                connection.execute(text(statement))

    def tables(self) -> dict[str, list[tuple[Any, ...]]]:
        """Return the rows of each table, in no order that a database would not promise."""
        found = MetaData()
        with self._engine().connect() as connection:
            found.reflect(connection)
            return {
                name: sorted(map(tuple, connection.execute(select(table))), key=str)
                for name, table in found.tables.items()
            }

    def _engine(self) -> Engine:
        address = self.url.replace("postgresql:", "postgresql+psycopg:")
        return create_engine(address, poolclass=NullPool)


def sqlite_warehouse(folder: Path, name: str = MARK) -> Warehouse:
    """Return a database in a file of its own. `warehouse.db` in the home is what a run takes."""
    return Warehouse(str(URL.create("sqlite", database=str(folder / f"{name}.db"))))


def postgres_warehouse(address: str, name: str = "") -> Warehouse:
    """Return a schema of its own."""
    schema = f"{MARK}_{name or f'{os.getpid()}_{next(_numbers)}'}"
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute(f"CREATE SCHEMA IF NOT EXISTS {schema}".encode())
    return Warehouse(f"{address}&options=-csearch_path%3D{schema}")


def warehouse_of(home: Path) -> Warehouse:
    """Return the target of the runs in a home."""
    address = os.environ.get(CLUSTER)
    if address is None:
        return sqlite_warehouse(home)
    return postgres_warehouse(address, hashlib.sha256(str(home).encode()).hexdigest()[:16])


for heavy in ("minerva_data.team", "minerva_governance.team", "sqlalchemy.dialects.postgresql"):
    import_module(heavy)  # once, before a process is forked for each move


def teams() -> Team:
    """Return the teams of the example below one that asks the pipeline."""
    platform = build_platform(Settings(FOLDER))
    found = Team(name="clinic", description="Loads.", members=platform.agents)
    found.router, found.rules = "rules", (Rule(when="load", goals=("pipeline",)),)
    return found


def watched_teams() -> Team:
    """Return them in a process that is killed at each statement of a target, and each copy."""
    os.environ[TARGET] = warehouse_of(Path.cwd()).url
    event.listen(Engine, "before_cursor_execute", _statement)
    event.listen(Engine, "commit", lambda connection: _at(connection, "the commit"))
    event.listen(Engine, "engine_disposed", partial(_at, what="the end of a connection"))
    sys.addaudithook(_file)
    return teams()


def _statement(connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
    _at(connection, " ".join(statement.split()[:3]))


def _at(connection: Any, what: str) -> None:
    if MARK in str(connection.engine.url):
        kill_point(what)


def _file(name: str, given: Sequence[Any]) -> None:
    if name in {"shutil.copyfile", "os.rename"} and "/quarantine/" in str(given[:2]):
        kill_point(name)


def what_is_seen(run: Run) -> object:
    """Return what of a run is the same in each home."""
    hops = sorted({(hop.path, hop.status) for hop in run.hops})
    return run.status, re.sub(r"`[^`]*/quarantine/", "`", run.answer), hops


def scenario(file: Path, storage_url: str | None = None) -> Scenario:
    """Return a run that loads a file, to be killed."""
    return Scenario(
        team=watched_teams,
        request=REQUEST,
        attachments=(file, *POLICY),
        same=what_is_seen,
        storage_url=storage_url,
    )


def left_by(home: Path) -> tuple[dict[str, list[tuple[Any, ...]]], dict[str, bytes]]:
    """Return what the runs of a home have left: tables, and files in quarantine."""
    return contents(warehouse_of(home)), quarantined(home)


def contents(warehouse: Warehouse) -> dict[str, list[tuple[Any, ...]]]:
    """Return the tables, without what tells one run from another."""
    tables = warehouse.tables()
    tables["pipeline_loads"] = [row[:-1] for row in tables.get("pipeline_loads", [])]
    return tables


def quarantined(home: Path) -> dict[str, bytes]:
    """Return what lies in quarantine, by file, the lock apart."""
    folder = home / "quarantine"
    files = (path for path in folder.rglob("*") if path.is_file() and path.name != ".lock")
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}
