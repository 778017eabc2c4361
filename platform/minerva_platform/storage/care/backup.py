"""A copy of the store in one file, taken while others go on writing.

SQLite's own backup copies one state of the database, whatever is written meanwhile. No artifact is
removed until the copy is whole. The file has its name only then.
"""

import os
import sqlite3
import tarfile
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from minerva_platform.errors import RunError, StateError
from minerva_platform.storage.artifacts import FOLDER, ArtifactPlace, locked_folder
from minerva_platform.storage.care.artifact_folder import stored_files
from minerva_platform.storage.engine.database import STATE, opened

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

    Only its owner may read it. Contents in the database are copied with it.

    Raises:
        RunError: the file is there already, or cannot be written.
        StateError: the database is damaged or held by others.
    """
    if file.exists() or file.is_symlink():
        raise RunError(_taken(file))
    try:
        with ExitStack() as stack:
            name = stack.enter_context(TemporaryDirectory(dir=file.parent, prefix=".backup-"))
            if artifacts.folder.is_dir():
                stack.enter_context(locked_folder(artifacts.folder, shared=True))
            copy, whole = Path(name) / STATE, Path(name) / "whole.tar"
            _copy_database(place, copy)
            count = _pack(copy, artifacts, whole)
            size = whole.stat().st_size
            os.link(whole, file)  # unlike a renaming, it takes nobody's place
    except FileExistsError:
        raise RunError(_taken(file)) from None
    except (OSError, sqlite3.Error, tarfile.TarError) as error:
        said = error.strerror if isinstance(error, OSError) and error.strerror else error
        message = f"The backup {file} cannot be written: {said}. Name a file in another folder."
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


def _taken(file: Path) -> str:
    return f"{file} is there already, and a backup replaces no file. Name another one."
