"""The space that a database takes on disk, and giving it back to the file system."""

import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from sqlalchemy import Connection, text

from minerva_platform.errors import StateError
from minerva_platform.storage.engine.database import PATIENCE_S, opened
from minerva_platform.storage.engine.engine import Engine
from minerva_platform.storage.engine.location import PostgresPlace
from minerva_platform.storage.ledger.schema import metadata

_LOG: Final = "-wal"


@dataclass(frozen=True, slots=True)
class Space:
    """The bytes that a database took before and after."""

    before: int
    after: int


def give_back(engine: Engine) -> Space:
    """Make the database as small as what it holds, while others go on reading and writing.

    SQLite writes its file anew, which takes free space of the same size, and others wait to write
    meanwhile. Nothing that was deleted is left in the file or its log afterwards. Postgres' VACUUM
    keeps the space for new rows.

    Raises:
        StateError: others used the database all the time, or there is no space on the disk.
    """
    if isinstance(engine.place, PostgresPlace):
        return _vacuum_postgres(engine)
    before = _bytes_on_disk(engine.place)
    _run_steps(engine.place, _vacuum, _truncate)
    return Space(before, _bytes_on_disk(engine.place))


def truncate_log(engine: Engine) -> None:
    """Write SQLite's log back into its file and empty it; Postgres keeps its own.

    Raises:
        StateError: others read from the log all the time.
    """
    if isinstance(engine.place, Path):
        _run_steps(engine.place, _truncate)


def _run_steps(place: Path, *steps: Callable[[sqlite3.Connection], None]) -> None:
    with opened(place) as database:
        try:
            for step in steps:
                database.call(step, seconds=PATIENCE_S)
        except sqlite3.Error as error:
            reason = (
                f"gives no space back: {error}. What was removed is gone from its tables, and its "
                "bytes may still be in the file. Make room, or end other programs that use it, "
                "then type the same again."
            )
            raise StateError(place, reason) from error


def _vacuum(connection: sqlite3.Connection) -> None:
    connection.execute("VACUUM")


def _truncate(connection: sqlite3.Connection) -> None:
    """Write the log back into the file and empty it.

    Raises:
        sqlite3.OperationalError: somebody still reads what is only in the log.
    """
    busy, _, _ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    if busy:
        error = sqlite3.OperationalError("others still read its log")
        error.sqlite_errorcode = sqlite3.SQLITE_BUSY  # `Database` then tries again
        raise error


def _bytes_on_disk(place: Path) -> int:
    log = place.with_name(place.name + _LOG)
    return sum(path.stat().st_size for path in (place, log) if path.exists())


def _vacuum_postgres(engine: Engine) -> Space:
    from minerva_platform.storage.engine.postgres import PostgresEngine  # noqa: PLC0415  # few need it

    assert isinstance(engine, PostgresEngine)  # noqa: S101  # its place says so
    return engine.outside_transactions(_vacuum_tables)


def _vacuum_tables(connection: Connection) -> Space:
    names = [table.name for table in metadata.sorted_tables]
    sizes = text(
        "SELECT sum(pg_total_relation_size(to_regclass(name))) "
        "FROM unnest(CAST(:names AS text[])) AS name"
    ).bindparams(names=names)
    before = int(connection.execute(sizes).scalar() or 0)
    connection.execute(text(f"VACUUM {', '.join(names)}"))
    return Space(before, int(connection.execute(sizes).scalar() or 0))
