"""What `minerva encrypt` does: each value of a store is encrypted by the key of the environment.

The store can be read all the time, because a value says by which key it is encrypted. First the
store says what new values are encrypted by; the keys of before go when no value needs them. So a
command that was killed between is typed again.
"""

import hashlib
import os
import shutil
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

from sqlalchemy import (
    Column,
    Connection,
    Table,
    column as raw_column,
    delete,
    select,
    table as raw_table,
    tuple_,
    update,
)

from minerva_observability.sinks.jsonl import withhold_texts
from minerva_platform.contract.attachment import UPLOADS
from minerva_platform.errors import RunError, StateError
from minerva_platform.storage.engine.compression import PackedBytes, PackedText, SealedText
from minerva_platform.storage.engine.encryption import (
    EARLIER_VARIABLE,
    KEY_VARIABLE,
    MARK,
    NEW_KEY,
    Keyring,
    keyring,
)
from minerva_platform.storage.engine.engine import Engine
from minerva_platform.storage.engine.store_keys import CHECKED_S, PLAIN, add_key, key_ids
from minerva_platform.storage.files.artifacts import ArtifactPlace, locked_folder
from minerva_platform.storage.ledger.schema import contents, metadata, storage_keys
from minerva_platform.storage.maintenance.artifact_folder import stored_files
from minerva_platform.storage.maintenance.space import give_back

_BATCH: Final = 50
"""Rows that one transaction changes; of `contents`, one."""
_SEALED: Final = (PackedText, PackedBytes, SealedText)


@dataclass(frozen=True, slots=True)
class Reencryption:
    """What was done."""

    values: int
    files: int
    records_in_use: tuple[Path, ...] = ()
    """Records that a process writes to, with the texts of earlier errors."""


def reencrypt(
    engine: Engine,
    artifacts: ArtifactPlace,
    *,
    to_plain: bool = False,
    pause: Callable[[float], None] = time.sleep,
) -> Reencryption:
    """Encrypt all values of a store by the key of the environment; or turn them to plain text.

    Raises:
        RunError: the variables do not say what is to be done.
        StateError: a key of the store is missing, or the store cannot be read or written.
    """
    keys = keyring()
    target = _find_target(keys, to_plain=to_plain)
    engine.is_turned = True
    try:
        engine.write(partial(_begin, engine=engine, keys=keys, target=target))
        values = _turn_rows(engine, keys, target)
        pause(CHECKED_S)  # by now processes that were at work before are refused
        while more := _turn_rows(engine, keys, target):
            values += more
        files = _turn_files(artifacts, keys, target)
        in_use: tuple[Path, ...] = ()
        if target != PLAIN:
            shutil.rmtree(artifacts.home / UPLOADS, ignore_errors=True)  # copies, made when needed
            in_use = withhold_texts(artifacts.home)
        engine.write(partial(_finish, target=target))
        give_back(engine)  # nothing of the values of before is left in SQLite's file
    finally:
        engine.is_turned = False
    return Reencryption(values, files, in_use)


def _find_target(keys: Keyring, *, to_plain: bool) -> str:
    if to_plain and keys.current:
        message = (
            f"{KEY_VARIABLE} is set. To turn the store to plain text, put its key into "
            f"{EARLIER_VARIABLE} instead, and type the same again."
        )
        raise RunError(message)
    if to_plain:
        return PLAIN
    if keys.current is None:
        message = (
            f"{KEY_VARIABLE} is not set, so there is no key to encrypt by. To make one: {NEW_KEY}"
        )
        raise RunError(message)
    return keys.current.id


def _begin(connection: Connection, engine: Engine, keys: Keyring, target: str) -> None:
    """Keep how new values are encrypted from now on.

    Raises:
        StateError: the environment lacks a key by which values are encrypted.
    """
    ids = key_ids(connection)
    for each in ids:
        if each not in (PLAIN, *keys.keys):
            reason = (
                f"holds values of the key with the id {each}. Set {EARLIER_VARIABLE} to it, and "
                "type the same again."
            )
            raise StateError(engine.place, reason)
    if ids[0] == target:
        return
    connection.execute(delete(storage_keys))
    others = [each for each in reversed(ids) if each != target]
    for number, each in enumerate([*others, target]):
        add_key(connection, each, number)


