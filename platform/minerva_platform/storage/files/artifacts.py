"""Store artifacts and hand-offs outside graph state, addressed by their sha-256.

The same content has one address. So a repeated run writes nothing twice, and a hand-off can travel
as a reference.

Contents lie in a folder. If they are also kept in the database, the folder is what this host has of
them: a content is written to both, and read from the database once it is not in the folder.
In an encrypted store both hold them encrypted, under the sha-256 of the plain content.
"""

import hashlib
import os
import tempfile
import time
from collections.abc import Collection, Generator, Iterable, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import orjson

from minerva_observability.file_lock import wait_for_lock
from minerva_platform.config.settings import IN_DATABASE
from minerva_platform.contract.bounds import MAX_RUN_BYTES
from minerva_platform.contract.run_object import Run
from minerva_platform.contract.values import Content, StoredArtifact
from minerva_platform.errors import RunError, SettingsError, StateError
from minerva_platform.run_context.blocking import in_daemon_thread
from minerva_platform.storage.engine.encryption import keyring

if TYPE_CHECKING:
    from minerva_platform.storage.engine.engine import Engine
    from minerva_platform.storage.files.contents import Contents

FOLDER: Final = "artifacts"
"""Below the home."""


@dataclass(frozen=True, slots=True)
class ArtifactPlace:
    """Where artifacts lie."""

    home: Path
    folder: Path
    in_database: bool = False
    """True if they are also kept in the database, and the folder is this host's alone."""

    @property
    def is_shared(self) -> bool:
        """True if the folder is one that was configured, for several hosts."""
        return self.folder != self.home / FOLDER

    def store(self, engine: "Engine | None") -> "ArtifactStore":
        """Return a store of what lies here. `engine` is of the database that may keep contents."""
        if engine is None or not self.in_database:
            return ArtifactStore(self.folder)
        from minerva_platform.storage.files.contents import Contents  # noqa: PLC0415  # SQLAlchemy is heavy

        return ArtifactStore(self.folder, Contents(engine))


def find_artifacts(home: Path, setting: str | None = None) -> ArtifactPlace:
    """Return where artifacts lie, as `storage.files` says it.

    Raises:
        SettingsError: it names a folder that is not there or cannot be written. It is not made: it
            may be another host's, which is not mounted.
    """
    if setting is None or setting == IN_DATABASE:
        return ArtifactPlace(home, home / FOLDER, in_database=setting is not None)
    folder = home / setting
    if not folder.is_dir():
        message = (
            f"`storage.files` names {folder}, which is no folder here. Mount it, or make it: "
            f"mkdir -p -m 700 {folder}"
        )
        raise SettingsError(message)
    if not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
        message = (
            f"`storage.files` names {folder}, which cannot be written. Give it to the user of "
            "MINERVA, or name another folder."
        )
        raise SettingsError(message)
    return ArtifactPlace(home, folder)


@contextmanager
def locked_folder(directory: Path, *, is_shared: bool = False) -> Generator[None]:
    """Lock a folder of artifacts for the block: shared to add files or copy them, else to remove.

    On a file system without locks the block runs without one.
    """
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        with suppress(OSError):  # the file system has no locks
            wait_for_lock(descriptor, is_shared=is_shared)
        yield
    finally:
        os.close(descriptor)


def write_file(target: Path, data: bytes) -> None:
    """Write a file that its owner alone can read: whole, or not at all."""
    handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=".part-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        Path(temporary).replace(target)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


