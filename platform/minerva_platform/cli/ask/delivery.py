"""Put a run's artifacts and answer into a folder, each file whole or not at all."""

import os
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

from minerva_platform.cli.io.exit_codes import UndeliveredError
from minerva_platform.cli.io.whole_file import write_whole
from minerva_platform.config.settings import find_settings, home_directory
from minerva_platform.contract.run_object import Run
from minerva_platform.contract.values import StoredArtifact
from minerva_platform.errors import RunError
from minerva_platform.storage.engine.encryption import keyring
from minerva_platform.storage.engine.location import find_place
from minerva_platform.storage.engine.opening import opened_engine
from minerva_platform.storage.files.artifacts import ArtifactStore, find_artifacts

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


def deliver(run: Run, folder: Path, *, config: Path | None = None) -> Run:
    """Write the artifacts and `answer.md`; return the run with its paths leading there.

    An artifact that another host made is read where `config` says that artifacts are kept.

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
            _write(target, _content(artifact, config))
            done[key] = artifact.model_copy(update={"path": str(target)})
            placed.append(done[key])
    answer = f"{run.answer.rstrip()}\n".encode("utf-8", "backslashreplace")
    _write(folder / ANSWER, answer)
    return run.model_copy(update={"artifacts": tuple(placed)})


def _content(artifact: StoredArtifact, config: Path | None) -> bytes:
    with suppress(OSError):
        return keyring().unseal_content(Path(artifact.path).read_bytes(), artifact.sha256)
    try:
        with opened_artifacts(config) as store:
            return store.read_bytes(artifact.sha256)
    except RunError as error:
        message = f"The artifact `{artifact.name}` cannot be read: {error} Ask again."
        raise UndeliveredError(message) from error


@contextmanager
def opened_artifacts(config: Path | None) -> Generator[ArtifactStore]:
    """Give the store of the artifacts of this home, as configured.

    Raises:
        SettingsError: the configuration names no folder or no database that can be used.
    """
    home, storage = home_directory(), find_settings(config).platform.storage
    artifacts = find_artifacts(home, storage.files)
    if not artifacts.in_database:
        yield artifacts.store(None)
        return
    with opened_engine(find_place(home, storage.url)) as engine:
        yield artifacts.store(engine)


def _free_name(name: str, names: set[str]) -> str:
    """Return a free file name for `name` that stays in its folder."""
    plain = Path(name.replace("\\", "/")).name
    if plain in {"", ".", ".."} or "\0" in plain:
        plain = "artifact"
    stem, dot, ending = plain.rpartition(".")
    if not stem:
        stem, dot, ending = plain, "", ""
    stem = stem.encode("utf-8", "replace")[:_MAX_NAME_BYTES].decode("utf-8", "ignore")
    number, free = 1, f"{stem}{dot}{ending}"
    while free.casefold() in names:
        number += 1
        free = f"{stem}-{number}{dot}{ending}"
    names.add(free.casefold())
    return free


def _write(target: Path, data: bytes) -> None:
    try:
        write_whole(target, data)
    except OSError as error:
        message = f"{target} could not be written: {error.strerror}. The run itself is recorded."
        raise UndeliveredError(message) from error
