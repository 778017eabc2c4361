"""How the checkpoints of one run come into the database: what is new, as one transaction.

LangGraph saves after each step of each graph: 66 times in a run of seven model calls. Each alone
would be a transaction, and cost nearly as much as the run. Here the state lies in memory, and one
transaction takes what is new: now and then in a long run, before an effect, at a pause and at the
end. Each renews the run's lease first, so a run that has lost its thread writes nothing.
"""

import threading
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Final, TypeAlias

from minerva_platform.errors import StateError
from minerva_platform.storage.checkpoints.rows import CheckpointRow, Row, WriteRow

Found: TypeAlias = tuple[list[CheckpointRow], list[WriteRow]]

FLUSH_AFTER_S: Final = 0.25
"""Seconds of work that a crash repeats at most, beside the step that it stops."""

RETRY_AFTER_S: Final = 5.0
"""Seconds until the next try, if the database could not be written."""

PATIENCE_S: Final = 1.0
"""Seconds that a step waits for the database, which it does not need."""


class Pace:
    """Says when a flush is due."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self.begin()

    def begin(self, seconds: float = FLUSH_AFTER_S) -> None:
        """Count from now."""
        self._due = self._clock() + seconds

    @property
    def is_due(self) -> bool:
        """True if the last flush is long ago."""
        return self._clock() > self._due

    @contextmanager
    def kept(self) -> Generator[None]:
        """Let a run go on whose database cannot be written now; all is still in memory.

        What must be kept is refused where it is: an effect, a question, the run's end.
        """
        self.begin()  # workers side by side need not flush at once
        try:
            yield
        except StateError:
            self.begin(RETRY_AFTER_S)


HELD: Final = 2
"""Checkpoints of each graph that stay: the latest, and the one before it."""

_CHANGES: Final = b"counters_since_delta_snapshot"
"""What LangGraph says of a checkpoint that holds only changes of a channel."""

Key: TypeAlias = tuple[Any, ...]


class Book:
    """Rows of one run. OS threads may use it at once.

    What no step needs any more is forgotten: all but the latest checkpoints of each graph, and
    the graphs of tasks that are done. With `keeps_all`, only what the database has is.
    """

    def __init__(self, *, keeps_all: bool = False) -> None:
        self.is_stored = False
        """True if the database may have rows of the run, even of a transaction that failed."""
        self.is_whole = True
        """False if the database has rows that are not here."""
        self._keeps_all = keeps_all
        self._lock = threading.Lock()
        self._checkpoints: dict[str, dict[str, CheckpointRow]] = {}
        self._writes: dict[tuple[str, str], dict[tuple[str, int], WriteRow]] = {}
        self._growing: set[str] = set()
        """Graphs with channels that keep only changes, which go back to earlier checkpoints."""
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

    def add(self, row: CheckpointRow) -> None:
        """Add a checkpoint with the next number, or replace it."""
        with self._lock:
            self._number += 1
            row = replace(row, number=self._number)
            self._checkpoints.setdefault(row.namespace, {})[row.checkpoint_id] = row
            self._add(row)
            if _CHANGES in row.metadata:
                self._growing.add(row.namespace)
            self._forget(row.namespace, HELD)

    def put_writes(self, rows: Sequence[WriteRow]) -> None:
        """Add what a task has written. Its values are not replaced, LangGraph's own are."""
        with self._lock:
            if all(row.idx >= 0 for row in rows):
                self._forget_graphs_of(rows[0].task_id)
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
        """Take note that the database has all that was there when the mark was given."""
        with self._lock:
            self._new = {key: new for key, new in self._new.items() if new[0] > mark}
            for namespace in self._checkpoints:
                self._forget(namespace, HELD)

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

    def _forget_graphs_of(self, task_id: str) -> None:
        """Forget the graphs that a task has run: it is done, so they never go on."""
        for namespace in [name for name in self._checkpoints if f":{task_id}" in name]:
            self._forget(namespace, 0)
            if not self._checkpoints[namespace]:
                del self._checkpoints[namespace]

    def _forget(self, namespace: str, count: int) -> None:
        """Forget all checkpoints of a graph but the last ones, with what was written after them."""
        graph = self._checkpoints[namespace]
        needs_all = self._keeps_all or namespace in self._growing
        for row in [*graph.values()][: len(graph) - count]:
            is_new = row.key in self._new
            if is_new and needs_all:
                continue
            del graph[row.checkpoint_id]
            written = self._writes.pop((namespace, row.checkpoint_id), {})
            if needs_all or not is_new:
                self.is_whole = False
            if not needs_all:
                for key in (row.key, *(write.key for write in written.values())):
                    self._new.pop(key, None)