class ArtifactStore:
    """A directory of files named by the sha-256 of their content. It is made on first use.

    With `contents`, the database keeps them, too: `save` follows `write`. One object serves one run
    and counts that run's bytes.
    """

    def __init__(self, directory: Path, contents: "Contents | None" = None) -> None:
        self.directory = directory
        self._contents = contents
        self._weights: dict[str, int] = {}
        self._saved_digests: set[str] = set()

    def has_room(self, weights: Mapping[str, int]) -> bool:
        """True if the run may still give contents of these bytes, by sha-256.

        The same content counts once.
        """
        return sum({**self._weights, **weights}.values()) <= MAX_RUN_BYTES

    def take(self, weights: Mapping[str, int]) -> None:
        """Count contents as given in this run."""
        self._weights |= weights

    def address(self, name: str, media_type: str, content: Content) -> StoredArtifact:
        """Return the stored artifact with the path that `content` will have."""
        path = str(self.directory / content.sha256)
        return StoredArtifact(name=name, media_type=media_type, path=path, sha256=content.sha256)

    def write(self, content: Content) -> str:
        """Store `content` in the folder; return its sha-256. No half-written file has that name.

        The time of a file says when a run last gave its content. So `minerva prune` leaves alone
        what a run has given whose rows are not written yet.
        """
        self.directory.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.directory.mkdir(mode=0o700, exist_ok=True)
        with locked_folder(self.directory, is_shared=True):
            self._write(content)
        return content.sha256

    def rewrite(self, content: Content) -> None:
        """Write a content of the folder anew, as new ones are kept; its time stays."""
        target = self.directory / content.sha256
        with locked_folder(self.directory, is_shared=True):
            given_ns = target.stat().st_mtime_ns
            self._replace(target, content.data)
            os.utime(target, ns=(given_ns, given_ns))

    def save(self, digests: Collection[str]) -> None:
        """Keep contents of the folder in the database, if that is where contents are kept.

        Whoever names them in a row does it afterwards.

        Raises:
            RunError: one is not in the folder.
            StateError: the database cannot be written.
        """
        if self._contents is None:
            return
        for digest in sorted(set(digests) - self._saved_digests):
            self._contents.add(Content(self._from_folder(digest), digest), now=time.time())
            self._saved_digests.add(digest)

    async def asave(self, digests: Collection[str]) -> None:
        """Do what `save` does without holding up the event loop."""
        if self._contents is not None and not self._saved_digests.issuperset(digests):
            await in_daemon_thread(self.save, digests)

    async def afetch(self, digests: Collection[str]) -> None:
        """Bring contents of the database into the folder, without holding up the event loop.

        A content that is in neither is left to who reads it.

        Raises:
            StateError: the database cannot be read.
        """
        if self._contents is None:
            return
        if self._away(digests):
            await in_daemon_thread(self._fetch, digests)

    def _fetch(self, digests: Iterable[str]) -> None:
        for digest in self._away(digests):
            with suppress(_NotThereError):
                self._from_database(digest)

    def _away(self, digests: Iterable[str]) -> set[str]:
        return {digest for digest in digests if not (self.directory / digest).exists()}

    def _write(self, content: Content) -> None:
        target = self.directory / content.sha256
        if target.exists():
            os.utime(target)
            return
        self._replace(target, content.data)

    def _replace(self, target: Path, data: bytes) -> None:
        write_file(target, keyring().seal_content(data, target.name))

    def read_bytes(self, digest: str) -> bytes:
        """Return the bytes stored under `digest`, from the folder or else from the database.

        Raises:
            RunError: they are in neither, or were changed.
            StateError: the database cannot be read.
        """
        try:
            return self._from_folder(digest)
        except RunError as error:
            if self._contents is None:
                raise
            try:
                return self._from_database(digest)
            except _NotThereError:
                raise error from None

    def read_text(self, digest: str) -> str:
        """Return the text stored under `digest`.

        Raises:
            RunError: it is not there, or was changed.
        """
        return self.read_bytes(digest).decode("utf-8", "surrogatepass")

    def read_json(self, digest: str) -> dict[str, Any]:
        """Return the JSON object stored under `digest`."""
        parsed: dict[str, Any] = orjson.loads(self.read_text(digest))
        return parsed

    def with_artifacts(self, run: Run) -> Run:
        """Return a kept run with its artifacts here, brought from the database if need be."""
        self._fetch({artifact.sha256 for artifact in run.artifacts} if self._contents else ())
        return run.model_copy(update={"artifacts": tuple(map(self.locate, run.artifacts))})

    def locate(self, artifact: StoredArtifact) -> StoredArtifact:
        """Return an artifact with its path here, which a run of another host does not name."""
        path = self.directory / artifact.sha256
        if str(path) == artifact.path or not path.exists():
            return artifact
        return artifact.model_copy(update={"path": str(path)})

    def _from_folder(self, digest: str) -> bytes:
        path = self.directory / digest
        try:
            data = keyring().unseal_content(path.read_bytes(), digest)
        except OSError as error:
            message = f"The artifact {digest} is not in {self.directory}: {error.strerror}."
            raise RunError(message) from error
        if hashlib.sha256(data).hexdigest() != digest:
            message = f"The artifact {path} was changed after it was stored; run again."
            raise RunError(message)
        return data

    def _from_database(self, digest: str) -> bytes:
        """Return a content of the database, and keep it in the folder for the next reader.

        Raises:
            StateError: it was changed there, or the database cannot be read.
        """
        assert self._contents is not None  # noqa: S101  # the callers have looked
        data = self._contents.find(digest)
        if data is None:
            raise _NotThereError(digest)
        if hashlib.sha256(data).hexdigest() != digest:
            reason = f"holds another content as {digest}; run again. See: minerva doctor"
            raise StateError(self._contents.place, reason)
        with suppress(OSError):  # the content is here all the same
            self.directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            with locked_folder(self.directory, is_shared=True):
                self._replace(self.directory / digest, data)
        return data


class _NotThereError(Exception):
    """The database does not have a content."""
