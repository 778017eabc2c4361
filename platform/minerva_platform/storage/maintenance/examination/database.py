"""Examines the database itself: SQLite's file, and the tables in either.

A damaged file would be set aside by whoever opens it as runs do. So it is read here by a
connection of its own, which changes nothing.
"""

import os
import shlex
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryFile
from typing import Final

from sqlalchemy import Connection, inspect

from minerva_observability.file_lock import take_lock
from minerva_platform.storage.engine.database_file import (
    copies_set_aside,
    is_busy,
    is_damage,
    is_marked,
    lock_file_of,
    open_to_read,
)
from minerva_platform.storage.engine.refusals import NEEDED_BYTES, remedy_of
from minerva_platform.storage.engine.store_keys import key_ids
from minerva_platform.storage.ledger.schema import metadata, storage_keys
from minerva_platform.storage.maintenance.examination.finding import Finding

_WAIT_S: Final = 30.0
_MAX_FAULTS: Final = 20
_OTHERS: Final = 0o077


def examine_file(path: Path) -> list[Finding]:
    """Return what is wrong with SQLite's file; its rows can be read if nothing of it is damaged."""
    return [*_damage(path), *_around(path)]


def examine_folder(folder: Path) -> Iterator[Finding]:
    """Try what runs need of a folder that is there: a lock, and room. Nothing is left in it."""
    if not folder.is_dir():
        return
    try:
        with TemporaryFile(dir=folder, prefix=".doctor-") as probe:
            take_lock(probe.fileno())
            probe.write(bytes(NEEDED_BYTES))
            probe.flush()
    except OSError as error:
        values = {"cause": f"{error.strerror}. {remedy_of(error, folder)}"}
        yield Finding("folder_unusable", str(folder), "doctor", values)


def is_damaged(findings: list[Finding]) -> bool:
    """True if rows of the database had better not be read."""
    return any(
        finding.code in {"database_damaged", "database_marked", "database_unusable"}
        for finding in findings
    )


def examine_tables(connection: Connection) -> list[Finding]:
    """Return the tables and columns that this version needs and does not find."""
    found = inspect(connection)
    there = set(found.get_table_names())
    missing: list[str] = []
    for table in metadata.sorted_tables:
        if table.name not in there:
            missing.append(table.name)
            continue
        columns = {column["name"] for column in found.get_columns(table.name)}
        missing += [
            f"{table.name}.{column.name}" for column in table.c if column.name not in columns
        ]
    if not missing:
        return []
    return [Finding("schema_differs", ", ".join(missing), "backup store.tar")]


def examine_keys(connection: Connection) -> list[Finding]:
    """Return whether the store was left while it was turned to another key."""
    ids = key_ids(connection)
    command = "encrypt" if ids[0] else "encrypt --to-plain"
    return [Finding("keys_mixed", storage_keys.name, command)] if len(ids) > 1 else []


def _damage(path: Path) -> Iterator[Finding]:
    lock = lock_file_of(path)
    try:
        take_lock(lock, is_shared=True)  # nobody renames it meanwhile
        if is_marked(path):
            yield Finding("database_marked", str(path), _restore(path))
        yield from _faults(path)
    finally:
        os.close(lock)


def _faults(path: Path) -> Iterator[Finding]:
    try:
        with closing(open_to_read(path, seconds=_WAIT_S)) as connection:
            query = f"PRAGMA integrity_check({_MAX_FAULTS})"
            faults = [str(fault) for (fault,) in connection.execute(query)]
            if faults != ["ok"]:
                yield _damage_finding(path, faults)
                return
            loose = connection.execute("PRAGMA foreign_key_check").fetchall()
    except sqlite3.DatabaseError as error:
        if is_damage(error):
            yield _damage_finding(path, [str(error)])
        else:
            cause = f"{error}." if is_busy(error) else f"{error}. {remedy_of(error, path)}"
            yield Finding("database_unusable", str(path), "doctor", {"cause": cause})
        return
    for table in sorted({table for table, *_ in loose}):
        count = sum(name == table for name, *_ in loose)
        yield Finding(
            "rows_point_nowhere", f"{path}, {table}", "backup store.tar", {"count": count}
        )


def _around(path: Path) -> Iterator[Finding]:
    if path.stat().st_mode & _OTHERS:
        command = f"$ {shlex.join(['chmod', '600', str(path)])}"
        yield Finding("database_open_to_others", str(path), command)
    for copy in copies_set_aside(path):
        yield Finding("copy_set_aside", str(copy), f"$ {shlex.join(['rm', str(copy)])}")


def _damage_finding(path: Path, faults: list[str]) -> Finding:
    first = faults[0].removeprefix("*** in database main ***").strip().splitlines()[0]
    values = {"cause": first, "count": len(faults)}
    return Finding("database_damaged", str(path), _restore(path), values)


def lost_finding(path: Path) -> Finding:
    """Return the finding about a database that is empty or gone, though it held runs."""
    return Finding("database_lost", str(path), _restore(path))


def _restore(path: Path) -> str:
    """Return the command that puts a backup in the place of the database's folder."""
    home = path.absolute().parent
    aside = home.with_name(f"{home.name}.damaged")
    return (
        f"$ mv {shlex.quote(str(home))} {shlex.quote(str(aside))} && "
        f"mkdir -m 700 {shlex.quote(str(home))} && "
        f"tar -xof BACKUP.tar -C {shlex.quote(str(home))}"
    )
