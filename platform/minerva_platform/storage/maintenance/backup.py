"""A copy of the store in one file, taken while others go on writing.

SQLite's own backup copies one state of the database, whatever is written meanwhile. No artifact is
removed until the copy is whole. The file has its name only then. Postgres is copied best by its
own pg_dump, so there is the command that calls it, without a password.
"""

import os
import shlex
import sqlite3
import tarfile
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

from sqlalchemy import Connection, text

from minerva_platform.errors import RunError, StateError
from minerva_platform.storage.engine.database import opened
from minerva_platform.storage.engine.engine import Engine
from minerva_platform.storage.engine.location import PASSWORD_VARIABLE, STATE, PostgresPlace
from minerva_platform.storage.engine.opening import opened_engine
from minerva_platform.storage.files.artifacts import FOLDER, ArtifactPlace, locked_folder
from minerva_platform.storage.ledger.schema import metadata
from minerva_platform.storage.maintenance.artifact_folder import stored_files
from minerva_platform.storage.maintenance.restored import mark_restored

MAX_WAIT_S: Final = 300.0
"""Seconds that the copy waits for others that hold the database alone."""


@dataclass(frozen=True, slots=True)
class Backup:
    """A copy of a store: a tar file of `state.db` and `artifacts/`."""

    file: Path
    bytes: int
    artifacts: int


def back_up(place: Path, artifacts: ArtifactPlace, file: Path) -> Backup:
    """Copy the SQLite database at `place` and the artifacts into a new file.

    Only its owner may read it. Contents in the database are copied with it. The copy is marked as
    one, so its open runs rest wherever it is restored.

    Raises:
        RunError: the file is there already, or cannot be written.
        StateError: the database is damaged or held by others.
    """
    if file.exists() or file.is_symlink():
        raise RunError(_describe_taken(file))
    try:
        with ExitStack() as stack:
            name = stack.enter_context(TemporaryDirectory(dir=file.parent, prefix=".backup-"))
            if artifacts.folder.is_dir():
                stack.enter_context(locked_folder(artifacts.folder, is_shared=True))
            copy, whole = Path(name) / STATE, Path(name) / "whole.tar"
            _copy_database(place, copy)
            _mark(copy)
            count = _pack(copy, artifacts, whole)
            size = whole.stat().st_size
            os.link(whole, file)  # unlike a renaming, it takes nobody's place
    except FileExistsError:
        raise RunError(_describe_taken(file)) from None
    except (OSError, sqlite3.Error, tarfile.TarError, _UnmarkedCopyError) as error:
        cause = error.strerror if isinstance(error, OSError) and error.strerror else error
        message = f"The backup {file} cannot be written: {cause}. Name a file in another folder."
        raise RunError(message) from error
    return Backup(file, size, count)


def _copy_database(place: Path, copy: Path) -> None:
    os.close(os.open(copy, os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_CLOEXEC, 0o600))
    with closing(sqlite3.connect(copy, check_same_thread=False)) as target:
        with opened(place) as database:
            database.call(lambda source: source.backup(target), seconds=MAX_WAIT_S)
        found = target.execute("PRAGMA integrity_check(1)").fetchone()
    if found != ("ok",):
        reason = f"is damaged: {found[0]}. There is no backup of it. See: minerva doctor"
        raise StateError(place, reason)


class _UnmarkedCopyError(Exception):
    """The copy has no mark, and is no backup then."""


def _mark(copy: Path) -> None:
    try:
        with opened_engine(copy) as engine:
            engine.write(mark_restored)
    except StateError as error:
        raise _UnmarkedCopyError(error.__cause__ or error) from error


def _pack(copy: Path, artifacts: ArtifactPlace, whole: Path) -> int:
    """Write the database and the artifacts as one file; return how many artifacts there are."""
    files = stored_files(artifacts)
    descriptor = os.open(whole, os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "w+b") as raw:
        with tarfile.open(fileobj=raw, mode="w") as archive:
            archive.add(copy, STATE, filter=_private)
            for digest, stored in files.items():
                archive.add(stored.path, f"{FOLDER}/{digest}", filter=_private)
        raw.flush()
        os.fsync(raw.fileno())
    return len(files)


def _private(member: tarfile.TarInfo) -> tarfile.TarInfo:
    """Let whoever unpacks it be the owner, and the only reader."""
    member.mode, member.uid, member.gid, member.uname, member.gname = 0o600, 0, 0, "", ""
    return member


def _describe_taken(file: Path) -> str:
    return f"{file} is there already, and a backup replaces no file. Name another one."


_SECRET: Final = frozenset({"password", "sslpassword"})


def dump_command(engine: Engine, place: PostgresPlace, artifacts: ArtifactPlace, file: Path) -> str:
    """Return the command that writes the tables to `file`, and the artifacts beside it.

    Raises:
        StateError: the database cannot be asked for the schema of its tables.
    """
    schema = engine.read(_schema, empty="public")
    url = shlex.quote(url_without_password(place))
    tables = " ".join(
        shlex.join(["-t", f'"{schema}"."{table.name}"']) for table in metadata.sorted_tables
    )
    dump = f"pg_dump --format=custom --file={shlex.quote(str(file))} {tables} {url}"
    folder = artifacts.folder
    where = ["-C", str(folder.parent), folder.name]
    archive = shlex.join(["tar", "-cf", f"{file}.artifacts.tar", *where])
    steps = [f"{_password()}{dump}", *([archive] if folder.is_dir() else [])]
    return f"(umask 077 && {' && '.join(steps)})"


def restore_command(place: PostgresPlace, file: Path) -> str:
    """Return the command that makes the tables anew from `file`."""
    url = shlex.quote(url_without_password(place))
    words = ["pg_restore", "--clean", "--if-exists", "--single-transaction", "--no-owner"]
    return f"{_password()}{shlex.join(words)} -d {url} {shlex.quote(str(file))}"


def url_without_password(place: PostgresPlace) -> str:
    """Return the URL as PostgreSQL's programs take it, without any password."""
    query = urlsplit(place.url).query
    options = [pair for pair in parse_qsl(query) if pair[0].lower() not in _SECRET]
    return f"{place}?{urlencode(options, quote_via=quote)}" if options else str(place)


def _schema(connection: Connection) -> str:
    query = "SELECT relnamespace::regnamespace::text FROM pg_class WHERE oid = to_regclass('runs')"
    return str(connection.execute(text(query)).scalar_one())


def _password() -> str:
    """Name the variable with the password; without one, the program asks for it if need be."""
    return f'PGPASSWORD="${PASSWORD_VARIABLE}" ' if os.environ.get(PASSWORD_VARIABLE) else ""
