"""The checkpoints of one run in memory, and which of them the database does not have yet."""

import threading
from collections.abc import Iterable, Sequence
from typing import Any, Final, TypeAlias

from minerva_platform.storage.checkpoints.rows import CheckpointRow, Row, WriteRow, numbered

HELD: Final = 2
"""Checkpoints of each graph that stay in memory once they are written: the latest, and the one
before it."""

Key: TypeAlias = tuple[Any, ...]


class Book:
    """Rows of one run. OS threads may use it at once."""

    def __init__(self) -> None:
        self.is_stored = False
        """True if the database may have rows of the run, even of a transaction that failed."""
        self.is_whole = True
        """False if the database has rows that are not here."""
        self._lock = threading.Lock()
        self._checkpoints: dict[str, dict[str, CheckpointRow]] = {}
        self._writes: dict[tuple[str, str], dict[tuple[str, int], WriteRow]] = {}
        self._new: dict[Key, tuple[int, Row]] = {}
        self._number = 0
        self._mark = 0

    def load(self, checkpoints: Sequence[CheckpointRow], writes: Iterable[WriteRow]) -> None:
        """Take over what the database has; what is here already is later and stays."""
        with self._lock:
            here = [row for graph in self._checkpoints.values() for row in graph.values()]
            self._checkpoints.clear()
            for row in sorted((*checkpoints, *here), key=lambda row: row.number):
                self._checkpoints.setdefault(row.namespace, {})[row.checkpoint_id] = row
                self._number = max(self._number, row.number)
            for write in writes:
                self._of(write).setdefault((write.task_id, write.idx), write)
            self.is_whole = self.is_stored = True

    def put(self, row: CheckpointRow) -> None:
        """Add a checkpoint with the next number, or replace it."""
        with self._lock:
            self._number += 1
            row = numbered(row, self._number)
            self._checkpoints.setdefault(row.namespace, {})[row.checkpoint_id] = row
            self._add(row)

    def put_writes(self, rows: Iterable[WriteRow]) -> None:
        """Add what a task has written. Its values are not replaced, LangGraph's own are."""
        with self._lock:
            for row in rows:
                there = self._of(row)
                if row.idx < 0 or (row.task_id, row.idx) not in there:
                    there[row.task_id, row.idx] = row
                    self._add(row)

    def find(self, namespace: str, checkpoint_id: str | None) -> list[CheckpointRow]:
        """Return a checkpoint of a graph; without an id all that are here, newest first."""
        with self._lock:
            found = self._checkpoints.get(namespace, {})
            if checkpoint_id is None:
                return [*reversed(found.values())]
            return [found[checkpoint_id]] if checkpoint_id in found else []

    def writes_after(self, row: CheckpointRow) -> list[WriteRow]:
        """Return what tasks have written after a checkpoint."""
        with self._lock:
            return list(self._writes.get((row.namespace, row.checkpoint_id), {}).values())

    def all(self) -> list[CheckpointRow]:
        """Return all checkpoints, newest first."""
        with self._lock:
            rows = [row for graph in self._checkpoints.values() for row in graph.values()]
        return sorted(rows, key=lambda row: row.number, reverse=True)

    def new(self) -> tuple[list[Row], int]:
        """Return what the database does not have, and a mark to say later that it has it."""
        with self._lock:
            return [row for _, row in self._new.values()], self._mark

    def mark_written(self, mark: int) -> None:
        """Take note that the database has all that was there when the mark was given.

        What no step needs any more is forgotten here; `load` brings it back.
        """
        with self._lock:
            self._new = {key: new for key, new in self._new.items() if new[0] > mark}
            for graph in self._checkpoints.values():
                for row in [*graph.values()][:-HELD]:
                    if row.key not in self._new:
                        del graph[row.checkpoint_id]
                        self._writes.pop((row.namespace, row.checkpoint_id), None)
                        self.is_whole = False

    def clear(self) -> None:
        """Forget all."""
        with self._lock:
            self._checkpoints.clear()
            self._writes.clear()
            self._new.clear()
            self.is_whole, self.is_stored = True, False

    @property
    def has_new(self) -> bool:
        """True if the database does not have all."""
        return bool(self._new)

    def _of(self, row: WriteRow) -> dict[tuple[str, int], WriteRow]:
        return self._writes.setdefault((row.namespace, row.checkpoint_id), {})

    def _add(self, row: Row) -> None:
        self._mark += 1
        self._new[row.key] = (self._mark, row)
