"""Run blocking work so that a hung call can never hang the process.

Python waits at exit for the OS threads of its own executors. A worker that blocks for an hour
would keep a finished run alive for an hour, so blocking nodes run in daemon OS threads.
"""

import asyncio
import os
import sys
import threading
from collections.abc import AsyncGenerator, Callable, Collection, Coroutine
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from queue import SimpleQueue
from typing import Any, ParamSpec, TypeVar
from weakref import WeakSet, finalize

from minerva_platform.errors import RunError
from minerva_platform.run_context.failures.containment import contain_tasks, raised_by_signal

GRACE_S = 1.0
"""Seconds that tasks have to end after they were cancelled."""

WORKER_THREAD = "minerva-worker"
"""The name of the OS threads that blocking work runs in."""

P = ParamSpec("P")
T = TypeVar("T")


class DaemonExecutor(ThreadPoolExecutor):
    """An executor with a daemon OS thread per call; `shutdown` does not wait for any of them.

    The run's budget limits how many run at once, not the executor.
    """

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> "Future[T]":
        """Start `fn` in an OS thread of its own."""
        future: Future[T] = Future()
        _start_daemon(_settle, future, lambda: fn(*args, **kwargs))
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: ARG002, FBT001, FBT002  # the signature is concurrent.futures'
        """Let go of the OS threads; daemons end with the process."""
        super().shutdown(wait=False, cancel_futures=cancel_futures)


class SerialThread:
    """A daemon OS thread that runs functions one after the other, in the order of submission."""

    def __init__(self, name: str) -> None:
        self._calls: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._work, name=name, daemon=True)
        self._thread.start()

    def submit(self, function: Callable[[], T]) -> "Future[T]":
        """Queue `function`. It is skipped if its future is cancelled before its turn."""
        future: Future[T] = Future()
        self._calls.put(lambda: _settle(future, function))
        return future

    def stop(self) -> None:
        """End the OS thread after the queued functions. No function may be submitted later."""
        self._calls.put(None)

    def join(self) -> None:
        """Wait until the OS thread has ended."""
        self._thread.join()

    def _work(self) -> None:
        while (work := self._calls.get()) is not None:
            work()
            del work  # it holds a result, which may be large, until the next one comes


def _settle(future: "Future[T]", function: Callable[[], T]) -> None:
    """Run `function` and give its result to `future`, unless that was cancelled."""
    if not future.set_running_or_notify_cancel():
        return
    try:
        future.set_result(function())
    except BaseException as error:  # noqa: BLE001  # the caller that awaits the future gets it
        future.set_exception(error)


_EXECUTOR = DaemonExecutor(max_workers=1)


