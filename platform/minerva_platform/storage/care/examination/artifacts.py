"""Examines the folder of artifacts against the rows that name them."""

import hashlib
import shlex
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Final

from sqlalchemy import Connection, select

from minerva_platform.storage.care.artifact_folder import (
    FOLDER,
    StoredFile,
    stored_files,
    unfinished_files,
)
from minerva_platform.storage.care.digests import (
    artifacts_of_run,
    digests_by_run,
    handoffs_of_turn,
)
from minerva_platform.storage.care.examination.finding import Finding
from minerva_platform.storage.schema import runs, turns

_ROWS: Final = 200


def examine_artifacts(
    connection: Connection, home: Path, *, now: float, used_elsewhere: Collection[str] = ()
) -> list[Finding]:
    """Return artifacts that are missing or were changed, and files that nobody uses."""
    files = stored_files(home)
    found = [*_missing(connection, home, files), *_changed(files)]
    used = set(used_elsewhere)
    for _, digests in digests_by_run(connection) if files else ():
        used |= digests
    folder = str(home / FOLDER)
    unused = [
        file for digest, file in files.items() if digest not in used and file.has_settled(now)
    ]
    unfinished = unfinished_files(home, now)
    if unused:
        values = {"count": len(unused), "bytes": sum(file.bytes for file in unused)}
        found.append(Finding("artifacts_unused", folder, "prune --older-than 30d", values))
    if unfinished:
        values = {"count": len(unfinished), "bytes": sum(file.bytes for file in unfinished)}
        found.append(Finding("artifacts_unfinished", folder, "prune --older-than 30d", values))
    return found


def _missing(connection: Connection, home: Path, files: dict[str, StoredFile]) -> Iterator[Finding]:
    query = select(runs.c.run_id, runs.c.run).where(runs.c.run.is_not(None))
    of_turns = select(turns.c.run_id, turns.c.turn).where(turns.c.turn.is_not(None))
    seen: set[str] = set()
    for asked, named_in in ((query, artifacts_of_run), (of_turns, handoffs_of_turn)):
        for run_id, text in connection.execute(asked.execution_options(yield_per=_ROWS)):
            for digest, name in named_in(text).items():
                if digest not in files and digest not in seen:
                    seen.add(digest)
                    where = str(home / FOLDER / digest)
                    values = {"name": name, "run": run_id or "-"}
                    words = ["tar", "-xof", "BACKUP.tar", "-C", str(home), f"{FOLDER}/{digest}"]
                    yield Finding("artifact_missing", where, f"$ {shlex.join(words)}", values)


def _changed(files: dict[str, StoredFile]) -> Iterator[Finding]:
    for digest, file in files.items():
        try:
            with file.path.open("rb") as content:
                is_same = hashlib.file_digest(content, "sha256").hexdigest() == digest
        except FileNotFoundError:  # removed since the folder was listed
            continue
        if not is_same:
            command = f"$ {shlex.join(['rm', str(file.path)])}"
            yield Finding("artifact_changed", str(file.path), command)
