"""Let one caller at a time through, whichever OS thread's event loop it comes from."""

import asyncio
import threading
from collections import deque
from concurrent.futures import Future
from typing import Self


class FairLock:
    """An async lock that belongs to no event loop; first come, first served.

    A worker's process serves all the runs of this process, and these may run in event loops of
    their own (`Team.invoke` makes one). Waiting blocks no event loop.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: deque[Future[None]] = deque()
        self._is_taken = False

    async def __aenter__(self) -> Self:
        waiting: Future[None] = Future()
        with self._lock:
            self._waiting.append(waiting)
        self._grant()
        try:
            await asyncio.wrap_future(waiting)
        except BaseException:
            if not waiting.cancel():  # it was granted in the same moment
                self._free()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        self._free()

    def _free(self) -> None:
        with self._lock:
            self._is_taken = False
        self._grant()

    def _grant(self) -> None:
        with self._lock:
            while self._waiting and not self._is_taken:
                waiting = self._waiting.popleft()
                if waiting.set_running_or_notify_cancel():
                    self._is_taken = True
                    waiting.set_result(None)