async def in_daemon_thread(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Await `function` run in a daemon OS thread, with the caller's context variables."""
    context = copy_context()
    loop = asyncio.get_running_loop()
    return await loop.run_in_executor(_EXECUTOR, lambda: context.run(function, *args, **kwargs))


def run_sync(function: Callable[P, Coroutine[Any, Any, T]], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run an async function to its end from code that is not async itself.

    Each OS thread keeps its event loop for the next call: the HTTP client of a worker's model is
    bound to the loop that opened its connections. Where a loop is running already, as in a
    notebook, the function runs in an OS thread beside it, and the loop waits.

    Raises:
        RunError: the loop that is running is that of a run, which would wait for itself.
    """
    if _loop_is_running():
        return _run_beside(function, *args, **kwargs)
    kept, _of_thread.loop = _of_thread.loop or _KeptLoop(), None
    try:
        return kept.run_to_end(function(*args, **kwargs))
    finally:
        if kept.is_clean():
            _of_thread.loop = kept


def _run_beside(
    function: Callable[P, Coroutine[Any, Any, T]], *args: P.args, **kwargs: P.kwargs
) -> T:
    """Do what `run_sync` does, in the OS thread that stands beside the caller's."""
    from minerva_platform.run_context.context import run_or_none  # noqa: PLC0415  # it imports this

    if run_or_none() is not None:
        name = getattr(function, "__name__", "the async function")
        message = f"A worker's event loop is running here; use `await {name}(…)`."
        raise RunError(message)
    begun: Future[tuple[asyncio.AbstractEventLoop, asyncio.Task[Any] | None]] = Future()

    async def work() -> T:
        begun.set_result((asyncio.get_running_loop(), asyncio.current_task()))
        return await function(*args, **kwargs)

    beside = _of_thread.beside = _of_thread.beside or SerialThread("minerva-sync")
    context = copy_context()
    result = beside.submit(lambda: context.run(run_sync, work))
    try:
        return result.result()
    except KeyboardInterrupt:  # it came to the caller's OS thread
        loop, task = begun.result()
        if task is not None:
            loop.call_soon_threadsafe(task.cancel)
        raise


class _KeptLoop:
    """An event loop that runs one call after another and is closed when its OS thread is gone."""

    def __init__(self) -> None:
        self.runner = asyncio.Runner()
        self.generators: WeakSet[AsyncGenerator[Any, Any]] = WeakSet()
        loop = self.runner.get_loop()
        loop.set_default_executor(DaemonExecutor(max_workers=1))
        contain_tasks(loop, is_ours=True)
        self.close = finalize(self, loop.close)

    def run_to_end(self, work: Coroutine[Any, Any, T]) -> T:
        """Return the result of `work`, even if a callback raises what would end the loop.

        Such a callback, or `loop.stop()`, does not end `work`, just as a failing task does not.
        """
        loop = self.runner.get_loop()
        loop.call_soon(self._note_generators)
        task = loop.create_task(work)
        while not task.done():
            try:
                self.runner.run(_until_done(task))
            except (KeyboardInterrupt, SystemExit) as error:
                if task.cancelling() or raised_by_signal(error):
                    raise
            except RuntimeError as error:
                if not str(error).startswith("Event loop stopped"):
                    raise
        return task.result()

    def is_clean(self) -> bool:
        """End what the call left behind; tell whether all of it ended within the grace.

        What does not end goes on in a daemon OS thread, and the loop with it.
        """
        asyncio.set_event_loop(None)
        loop = self.runner.get_loop()
        tasks = asyncio.all_tasks(loop)
        for task in tasks:
            task.cancel()
        late = _late(loop, tasks)
        late |= _late(loop, [loop.create_task(_close(each)) for each in self.generators])
        if late:
            self.close.detach()
            _start_daemon(_close_after, self.runner, late)
        return not late

    def _note_generators(self) -> None:
        """Remember the generators that begin in this call, which closes what is left of them."""
        loops = sys.get_asyncgen_hooks()

        def begin(generator: AsyncGenerator[Any, Any]) -> None:
            self.generators.add(generator)
            if loops.firstiter:
                loops.firstiter(generator)

        sys.set_asyncgen_hooks(firstiter=begin)


class _OfThread(threading.local):
    loop: _KeptLoop | None = None
    beside: SerialThread | None = None


_of_thread = _OfThread()
_of_parents: list[_KeptLoop] = []


def _forget() -> None:
    """Leave the loop alone that a forked process shares with its parent."""
    if kept := _of_thread.loop:
        kept.close.detach()
        _of_parents.append(kept)
        _of_thread.loop = None
    _of_thread.beside = None


os.register_at_fork(after_in_child=_forget)


async def _until_done(task: asyncio.Task[Any]) -> None:
    try:
        await asyncio.wait({task})
    except asyncio.CancelledError:  # Ctrl-C, which asyncio gives to the task it was started with
        task.cancel()
        await asyncio.wait({task})
        raise


def _loop_is_running() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


async def _close(generator: AsyncGenerator[Any, Any]) -> None:
    await generator.aclose()


def _late(
    loop: asyncio.AbstractEventLoop, tasks: Collection[asyncio.Task[Any]]
) -> set[asyncio.Task[Any]]:
    """Return those of `tasks` that do not end within the grace."""
    if not tasks:
        return set()
    ended, late = loop.run_until_complete(asyncio.wait(tasks, timeout=GRACE_S))
    for task in ended:
        if not task.cancelled():
            task.exception()  # read, so that asyncio does not warn that it was never read
    return late


def _close_after(runner: asyncio.Runner, tasks: Collection[asyncio.Task[Any]]) -> None:
    runner.get_loop().run_until_complete(asyncio.wait(tasks))
    runner.close()


def _start_daemon(function: Callable[P, object], *args: P.args, **kwargs: P.kwargs) -> None:
    threading.Thread(
        target=function, args=args, kwargs=kwargs, name=WORKER_THREAD, daemon=True
    ).start()