def _finish(connection: Connection, target: str) -> None:
    """Keep that no value needs another key."""
    connection.execute(delete(storage_keys).where(storage_keys.c.key_id != target))
    if target == PLAIN:
        connection.execute(delete(storage_keys))


def _turn_rows(engine: Engine, keys: Keyring, target: str) -> int:
    """Turn the values of all rows; return how many there were to turn."""
    count = 0
    for table in metadata.sorted_tables:
        columns = [each for each in table.c if isinstance(each.type, _SEALED)]
        if table is contents:
            columns = [contents.c.content]
        last: tuple[Any, ...] | None = None
        while columns:
            work = partial(_turn_batch, table=table, columns=columns, after=last)
            turned, last = engine.write(partial(work, keys=keys, target=target))
            count += turned
            if last is None:
                break
    return count


def _turn_batch(
    connection: Connection,
    table: Table,
    columns: list[Column[Any]],
    after: tuple[Any, ...] | None,
    keys: Keyring,
    target: str,
) -> tuple[int, tuple[Any, ...] | None]:
    """Turn the next rows; return how many values changed, and the last row's key if more follow."""
    raw = raw_table(table.name, *(raw_column(each.name) for each in table.c))
    names = [each.name for each in table.primary_key]
    key = [raw.c[name] for name in names]
    size = 1 if table is contents else _BATCH
    query = select(raw).order_by(*key).limit(size)
    if after is not None:
        query = query.where(tuple_(*key) > tuple_(*after))
    rows = connection.execute(query).all()
    count = 0
    for row in rows:
        old = row._mapping  # noqa: SLF001  # a public name of SQLAlchemy's
        new = {each.name: _turn(each, old, keys, target) for each in columns}
        changed = {name: value for name, value in new.items() if value is not old[name]}
        if not changed:
            continue
        mine = [raw.c[name] == old[name] for name in {*names, *changed}]  # nobody changed it
        twin = [raw.c[name] == new.get(name, old[name]) for name in names]
        if changed.keys() & {*names} and connection.execute(select(raw).where(*twin)).first():
            connection.execute(delete(raw).where(*mine))  # it was given again meanwhile
        else:
            connection.execute(update(raw).where(*mine).values(changed))
        count += len(changed)
    last = tuple(rows[-1]._mapping[name] for name in names) if len(rows) == size else None  # noqa: SLF001  # the same
    return count, last


def _turn(column: Column[Any], row: Any, keys: Keyring, target: str) -> Any:
    """Return the new form of a value; the same object if it has that already."""
    value = row[column.name]
    if value is None:
        return None
    if isinstance(column.type, SealedText):
        if _key_id(column.type.to_bytes(value)) == target:
            return value
        return column.type.seal(column.type.unseal(value))
    data = value.encode() if isinstance(value, str) else bytes(value)
    if column is contents.c.content:
        plain = keys.unseal_content(data, row["sha256"])
        is_there = _key_id(b"" if plain is data else data) == target
        return value if is_there else keys.seal_content(plain, row["sha256"])
    if _key_id(data) == target:
        return value
    return keys.seal(keys.unseal(data, str(column)), str(column))


def _key_id(data: bytes) -> str:
    return data[1:9].hex() if data[:1] == MARK else PLAIN


def _turn_files(artifacts: ArtifactPlace, keys: Keyring, target: str) -> int:
    """Turn the artifacts in the folder; remove what killed processes left half-written."""
    if not artifacts.folder.is_dir():
        return 0
    count = 0
    for digest, file in stored_files(artifacts).items():
        with locked_folder(artifacts.folder, is_shared=True), suppress(FileNotFoundError):
            data = file.path.read_bytes()
            plain = keys.unseal_content(data, digest)
            is_whole = hashlib.sha256(plain).hexdigest() == digest
            if not is_whole or _key_id(b"" if plain is data else data) == target:
                continue
            part = file.path.with_name(f".part-{digest}")
            part.unlink(missing_ok=True)
            descriptor = os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o600)
            with os.fdopen(descriptor, "wb") as out:
                out.write(keys.seal_content(plain, digest))
            os.utime(part, ns=(file.changed_ns, file.changed_ns))  # prune goes by it
            part.replace(file.path)
            count += 1
    with locked_folder(artifacts.folder):
        for left in artifacts.folder.glob(".part-*"):
            left.unlink(missing_ok=True)
    return count
