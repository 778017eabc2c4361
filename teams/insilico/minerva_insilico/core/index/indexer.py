"""Index a tree in three steps: scan what changed, parse it, publish the result.

Each step takes what the one before gave, so that a worker can show how long
each took. Nothing is visible to others before the last step.
"""

import contextlib
import os
import sqlite3
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path

from minerva_insilico.core.facts import readable_files
from minerva_insilico.core.facts.errors import UnreadableSourceError, UnwritableIndexError
from minerva_insilico.core.facts.module import name_modules
from minerva_insilico.core.facts.unread import MAX_BYTES, MAX_FILES, Skipped
from minerva_insilico.core.index import rows, store
from minerva_insilico.core.index.listing import list_sources
from minerva_insilico.core.index.tally import Failed, Tally, count_languages, list_failed
from minerva_insilico.core.parsing.parse_failure import LIMITS
from minerva_insilico.core.parsing.parser import MAX_CPU_SECONDS_A_FILE, Failure
from minerva_insilico.core.parsing.pool import ParsedFile, Pool, digest_of
from minerva_observability.file_lock import open_lock_file, take_lock_within
from minerva_platform.text import masked_path

MAX_CPU_SECONDS_A_TREE = 480.0
"""CPU time that all parsing processes take together. After it the files left are reported as not
parsed, and the next run goes on there. It is 240 s of two cores, within a run's 300 s."""

MAX_WAIT_SECONDS = 240.0
"""How long a run waits for another that indexes the same tree."""

_FILES_A_PROCESS = 8
"""One more process for so many files: it takes as long to start as to read them."""

_UNSTORABLE = (sqlite3.DataError, sqlite3.InterfaceError, sqlite3.ProgrammingError)
"""SQLite's errors for values, which do not mean a damaged database."""

OnProgress = Callable[[int, int], None]
"""Takes how many files are parsed, and how many there are to parse."""


@dataclass(frozen=True)
class ReadLimits:
    """How much CPU time parsing may take, in seconds, and in how many processes."""

    cpu_seconds_a_file: float = MAX_CPU_SECONDS_A_FILE
    cpu_seconds_a_tree: float = MAX_CPU_SECONDS_A_TREE
    seconds_a_commit: float = 2.0
    """Seconds between two commits. A kill loses the work since the last one."""
    seconds_to_wait: float = MAX_WAIT_SECONDS
    """For another process that indexes the same tree, by the clock."""
    processes: int = field(default_factory=lambda: min(4, os.cpu_count() or 1))


@dataclass(frozen=True)
class Scan:
    """The content of a tree, and what changed since its index was published."""

    root: Path
    """Masked, as the paths in it are; `readable_files.read_source` finds the files."""
    database: Path
    digests: Mapping[str, str]
    is_indexed: bool
    """True if the published index has just this content."""
    skipped: tuple[Skipped, ...]
    ignored: int
    others: tuple[str, ...] = ()

    @property
    def files(self) -> tuple[str, ...]:
        """The files that can be read."""
        return tuple(self.digests)


@dataclass(frozen=True)
class Indexed:
    """An index that was published."""

    root: Path
    database: Path
    files: int
    """Python sources. Other files are in `languages`."""
    parsed: int
    failed: tuple[Failed, ...]
    skipped: tuple[Skipped, ...]
    languages: tuple[Tally, ...] = ()
    ignored: int = 0
    """Files and folders that `.gitignore` leaves out."""
    read: int = 0
    """Files that were read again in this run."""
    unchanged: int = 0
    removed: int = 0
    others: tuple[str, ...] = ()
    """Files that are neither source nor document."""

    @property
    def limited_files(self) -> tuple[Failed, ...]:
        """The files of which the index holds nothing because of a limit, not a fault of theirs."""
        failed = (item for item in self.failed if item.reason in LIMITS)
        large = (
            Failed(item.path, "size", str(MAX_BYTES))
            for item in self.skipped
            if item.reason == "too_large"
        )
        many = (
            Failed(item.path, "files", str(MAX_FILES))
            for item in self.skipped
            if item.reason == "too_many"
        )
        return (*failed, *large, *many)


