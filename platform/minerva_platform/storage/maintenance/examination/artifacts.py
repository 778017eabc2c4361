"""Examines the artifacts, in their folder and in the database, against the rows that name them."""

import hashlib
import shlex
from collections.abc import Collection, Iterator
from typing import Final

from sqlalchemy import Connection, select

from minerva_platform.storage.engine.encryption import keyring
from minerva_platform.storage.files.artifacts import FOLDER, ArtifactPlace
from minerva_platform.storage.files.contents import contents_in
from minerva_platform.storage.ledger.schema import runs, turns
from minerva_platform.storage.maintenance.artifact_folder import (
    StoredFile,
    stored_contents,
    unfinished_files,
    upload_times,
)
from minerva_platform.storage.maintenance.digests import (
    artifacts_of_run,
    digests_by_run,
    handoffs_of_turn,
)
from minerva_platform.storage.maintenance.examination.finding import MEND, Finding

_ROWS: Final = 200


def examine_artifacts(
    connection: Connection,
    place: ArtifactPlace,
    *,
    now: float,
    used_elsewhere: Collection[str] = (),
) -> list[Finding]:
    """Return artifacts that are missing or were changed, and files that nobody uses."""
    files = stored_contents(connection, place)
    found = [
        *_missing(connection, place, files),
        *_changed_files(files),
        *examine_contents(connection),
    ]
    used = {*used_elsewhere, *upload_times(connection)}
    for _, digests in digests_by_run(connection) if files else ():
        used |= digests
    folder = str(place.folder)
    unused = [
        file for digest, file in files.items() if digest not in used and file.has_settled(now)
    ]
    unfinished = unfinished_files(place, now)
    if unused:
        values = {"count": len(unused), "bytes": sum(file.size for file in unused)}
        found.append(Finding("artifacts_unused", folder, "prune --older-than 30d", values))
    if unfinished:
        values = {"count": len(unfinished), "bytes": sum(file.bytes for file in unfinished)}
        found.append(Finding("artifacts_unfinished", folder, "prune --older-than 30d", values))
    return found


def examine_contents(connection: Connection) -> Iterator[Finding]:
    """Yield the contents of the database that are not what their sha-256 says."""
    for digest, data in contents_in(connection):
        if hashlib.sha256(data).hexdigest() != digest:
            yield Finding("content_changed", f"contents/{digest}", MEND, {"digest": digest})


def _missing(
    connection: Connection, place: ArtifactPlace, files: dict[str, StoredFile]
) -> Iterator[Finding]:
    query = select(runs.c.run_id, runs.c.run).where(runs.c.run.is_not(None))
    of_turns = select(turns.c.run_id, turns.c.turn).where(turns.c.turn.is_not(None))
    seen: set[str] = set()
    for asked, named_in in ((query, artifacts_of_run), (of_turns, handoffs_of_turn)):
        for run_id, text in connection.execute(asked.execution_options(yield_per=_ROWS)):
            for digest, name in named_in(text).items():
                if digest not in files and digest not in seen:
                    seen.add(digest)
                    where = str(place.folder / digest)
                    values = {"name": name, "run": run_id or "-"}
                    words = ["tar", "-xof", "BACKUP.tar", *_target(place), f"{FOLDER}/{digest}"]
                    yield Finding("artifact_missing", where, f"$ {shlex.join(words)}", values)


def _target(place: ArtifactPlace) -> list[str]:
    """Return the words that let tar put an artifact of a backup where artifacts lie."""
    if place.is_shared:
        return ["-C", str(place.folder), "--strip-components=1"]
    return ["-C", str(place.home)]


def _changed_files(files: dict[str, StoredFile]) -> Iterator[Finding]:
    for digest, file in files.items():
        if not file.changed_ns:  # in the database alone
            continue
        try:
            content = keyring().unseal_content(file.path.read_bytes(), digest)
        except FileNotFoundError:  # removed since the folder was listed
            continue
        if hashlib.sha256(content).hexdigest() != digest:
            command = f"$ {shlex.join(['rm', str(file.path)])}"
            yield Finding("artifact_changed", str(file.path), command)
