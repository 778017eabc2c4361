"""Index a tree in three steps: scan what changed, parse it, publish the result.

Each step takes what the one before gave, so that a worker can show how long
each took. Nothing is visible to others before the last step.
"""

import contextlib
import hashlib
import sqlite3
import time
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

from minerva_insilico.core import boundary, store
from minerva_insilico.core.boundary import Skipped
from minerva_insilico.core.fault import UnreadableSourceError, UnwritableIndexError
from minerva_insilico.core.module import name_modules
from minerva_insilico.core.parser import SECONDS_A_FILE, Failure, Parser

SECONDS_A_TREE = 240.0
"""After this time the files left are reported as not parsed; the next run goes on there."""


@dataclass(frozen=True)
class Limits:
    """How long parsing may take, in seconds."""

    seconds_a_file: float = SECONDS_A_FILE
    seconds_a_tree: float = SECONDS_A_TREE


@dataclass(frozen=True)
class Scan:
    """What changed in a tree since its index was published."""

    root: Path
    database: Path
    files: tuple[str, ...]
    changed: tuple[str, ...]
    removed: tuple[str, ...]
    skipped: tuple[Skipped, ...]
    is_fresh: bool
    """Whether there is no index to build on."""


@dataclass(frozen=True)
class Failed:
    """A source that gave no facts."""

    path: str
    error: str
    line: int | None


@dataclass(frozen=True)
class Indexed:
    """An index that was published."""

    root: Path
    database: Path
    files: int
    parsed: int
    failed: tuple[Failed, ...]
    skipped: tuple[Skipped, ...]
    read: int = 0
    """Files that were parsed again in this run."""
    unchanged: int = 0
    removed: int = 0


@dataclass(frozen=True)
class Staged:
    """An index that is written but not visible yet; None where nothing changed."""

    scan: Scan
    path: Path | None = None
    skipped: tuple[Skipped, ...] = field(default=())


def index_tree(root: Path, *, home: Path | None = None, limits: Limits | None = None) -> Indexed:
    """Bring the index of a tree up to date and tell what is in it.

    Raises:
        UnreadableRootError: `root` is not a directory that can be listed.
    """
    return publish(parse(scan(root, home=home), limits=limits))


def scan(root: Path, *, home: Path | None = None) -> Scan:
    """Compare the content of a tree with its published index."""
    real = boundary.open_root(root)
    database = store.database_for(real, home=home)
    listing = boundary.list_sources(real)
    known = store.known_hashes(database)
    changed: list[str] = []
    skipped = list(listing.skipped)
    readable: list[str] = []
    for path in listing.files:
        try:
            digest = _digest(boundary.read_source(real, path))
        except UnreadableSourceError as error:
            skipped.append(Skipped(path, error.reason))
            continue
        readable.append(path)
        if known.get(path) != digest:
            changed.append(path)
    return Scan(
        root=real,
        database=database,
        files=tuple(readable),
        changed=tuple(changed),
        removed=tuple(sorted(known.keys() - set(readable))),
        skipped=tuple(skipped),
        is_fresh=not known,
    )


def parse(found: Scan, *, limits: Limits | None = None) -> Staged:
    """Parse what changed into a staged copy of the index.

    Raises:
        UnwritableIndexError: there is no room for it, or no permission.
    """
    if not (found.changed or found.removed or found.is_fresh):
        return Staged(found)
    try:
        return _parse(found, limits or Limits())
    except sqlite3.Error as error:
        if found.is_fresh:
            raise UnwritableIndexError(found.database, str(error)) from error
        # The published file is damaged where the scan did not look: build it anew.
        whole = replace(found, changed=found.files, removed=(), is_fresh=True)
        return parse(whole, limits=limits)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise UnwritableIndexError(found.database, reason) from error


def _parse(found: Scan, limits: Limits) -> Staged:
    staged = store.stage(found.database, found.root, is_fresh=found.is_fresh)
    skipped: list[Skipped] = []
    try:
        with store.writing(staged) as connection, Parser(seconds=limits.seconds_a_file) as parser:
            for path in found.removed:
                store.remove_file(connection, path)
            _parse_all(found, connection, parser, skipped, limits.seconds_a_tree)
            _name_modules(connection, found.root.name)
    except BaseException:
        staged.unlink(missing_ok=True)
        raise
    return Staged(found, staged, tuple(skipped))


def publish(staged: Staged) -> Indexed:
    """Make a staged index the one everybody reads; return its counts."""
    found = staged.scan
    if staged.path is not None:
        store.publish(staged.path, found.database)
    with contextlib.closing(store.open_index(found.database)) as connection:
        files = connection.execute("SELECT count(*) FROM files").fetchone()[0]
        rows = connection.execute(
            "SELECT path, error, error_line FROM files WHERE error IS NOT NULL ORDER BY path"
        ).fetchall()
    failed = tuple(Failed(*row) for row in rows)
    return Indexed(
        root=found.root,
        database=found.database,
        files=files,
        parsed=files - len(failed),
        failed=failed,
        skipped=found.skipped + staged.skipped,
        read=len(found.changed) - len(staged.skipped),
        unchanged=len(found.files) - len(found.changed),
        removed=len(found.removed),
    )


def _parse_all(
    found: Scan,
    connection: sqlite3.Connection,
    parser: Parser,
    skipped: list[Skipped],
    seconds: float,
) -> None:
    end = time.monotonic() + seconds
    for path in found.changed:
        try:
            source = boundary.read_source(found.root, path)
        except UnreadableSourceError as error:  # it went, or turned into a link, since the scan
            store.remove_file(connection, path)
            skipped.append(Skipped(path, error.reason))
            continue
        digest = _digest(source)
        if time.monotonic() > end:
            late = Failure(
                f"TimeoutError: the tree took more than {seconds:g} s", None, lasting=False
            )
            store.add_failure(connection, path, digest, late)
            continue
        answer = parser.ask({"do": "read", "path": path}, source)
        if isinstance(answer, Failure):
            store.add_failure(connection, path, digest, answer)
        else:
            store.add_facts(connection, path, digest, *answer)


def _name_modules(connection: sqlite3.Connection, root: str) -> None:
    paths: Iterable[str] = [row[0] for row in connection.execute("SELECT path FROM files")]
    imported = connection.execute("SELECT DISTINCT target FROM imports WHERE target NOT LIKE '.%'")
    names = name_modules(paths, root, [row[0] for row in imported])
    connection.executemany(
        "UPDATE files SET module = ? WHERE path = ? AND module <> ?",
        ((name, path, name) for path, name in names.items()),
    )


def _digest(source: bytes) -> str:
    return hashlib.sha256(source).hexdigest()