@dataclass(frozen=True)
class Staged:
    """An index that is written but not visible yet. It has no path if nothing changed.

    A state may be kept and gone on with elsewhere, so it holds no lock.
    """

    scan: Scan
    path: Path | None = None
    skipped: tuple[Skipped, ...] = ()
    read: int = 0
    removed: int = 0


class WriterLock(AbstractContextManager["WriterLock"]):
    """A lock of the process that writes the index of one tree. It ends with the process.

    A second writer waits, and finds the work done.

    Raises:
        UnwritableIndexError: another process holds it for longer than `seconds`.
    """

    def __init__(self, database: Path, *, seconds: float) -> None:
        self._descriptor = open_lock_file(database.with_name(f".{database.stem}.lock"))
        if not take_lock_within(self._descriptor, seconds=seconds):
            self.release()
            raise UnwritableIndexError(database, "another process is indexing the same tree")

    def __exit__(self, *_: object) -> None:
        self.release()

    def release(self) -> None:
        """Let the next writer in."""
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            os.close(descriptor)


def index_tree(
    root: Path,
    *,
    home: Path | None = None,
    limits: ReadLimits | None = None,
    heeds_ignore: bool = True,
    on_progress: OnProgress | None = None,
) -> Indexed:
    """Bring the index of a tree up to date and tell what is in it.

    Raises:
        UnreadableRootError: `root` is not a directory that can be listed.
        UnwritableIndexError: there is no place for the index.
    """
    tree_scan = scan(root, home=home, heeds_ignore=heeds_ignore)
    return publish(parse(tree_scan, limits=limits, on_progress=on_progress))


def scan(root: Path, *, home: Path | None = None, heeds_ignore: bool = True) -> Scan:
    """Read the content of a tree, without what `.gitignore` files leave out."""
    real = readable_files.open_root(root)
    database = store.database_for(real, home=home)
    listing = list_sources(real, heeds_ignore=heeds_ignore)
    skipped = list(listing.skips)
    digests: dict[str, str] = {}
    for path in listing.files:
        try:
            digests[path] = digest_of(path, readable_files.read_source(real, path))
        except UnreadableSourceError as error:
            skipped.append(Skipped(path, error.reason))
    known = store.known_digests(database)
    is_indexed = known == digests
    skips = tuple(skipped)
    shown = masked_path(real)
    return Scan(shown, database, digests, is_indexed, skips, listing.ignored_count, listing.others)


def parse(
    tree_scan: Scan, *, limits: ReadLimits | None = None, on_progress: OnProgress | None = None
) -> Staged:
    """Parse what changed into a staged index.

    Raises:
        UnwritableIndexError: there is no room for it, or no permission.
    """
    if tree_scan.is_indexed:
        return Staged(tree_scan)
    limits = limits or ReadLimits()
    try:
        store.make_folder(tree_scan.database)
        with WriterLock(tree_scan.database, seconds=limits.seconds_to_wait):
            return _Writing(tree_scan, limits, on_progress).write()
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise UnwritableIndexError(tree_scan.database, reason) from error


