"""One writer for an index: a second one waits, and finds the work done."""

import os
from pathlib import Path
from typing import Self

from minerva_insilico.core.facts.errors import UnwritableIndexError
from minerva_observability.file_lock import open_lock_file, take_lock_within


class WriterLock:
    """A lock of the process that writes the index of one tree. It ends with the process.

    Raises:
        UnwritableIndexError: another process holds it for longer than `seconds`.
    """

    def __init__(self, database: Path, *, seconds: float) -> None:
        self._descriptor = open_lock_file(database.with_name(f".{database.stem}.lock"))
        if not take_lock_within(self._descriptor, seconds=seconds):
            self.release()
            raise UnwritableIndexError(database, "another process is indexing the same tree")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()

    def release(self) -> None:
        """Let the next writer in."""
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            os.close(descriptor)
