"""One writer for an index; whoever comes second waits and finds the work done."""

import fcntl
import os
import time
from pathlib import Path
from types import TracebackType
from typing import Self

from minerva_insilico.core.facts.errors import UnwritableIndexError

_POLL_SECONDS = 0.05


class WriterLock:
    """Held by the process that writes the index of one tree; the system frees it if that dies.

    Raises:
        UnwritableIndexError: another process holds it for longer than `seconds`.
    """

    def __init__(self, database: Path, *, seconds: float) -> None:
        self._database = database
        self._descriptor = os.open(
            database.with_name(f".{database.stem}.lock"),
            os.O_RDWR | os.O_CREAT | os.O_CLOEXEC,
            0o600,
        )
        end = time.monotonic() + seconds
        while not self._taken():
            if time.monotonic() > end:
                self.release()
                raise UnwritableIndexError(database, "another process is indexing the same tree")
            time.sleep(_POLL_SECONDS)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.release()

    def release(self) -> None:
        """Let the next writer in."""
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            os.close(descriptor)

    def _taken(self) -> bool:
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
