"""What `minerva encrypt` does: it writes each value anew, by the key of the environment.

First the store says by which key new values are encrypted, and those who do not have it are
refused; the keys of before go last. So the store can be read all the time, because a value says by
which key it is encrypted, and a command that was killed is typed again.
"""

import shutil
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Final

from sqlalchemy import Connection, Table, delete, select, tuple_, update

from minerva_observability.sinks.jsonl import withhold_texts
from minerva_platform.contract.attachment import UPLOADS
from minerva_platform.contract.values import Content
from minerva_platform.errors import RunError
from minerva_platform.storage.engine.compression import ENCRYPTED_TYPES, NameText
from minerva_platform.storage.engine.encryption import (
    EARLIER_VARIABLE,
    KEY_VARIABLE,
    NEW_KEY,
    PLAIN,
    keyring,
)
from minerva_platform.storage.engine.engine import Engine
from minerva_platform.storage.engine.store_keys import CHECKED_S, keep_keys, key_ids, unfit_keys
from minerva_platform.storage.files.artifacts import ArtifactPlace, locked_folder
from minerva_platform.storage.ledger.schema import contents, metadata
from minerva_platform.storage.maintenance.artifact_folder import stored_files
from minerva_platform.storage.maintenance.space import give_back

_BATCH: Final = 50
"""Rows that one transaction writes; of `contents`, one."""


def reencrypt(
    engine: Engine,
    artifacts: ArtifactPlace,
    *,
    to_plain: bool = False,
    pause: Callable[[float], None] = time.sleep,
) -> tuple[Path, ...]:
    """Encrypt all of a store by the key of the environment, or turn it to plain text.

    Return the records that a process writes to; they may hold texts of earlier errors.

    Raises:
        RunError: the variables do not say what is to be done.
        StateError: a key of the store is missing, or the store cannot be read or written.
    """
    if to_plain and keyring().current:
        message = f"{KEY_VARIABLE} is set. For plain text, move its key to {EARLIER_VARIABLE}."
        raise RunError(message)
    in_use: tuple[Path, ...] = ()
    engine.is_turned = True
    try:
        engine.write(partial(_begin, place=engine.place, to_plain=to_plain))
        pause(CHECKED_S)  # from now on, processes that were at work before are refused
        for table in metadata.sorted_tables:
            after: tuple[Any, ...] | None = ()
            while after is not None:
                after = engine.write(partial(_rewrite, engine=engine, table=table, after=after))
        _rewrite_files(artifacts)
        if not to_plain:
            shutil.rmtree(artifacts.home / UPLOADS, ignore_errors=True)  # copies, made when needed
            in_use = withhold_texts(artifacts.home)
        engine.write(partial(keep_keys, ids=[keyring().current]))
        give_back(engine)  # nothing of the values of before is left in SQLite's file
    finally:
        engine.is_turned = False
    return in_use


def _begin(connection: Connection, place: object, *, to_plain: bool) -> None:
    """Keep by which key new values are encrypted.

    Raises:
        RunError: there is no key, in the environment or in the store.
        StateError: the environment lacks a key by which values are encrypted.
    """
    ids, current = key_ids(connection), keyring().current
    lacks_key = not (current or to_plain)
    if lacks_key and ids == [PLAIN]:
        message = f"{KEY_VARIABLE} is not set: there is no key. To make one, type: {NEW_KEY}"
        raise RunError(message)
    if lacks_key or not {*ids} <= {PLAIN, *keyring().keys}:
        raise unfit_keys(ids, keyring(), place, to_plain=to_plain)
    keep_keys(connection, [current, *(each for each in ids if each != current)])


def _rewrite(
    connection: Connection, engine: Engine, table: Table, after: tuple[Any, ...]
) -> tuple[Any, ...] | None:
    """Write the next rows anew; return the key of the last one, None if no more follow."""
    columns = [each for each in table.c if isinstance(each.type, ENCRYPTED_TYPES)]
    if table is contents:
        columns = [contents.c.content]
    key = [*table.primary_key]
    if any(isinstance(each.type, NameText) for each in key):  # small rows to which none points
        old_rows = connection.execute(delete(table).returning(*table.c)).mappings()
        if rows := [dict(row) for row in old_rows]:
            connection.execute(engine.insert(table).on_conflict_do_nothing(), rows)
        return None
    if not columns:
        return None
    size = 1 if table is contents else _BATCH
    query = select(*key, *columns).order_by(*key).limit(size).with_for_update()
    if after:
        query = query.where(tuple_(*key) > after)
    rows = [dict(row) for row in connection.execute(query).mappings()]
    for row in rows:
        mine = [each == row[each.name] for each in key]
        values = {each.name: row[each.name] for each in columns}
        if table is contents:
            plain = keyring().unseal_content(row["content"], row["sha256"])
            values["content"] = keyring().seal_content(plain, row["sha256"])
        connection.execute(update(table).where(*mine).values(values))
    return tuple(rows[-1][each.name] for each in key) if len(rows) == size else None


def _rewrite_files(artifacts: ArtifactPlace) -> None:
    """Write the artifacts in the folder anew; remove what killed processes left half-written."""
    if not artifacts.folder.is_dir():
        return
    store = artifacts.store(None)
    for digest in stored_files(artifacts):
        try:
            store.rewrite(Content(store.read_bytes(digest), digest))
        except RunError:  # it is gone, or damaged as before: `minerva doctor` says so
            continue
    with locked_folder(artifacts.folder):
        for part in artifacts.folder.glob(".part-*"):
            part.unlink(missing_ok=True)
