"""Put a run's artifacts and answer into a folder, each file whole or not at all."""

import os
from pathlib import Path

from minerva_platform.cli.io.process import UndeliveredError
from minerva_platform.cli.io.whole_file import write_whole
from minerva_platform.contract.run_object import Run
from minerva_platform.contract.values import StoredArtifact
from minerva_platform.errors import RunError

ANSWER = "answer.md"
_MAX_NAME_BYTES = 200
"""Bytes of a file name; most file systems take 255."""


def check_folder(folder: Path) -> Path:
    """Make `folder`, before anything is run for it.

    Raises:
        RunError: it is a file, or cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        message = f"--out {folder}: cannot be made: {error.strerror}. Name another folder."
        raise RunError(message) from error
    if not os.access(folder, os.W_OK | os.X_OK):
        message = f"--out {folder}: cannot be written. Name a folder of yours."
        raise RunError(message)
    return folder


def deliver(run: Run, folder: Path) -> Run:
    """Write the artifacts and `answer.md`; return the run with its paths leading there.

    Two artifacts of one name both arrive (`report.md`, `report-2.md`); the same content comes
    once. Files of an earlier run are replaced in one step each.

    Raises:
        UndeliveredError: a file could not be written; nothing of it is left half-written.
    """
    taken = {ANSWER}
    placed: list[StoredArtifact] = []
    done: dict[tuple[str, str], StoredArtifact] = {}
    for artifact in run.artifacts:
        key = (artifact.name, artifact.sha256)
        if key not in done:
            target = folder / _free_name(artifact.name, taken)
            _write(target, _content(artifact))
            done[key] = artifact.model_copy(update={"path": str(target)})
            placed.append(done[key])
    answer = f"{run.answer.rstrip()}\n".encode("utf-8", "backslashreplace")
    _write(folder / ANSWER, answer)
    return run.model_copy(update={"artifacts": tuple(placed)})


def _content(artifact: StoredArtifact) -> bytes:
    try:
        return Path(artifact.path).read_bytes()
    except OSError as error:
        message = f"The artifact {artifact.path} cannot be read: {error.strerror}. Ask again."
        raise UndeliveredError(message) from error


def _free_name(name: str, taken: set[str]) -> str:
    """Return a free file name for `name` that stays in its folder."""
    plain = Path(name.replace("\\", "/")).name
    if plain in {"", ".", ".."} or "\0" in plain:
        plain = "artifact"
    stem, dot, ending = plain.rpartition(".")
    if not stem:
        stem, dot, ending = plain, "", ""
    stem = stem.encode("utf-8", "replace")[:_MAX_NAME_BYTES].decode("utf-8", "ignore")
    number, free = 1, f"{stem}{dot}{ending}"
    while free.casefold() in taken:
        number += 1
        free = f"{stem}-{number}{dot}{ending}"
    taken.add(free.casefold())
    return free


def _write(target: Path, data: bytes) -> None:
    try:
        write_whole(target, data)
    except OSError as error:
        message = f"{target} could not be written: {error.strerror}. The run itself is recorded."
        raise UndeliveredError(message) from error
