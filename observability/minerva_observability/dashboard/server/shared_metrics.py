"""Answer many clients from one store.

The store is read at most every few seconds, and each question is computed once. Reading and
computing happen in OS threads of their own, so a slow disk or a large log never delays a person who
looks at another page.
"""

import asyncio
import logging
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import ThreadPoolExecutor
from glob import has_magic
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar

from minerva_observability.metrics.metrics import Metrics
from minerva_observability.metrics.span_filter import SpanFilter
from minerva_observability.metrics.span_store import SourceSummary, SpanStore
from minerva_observability.records.segments import Source

EVERY_S: Final = 2.0
"""Seconds between two reads of the source, for all clients together."""
THREADS: Final = 4
KEPT: Final = 128
"""The number of answers that are kept, all of the newest generation."""

T = TypeVar("T")
_log = logging.getLogger(__name__)


class State(NamedTuple):
    """The state of the source after the last read."""

    generation: int = 0
    """Grows with each read that brought something new; 0 before the first read."""
    is_there: bool = True
    """True if the source exists."""
    problem: str | None = None
    """The reason why the last read failed."""


class SharedMetrics:
    """The records of a source for any number of clients in one event loop."""

    def __init__(self, source: Source, *, every_s: float = EVERY_S) -> None:
        self.source = source
        self.state = State()
        self.summary = SourceSummary()
        self._every_s = every_s
        self._read_at = float("-inf")
        self._reading: asyncio.Task[State] | None = None
        self._store = SpanStore(source)  # not in an OS thread: Ctrl-C could leave it half made
        self._answers: OrderedDict[Hashable, asyncio.Task[Any]] = OrderedDict()
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="minerva-dashboard")

    async def refresh(self) -> State:
        """Read new records, unless the last read is recent, and return the state."""
        if self._reading is None:
            if time.monotonic() - self._read_at < self._every_s:
                return self.state
            self._reading = asyncio.create_task(self._read_state())
            self._reading.add_done_callback(self._have_read)
        return await asyncio.shield(self._reading)

    async def ask(self, key: Hashable, where: SpanFilter, answer: Callable[[Metrics], T]) -> T:
        """Return what `answer` computes from the spans that match `where`.

        `key` names the question. The same question gets the same answer until something new is
        read, even while the answer is still being computed.
        """
        full_key = (self.state.generation, key, where)
        task = self._answers.get(full_key)
        if task is None:
            task = asyncio.create_task(self.in_thread(lambda: answer(Metrics(self._store, where))))
            self._answers[full_key] = task
            while len(self._answers) > KEPT:
                self._answers.popitem(last=False)
        self._answers.move_to_end(full_key)
        try:
            return await asyncio.shield(task)
        except Exception:
            self._answers.pop(full_key, None)
            raise

    async def in_thread(self, work: Callable[[], T]) -> T:
        """Return the result of `work`, called in an OS thread."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, work)

    def close(self) -> None:
        """Release the OS threads and the store, without waiting for a running query."""
        is_busy = self._reading is not None or any(
            not each.done() for each in self._answers.values()
        )
        self._threads.shutdown(wait=not is_busy, cancel_futures=True)
        if is_busy:
            self._store.abandon()
        else:
            self._store.close()

    async def _read_state(self) -> State:
        problem = None
        before = self.state.generation
        is_there = True
        try:
            is_there = await self.in_thread(self._read_now)
        except Exception as error:  # noqa: BLE001  # the pages show it, and the next read may succeed
            _log.warning("%s cannot be read: %s", self.source, error)
            problem = f"{type(error).__name__}: {error}"
        generation = self._store.generation
        if generation != before:
            self._answers.clear()
        self.state = State(generation, is_there, problem)
        return self.state

    def _read_now(self) -> bool:
        self._store.refresh()
        self.summary = self._store.summary
        return has_magic(str(self.source)) or Path(self.source).exists()

    def _have_read(self, _: asyncio.Task[State]) -> None:
        self._reading = None
        self._read_at = time.monotonic()
