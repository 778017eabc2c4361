"""Keep what agents make outside graph state, addressed by its sha-256.

The same content has one address, so a repeated run writes nothing twice and a hand-off can
travel as a reference.
"""

import hashlib
import os
import tempfile
from pathlib import Path
from typing import Any

import orjson

from minerva_platform.contract import Artifact, StoredArtifact
from minerva_platform.errors import RunError


class ArtifactStore:
    """A directory of files named by the sha-256 of their content; made when first needed."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory

    def write_text(self, text: str) -> str:
        """Store `text` and return its sha-256; a half-written file never has that name."""
        data = text.encode("utf-8", "surrogatepass")
        digest = hashlib.sha256(data).hexdigest()
        target = self.directory / digest
        if target.exists():
            return digest
        self.directory.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.directory.mkdir(mode=0o700, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=self.directory, prefix=".part-")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
            Path(temporary).replace(target)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
        return digest

    def read_text(self, digest: str) -> str:
        """Return the text stored under `digest`.

        Raises:
            RunError: it is not there, or what is there is something else.
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

    def store(self, artifact: Artifact) -> StoredArtifact:
        """Store an agent's artifact."""
        digest = self.write_text(artifact.content)
        return StoredArtifact(
            name=artifact.name,
            media_type=artifact.media_type,
            path=str(self.directory / digest),
            sha256=digest,
        )
