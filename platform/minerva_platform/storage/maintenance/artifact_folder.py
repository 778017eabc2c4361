"""The files of a store as a whole: what is there, what nobody uses, what is removed.

An artifact lies in the folder, in the database or in both. The copies of uploaded files lie in the
home; they can be made anew as long as their content is there.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Final

from sqlalchemy import Connection, delete, func, select

from minerva_platform.contract.attachment import UPLOADS
from minerva_platform.storage.engine.engine import Engine
from minerva_platform.storage.files.artifacts import ArtifactPlace, locked_folder
from minerva_platform.storage.files.contents import remove_contents
from minerva_platform.storage.files.plain_folder import plain_folder
from minerva_platform.storage.ledger.schema import contents, team_uploads, uploads

SETTLED_S: Final = 3600.0
"""Seconds after which a run that gave an artifact has written the rows that name it, or never will.
A run's deadline is 300 s by default, and its checkpoints are written more often."""

UNUSED_UPLOAD_S: Final = 86_400.0
"""Seconds for which an uploaded file is kept that no run uses."""

_NAME: Final = re.compile(r"[0-9a-f]{64}")
_PART: Final = ".part-"


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A content of the store, or the copy of an upload, as it was seen."""

    path: Path
    bytes: int
    """Of the file; 0 if the content is in the database alone."""
    changed_ns: int
    """The file's time, in nanoseconds since 1970; 0 if there is no file."""
    digest: str = ""
    """The sha-256 that the content should have; empty of a file that was left half-written."""
    row_bytes: int = 0
    """Of its row in the database."""
    given_at: float | None = None
    """When its row was last given, in seconds since 1970; None without a row."""

    @property
    def size(self) -> int:
        """All bytes that it takes."""
        return self.bytes + self.row_bytes

    @property
    def last_given(self) -> float:
        """When a run or a person last gave its content, in seconds since 1970."""
        return max(self.changed_ns / 1e9, self.given_at or 0.0)

    def has_settled(self, now: float, *, before: float | None = None) -> bool:
        """True if no run that is at work can have given it. `before`: the first of them began."""
        limit = now - SETTLED_S if before is None else min(before, now - SETTLED_S)
        return self.last_given < limit


def stored_files(place: ArtifactPlace) -> dict[str, StoredFile]:
    """Return the artifacts that lie in the folder, by their sha-256."""
    files = (file for file in _files(place.folder) if _NAME.fullmatch(file.path.name))
    return {file.path.name: replace(file, digest=file.path.name) for file in files}


def stored_contents(connection: Connection, place: ArtifactPlace) -> dict[str, StoredFile]:
    """Return the artifacts that lie in the folder or in the database, by their sha-256."""
    files = stored_files(place)
    query = select(contents.c.sha256, func.length(contents.c.content), contents.c.given)
    for digest, size, given in connection.execute(query):
        file = files.get(digest) or StoredFile(place.folder / digest, 0, 0, digest)
        files[digest] = replace(file, row_bytes=size, given_at=given)
    return files


def unfinished_files(place: ArtifactPlace, now: float) -> list[StoredFile]:
    """Return what killed processes left half-written."""
    folders = [place.folder, *_folders(plain_folder(place.home) / UPLOADS)]
    return [
        file
        for folder in folders
        for file in _files(folder)
        if file.path.name.startswith(_PART) and file.has_settled(now)
    ]


def upload_copies(place: ArtifactPlace) -> dict[str, list[StoredFile]]:
    """Return the copies of uploaded files in this home, by their sha-256."""
    return {
        folder.name: [
            replace(file, digest=folder.name)
            for file in _files(folder)
            if not file.path.name.startswith(_PART)
        ]
        for folder in _folders(plain_folder(place.home) / UPLOADS)
    }


def upload_times(connection: Connection) -> dict[str, float]:
    """Return when somebody last gave each uploaded content, by its sha-256."""
    times: dict[str, float] = {}
    for sha256, given in connection.execute(select(uploads.c.sha256, uploads.c.given)):
        times[sha256] = max(given, times.get(sha256, given))
    return times


def remove_uploads(
    connection: Connection, digests: Collection[str], *, before: float | None = None
) -> set[str]:
    """Remove the rows of uploads; return the digests of those that went.

    With `before`, one that was given since then stays, under whatever name.
    """
    gone: set[str] = set()
    for digest in digests:
        mine = uploads.c.sha256 == digest
        newest = connection.execute(select(func.max(uploads.c.given)).where(mine)).scalar()
        if before is None or newest is None or newest < before:
            connection.execute(delete(uploads).where(mine))
            connection.execute(delete(team_uploads).where(team_uploads.c.sha256 == digest))
            gone.add(digest)
    return gone


def remove_files(
    engine: Engine, files: Collection[StoredFile], *, if_unchanged: bool = True
) -> tuple[int, int]:
    """Remove files and contents of the database; return how many went, and their bytes.

    No artifact is written meanwhile. With `if_unchanged`, one that a run has given since `files`
    were seen stays.
    """
    gone: dict[Path, int] = {}
    folder_of = attrgetter("path.parent")
    in_folders = sorted((file for file in files if file.changed_ns), key=folder_of)
    for folder, several in groupby(in_folders, key=folder_of):
        gone |= _remove(folder, list(several), if_unchanged=if_unchanged)
    rows = {file.digest: file for file in files if file.given_at is not None}
    if rows:
        seen = {digest: file.given_at if if_unchanged else None for digest, file in rows.items()}
        for digest in engine.write(partial(remove_contents, rows=seen)):
            path = rows[digest].path
            gone[path] = gone.get(path, 0) + rows[digest].row_bytes
    return len(gone), sum(gone.values())


def _remove(folder: Path, files: Sequence[StoredFile], *, if_unchanged: bool) -> dict[Path, int]:
    gone: dict[Path, int] = {}
    if not folder.is_dir():
        return gone
    with locked_folder(folder):
        for file in files:
            now = _file_at(file.path)
            if now is None or (if_unchanged and now.changed_ns != file.changed_ns):
                continue
            file.path.unlink(missing_ok=True)
            gone[file.path] = now.bytes
    if folder.parent.name == UPLOADS:
        with suppress(OSError):  # another copy is in it
            folder.rmdir()
    return gone


def _folders(folder: Path) -> Iterator[Path]:
    """Yield the folders of uploads, each of which is named by a sha-256."""
    with suppress(FileNotFoundError):
        yield from sorted(path for path in folder.iterdir() if _NAME.fullmatch(path.name))


def _files(folder: Path) -> Iterator[StoredFile]:
    try:
        paths = sorted(folder.iterdir())
    except FileNotFoundError:
        return
    for path in paths:
        if (file := _file_at(path)) is not None:
            yield file


def _file_at(path: Path) -> StoredFile | None:
    try:
        state = path.stat()
    except FileNotFoundError:  # removed since the folder was listed
        return None
    return StoredFile(path, state.st_size, state.st_mtime_ns)