class _Writing:
    """Brings a staged index up to date with a scan."""

    def __init__(self, tree_scan: Scan, limits: ReadLimits, on_progress: OnProgress | None) -> None:
        self._scan, self._limits = tree_scan, limits
        self._on_progress = on_progress

    def write(self) -> Staged:
        try:
            return self._write(is_fresh=False)
        except sqlite3.Error:
            store.discard(store.staged_path(self._scan.database))
        try:  # the old index is damaged in an unread part: build anew
            return self._write(is_fresh=True)
        except sqlite3.Error as error:
            store.discard(store.staged_path(self._scan.database))
            raise UnwritableIndexError(self._scan.database, str(error)) from error

    def _write(self, *, is_fresh: bool) -> Staged:
        tree_scan = self._scan
        staged = store.stage(tree_scan.database, tree_scan.root, is_fresh=is_fresh)
        skipped: list[Skipped] = []
        with store.writing(staged) as connection:
            store.open_again(connection)
            known = dict(connection.execute("SELECT path, sha256 FROM files"))
            changed = [
                path for path, digest in tree_scan.digests.items() if known.get(path) != digest
            ]
            gone = sorted(known.keys() - tree_scan.digests.keys())
            for path in gone:
                rows.remove_file(connection, path)
            self._parse(connection, changed, skipped)
            _name_modules(connection, tree_scan.root.name)
            store.complete(connection)
        read = len(changed) - len(skipped)
        return Staged(tree_scan, staged, tuple(skipped), read, len(gone))

    def _parse(
        self, connection: sqlite3.Connection, paths: list[str], skips: list[Skipped]
    ) -> None:
        limits = self._limits
        commit_at = time.monotonic() + limits.seconds_a_commit
        pool = Pool(
            self._scan.root,
            processes=max(1, min(limits.processes, 1 + len(paths) // _FILES_A_PROCESS)),
            seconds=limits.cpu_seconds_a_file,
            total=limits.cpu_seconds_a_tree,
        )
        with pool:
            for done, parsed in enumerate(pool.parse(paths), start=1):
                _store(connection, parsed, skips)
                if self._on_progress:
                    self._on_progress(done, len(paths))
                if time.monotonic() > commit_at:
                    connection.commit()
                    commit_at = time.monotonic() + limits.seconds_a_commit


def publish(staged_index: Staged) -> Indexed:
    """Publish a staged index for all readers, and return its counts."""
    tree_scan = staged_index.scan
    if staged_index.path is not None:
        with WriterLock(tree_scan.database, seconds=MAX_WAIT_SECONDS):
            # Whoever indexed the tree meanwhile went on with our file, and has published it.
            if store.is_complete(staged_index.path):
                store.publish(staged_index.path, tree_scan.database)
    with contextlib.closing(store.open_index(tree_scan.database)) as connection:
        languages = count_languages(connection)
        failed = list_failed(connection)
    python = next((tally for tally in languages if tally.language == "python"), None)
    return Indexed(
        root=tree_scan.root,
        database=tree_scan.database,
        files=python.files if python else 0,
        parsed=python.parsed if python else 0,
        failed=failed,
        skipped=tree_scan.skipped + staged_index.skipped,
        languages=languages,
        ignored=tree_scan.ignored,
        read=staged_index.read,
        unchanged=len(tree_scan.digests) - staged_index.read - len(staged_index.skipped),
        removed=staged_index.removed,
        others=tree_scan.others,
    )


def _store(connection: sqlite3.Connection, file: ParsedFile, skips: list[Skipped]) -> None:
    path = file.path
    if file.unreadable is not None:
        rows.remove_file(connection, path)
        skips.append(Skipped(path, file.unreadable))
    elif file.failure is not None:
        rows.add_failure(connection, path, file.digest, file.failure, language=file.language)
    elif file.facts is not None:
        try:
            rows.add_facts(connection, path, file.digest, file.facts, file.source)
        except (ValueError, OverflowError, *_UNSTORABLE) as error:  # one file's, not the run's
            failure = Failure("storage", f"{type(error).__name__}: {error}", None)
            rows.add_failure(connection, path, file.digest, failure, language=file.language)


def _name_modules(connection: sqlite3.Connection, root: str) -> None:
    paths = [
        row[0] for row in connection.execute("SELECT path FROM files WHERE language = 'python'")
    ]
    imported = connection.execute("SELECT DISTINCT target FROM imports WHERE target NOT LIKE '.%'")
    names = name_modules(paths, root, [row[0] for row in imported])
    connection.executemany(
        "UPDATE files SET module = ? WHERE path = ? AND module <> ?",
        ((name, path, name) for path, name in names.items()),
    )
