"""What a run holds open while a process works on it: sessions that its calls share.

It is opened at its first use and closed when the run ends, pauses, fails or is cancelled. It
belongs to the event loop of the run and to no worker, so a worker whose time is up takes nothing
with it.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine, Hashable
from contextlib import asynccontextmanager
from contextvars import ContextVar, copy_context
from typing import Any, Final, Protocol, TypeVar, cast

from minerva_platform.errors import RunError

T = TypeVar("T")
HeldT = TypeVar("HeldT", bound="Closable")

NOT_HELD: Final = (
    "Only a run can hold sessions of servers open: call `team.ask(…)` or `worker.run(…)`, or put "
    "the team into a program of yours with `as_graph`, `as_node` or `as_tool` of "
    "minerva_platform.langgraph."
)


class Closable(Protocol):
    """What can be held open. It raises nothing when it is closed."""

    async def aclose(self) -> None:
        """Close it, and return when nothing of it is left. If cancelled, close it at once."""
        ...


class HeldOpen:
    """The open things of one run, by key."""

    def __init__(self) -> None:
        self.loop = asyncio.get_running_loop()
        self._context = copy_context()  # the run's own, of no worker
        self._closables: dict[Hashable, Closable] = {}
        self._is_over = False

    async def use(
        self,
        key: Hashable,
        make: Callable[[], HeldT],
        work: Callable[[HeldT], Coroutine[Any, Any, T]],
    ) -> T:
        """Return the result of `work` on what is held as `key`; `make` makes it at the first use.

        Both run in the event loop of the run, whatever loop asks.

        Raises:
            RunError: the run is over.
        """
        if asyncio.get_running_loop() is self.loop:
            return await work(self._get(key, make))

        async def there() -> T:
            return await work(self._get(key, make))

        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(there(), self.loop))

    def _get(self, key: Hashable, make: Callable[[], HeldT]) -> HeldT:
        if self._is_over:
            raise RunError(NOT_HELD)
        if key not in self._closables:
            self._closables[key] = self._context.copy().run(make)
        return cast("HeldT", self._closables[key])

    async def aclose(self) -> None:
        """Close everything, side by side."""
        self._is_over = True
        await asyncio.gather(*(held.aclose() for held in self._closables.values()))


_held: ContextVar[HeldOpen | None] = ContextVar("minerva_held_open", default=None)


@asynccontextmanager
async def holding() -> AsyncGenerator[None]:
    """Let the block hold things open, and close them at its end. An inner block holds nothing."""
    if _held.get() is not None:
        yield
        return
    held = HeldOpen()
    token = _held.set(held)
    try:
        yield
    finally:
        _held.reset(token)
        await held.aclose()


def held_open() -> HeldOpen:
    """Return what the run of this code holds open.

    Raises:
        RunError: this code belongs to no run.
    """
    held = _held.get()
    if held is None:
        raise RunError(NOT_HELD)
    return held
