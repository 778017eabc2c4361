"""Store artifacts and hand-offs outside graph state, addressed by their sha-256.

The same content has one address. So a repeated run writes nothing twice, and a hand-off can travel
as a reference.
"""

import hashlib
import os
import tempfile
from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from minerva_observability.file_lock import wait_for_lock
from minerva_platform.contract.bounds import MAX_RUN_BYTES
from minerva_platform.contract.values import StoredArtifact
from minerva_platform.errors import RunError


@dataclass(frozen=True, slots=True)
class Content:
    """A text as it is stored, and its address."""

    data: bytes
    sha256: str

    @classmethod
    def of(cls, text: str) -> "Content":
        """Return `text` with its address."""
        data = text.encode("utf-8", "surrogatepass")
        return cls(data, hashlib.sha256(data).hexdigest())


@contextmanager
def locked_folder(directory: Path, *, shared: bool = False) -> Generator[None]:
    """Lock a folder of artifacts for the block: shared to add files or copy them, else to remove.

    On a file system without locks the block runs without one.
    """
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        with suppress(OSError):  # the file system has no locks
            wait_for_lock(descriptor, shared=shared)
        yield
    finally:
        os.close(descriptor)


class ArtifactStore:
    """A directory of files named by the sha-256 of their content. It is made on first use.

    One object serves one run and counts that run's bytes.
    """

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self._given: dict[str, int] = {}

    def has_room(self, weighed: Mapping[str, int]) -> bool:
        """True if the run may still give contents of these bytes, by sha-256.

        The same content counts once.
        """
        return sum({**self._given, **weighed}.values()) <= MAX_RUN_BYTES

    def take(self, weighed: Mapping[str, int]) -> None:
        """Count contents as given in this run."""
        self._given |= weighed

    def address(self, name: str, media_type: str, content: Content) -> StoredArtifact:
        """Return the stored artifact with the path that `content` will have."""
        path = str(self.directory / content.sha256)
        return StoredArtifact(name=name, media_type=media_type, path=path, sha256=content.sha256)

    def write(self, content: Content) -> str:
        """Store `content` and return its sha-256. A half-written file never has that name.

        The time of a file says when a run last gave its content. So `minerva prune` leaves alone
        what a run has given whose rows are not written yet.
        """
        self.directory.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.directory.mkdir(mode=0o700, exist_ok=True)
        with locked_folder(self.directory, shared=True):
            self._write(content)
        return content.sha256

    def _write(self, content: Content) -> None:
        target = self.directory / content.sha256
        if target.exists():
            os.utime(target)
            return
        handle, temporary = tempfile.mkstemp(dir=self.directory, prefix=".part-")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content.data)
            Path(temporary).replace(target)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise

    def read_text(self, digest: str) -> str:
        """Return the text stored under `digest`.

        Raises:
            RunError: the file is missing, or its content has changed.
        """
        path = self.directory / digest
        try:
            data = path.read_bytes()
        except OSError as error:
            message = f"The artifact {digest} is not in {self.directory}: {error.strerror}."
            raise RunError(message) from error
        if hashlib.sha256(data).hexdigest() != digest:
            message = f"The artifact {path} was changed after it was stored; run again."
            raise RunError(message)
        return data.decode("utf-8", "surrogatepass")

    def read_json(self, digest: str) -> dict[str, Any]:
        """Return the JSON object stored under `digest`."""
        parsed: dict[str, Any] = orjson.loads(self.read_text(digest))
        return parsed
