"""Run blocking work so that a hung call can never hang the process.

Python waits at exit for the OS threads of its own executors. A worker that blocks for an hour
would keep a finished run alive for an hour, so blocking nodes run in daemon OS threads.
"""

import asyncio
import threading
from collections.abc import Callable, Collection, Coroutine
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from queue import SimpleQueue
from typing import Any, ParamSpec, TypeVar

from minerva_platform.calls.containment import contain_tasks, raised_by_signal
from minerva_platform.errors import RunError

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
        self._asked: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._work, name=name, daemon=True)
        self._thread.start()

    def submit(self, function: Callable[[], T]) -> "Future[T]":
        """Queue `function`. It is skipped if its future is cancelled before its turn."""
        future: Future[T] = Future()
        self._asked.put(lambda: _settle(future, function))
        return future

    def stop(self) -> None:
        """End the OS thread after the queued functions. No function may be submitted later."""
        self._asked.put(None)

    def join(self) -> None:
        """Wait until the OS thread has ended."""
        self._thread.join()

    def _work(self) -> None:
        while (work := self._asked.get()) is not None:
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
    """Run an async function to its end from code that has no event loop.

    Raises:
        RunError: an event loop is already running in this OS thread.
    """
    if _loop_is_running():
        name = getattr(function, "__name__", "the async function")
        message = f"An event loop is already running here; use `await {name}(…)`."
        raise RunError(message)
    runner = asyncio.Runner()
    runner.get_loop().set_default_executor(DaemonExecutor(max_workers=1))
    try:
        return _finished(runner, function(*args, **kwargs))
    finally:
        _close(runner)


def _finished(runner: asyncio.Runner, work: Coroutine[Any, Any, T]) -> T:
    """Return the result of `work`, even if a callback in the loop raises what would end the loop.

    Such a callback, or `loop.stop()`, does not end `work`, just as a failing task does not.
    """
    contain_tasks(runner.get_loop(), is_ours=True)
    task = runner.get_loop().create_task(work)
    while not task.done():
        try:
            runner.run(_until_done(task))
        except (KeyboardInterrupt, SystemExit) as error:
            if task.cancelling() or raised_by_signal(error):
                raise
        except RuntimeError as error:
            if not str(error).startswith("Event loop stopped"):
                raise
    return task.result()


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


def _close(runner: asyncio.Runner) -> None:
    """Close `runner`. What cannot be cancelled or closed goes on in a daemon OS thread.

    The runner's own `close` would wait for such a task, or such a generator, for ever.
    """
    loop = runner.get_loop()
    tasks = asyncio.all_tasks(loop)
    for task in tasks:
        task.cancel()
    late = _late(loop, tasks)
    late |= _late(loop, {loop.create_task(loop.shutdown_asyncgens())})
    if late:
        asyncio.set_event_loop(None)
        _start_daemon(_close_after, runner, late)
    else:
        runner.close()


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
