"""Make every exception of a worker that worker's own failure.

asyncio ends the event loop at a KeyboardInterrupt or SystemExit in any task. LangGraph takes a
CancelledError for its own. Every other BaseException passes each `except Exception`. Here all of
them become an `AgentExitError`, unless they came from outside: the run was cancelled, a coroutine
was closed, or a signal arrived.
"""

import asyncio
import dis
import os
import signal
import threading
from collections.abc import Callable, Coroutine, Generator, Iterator
from concurrent.futures import CancelledError as _PoolCancelledError
from contextvars import Context, ContextVar
from functools import partial
from traceback import walk_stack
from types import CodeType
from typing import Any, ParamSpec, TypeVar

from minerva_platform.errors import AgentExitError

P = ParamSpec("P")
T = TypeVar("T")

_worker: ContextVar[str | None] = ContextVar("minerva_worker", default=None)
"""The worker whose work the current context is part of. Tasks that it starts are contained, too."""


def contained_task(work: Coroutine[Any, Any, T], *, path: str) -> "asyncio.Task[T]":
    """Start `work` of the member at `path` as a task that cannot end the event loop."""
    loop = asyncio.get_running_loop()
    contain_tasks(loop)
    outer = _worker.get()
    is_below = outer is None or f"{path}/".startswith(f"{outer}/")
    token = _worker.set(path if is_below else f"{outer}/{path}")  # a run in a worker is its own
    try:
        return loop.create_task(work)
    finally:
        _worker.reset(token)


def contain_tasks(loop: asyncio.AbstractEventLoop, *, is_ours: bool = False) -> None:
    """Make `loop`, ours or a host's, create tasks with which no worker can end it."""
    factory: Any = loop.get_task_factory()
    if not isinstance(factory, _TaskFactory):
        loop.set_task_factory(_TaskFactory(factory, is_ours=is_ours))  # type: ignore[arg-type]  # typeshed wants a generator of asyncio.Future


def call_contained(agent: str, call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Return the result of `call`.

    A future cannot hold a StopIteration (awaiting it would never end), and turns the
    CancelledError of a pool of OS threads into that of a task, which would look like the run's.

    Raises:
        AgentExitError: it raised one of these, or anything that is no Exception.
    """
    process = os.getpid()
    try:
        return call(*args, **kwargs)
    except (StopIteration, _PoolCancelledError) as error:
        raise exit_error(agent, error) from error
    except Exception:  # an ordinary failure, which the caller turns into data
        raise
    except BaseException as error:
        if raised_by_signal(error):
            raise
        raise exit_error(agent, error) from error
    finally:
        _end_forked(process)


async def await_contained(agent: str, work: Coroutine[Any, Any, T]) -> T:
    """Await `work` in the current task.

    Raises:
        AgentExitError: it raised by itself what is no Exception.
    """
    task, process = asyncio.current_task(), os.getpid()
    try:
        return await work
    except Exception:  # an ordinary failure, which the caller turns into data
        raise
    except BaseException as error:
        if came_from_outside(error, task):
            raise
        raise exit_error(agent, error) from error
    finally:
        _end_forked(process)


def exit_error(agent: str, error: BaseException) -> AgentExitError:
    """Return `error` as a failure of `agent`."""
    if isinstance(error, SystemExit):
        return AgentExitError(
            agent, f"tried to end the process (sys.exit({_code_text(error.code)}))."
        )
    if isinstance(error, asyncio.CancelledError | _PoolCancelledError):
        return AgentExitError(agent, "was cancelled from inside.")
    text = safe_text(error)
    return AgentExitError(agent, f"raised {type(error).__name__}{f': {text}' if text else '.'}")


def safe_text(error: BaseException) -> str:
    """Return the text of `error`, whose `__str__` may raise anything."""
    try:
        return str(error)
    except BaseException as broken:  # a foreign __str__
        if raised_by_signal(broken):
            raise
        return "(its message cannot be shown)"


def came_from_outside(error: BaseException, task: "asyncio.Task[Any] | None") -> bool:
    """True if the code that runs in `task` did not raise `error` by itself."""
    if isinstance(error, asyncio.CancelledError):
        return task is not None and task.cancelling() > 0
    if isinstance(error, GeneratorExit):  # closing a coroutine raises it outside of its task
        return running_task() is not task
    return raised_by_signal(error)


def raised_by_signal(error: BaseException) -> bool:
    """True if a signal's handler raised `error`: Ctrl-C, or a service manager's SIGTERM.

    Python's own handler of Ctrl-C is no Python code, so it leaves no frame: what it raises comes
    from an instruction that raises nothing.
    """
    if not isinstance(error, KeyboardInterrupt | SystemExit):
        return False
    if threading.current_thread() is not threading.main_thread():
        return False
    places = list(_places(error))
    if isinstance(error, KeyboardInterrupt) and places:
        code, instruction = places[-1]
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            return dis.opname[code.co_code[instruction]] not in _RAISES
    handlers = _signal_handlers()
    return any(code in handlers for code, _ in places)


_RAISES = frozenset({"RAISE_VARARGS", "RERAISE"})


def _places(error: BaseException) -> Iterator[tuple[CodeType, int]]:
    """Yield the code that `error` passed through, outermost first, and the instruction in it."""
    step = error.__traceback__
    while step is not None:
        yield step.tb_frame.f_code, step.tb_lasti
        step = step.tb_next


class _Containment(Coroutine[Any, Any, T]):
    """A coroutine that raises no KeyboardInterrupt or SystemExit of its own."""

    def __init__(self, inner: Coroutine[Any, Any, T], path: str) -> None:
        self._inner, self._path, self._process = inner, path, os.getpid()

    def send(self, value: Any) -> Any:
        """Run to the next await."""
        return self._step(self._inner.send, value)

    def throw(self, *error: Any) -> Any:
        """Raise at the await, then run to the next."""
        return self._step(self._inner.throw, *error)

    def close(self) -> None:
        """End it where it waits."""
        self._inner.close()

    def __await__(self) -> Generator[Any, Any, T]:
        """Wait for it in another coroutine."""
        return self._inner.__await__()

    def _step(self, step: Callable[..., Any], *args: Any) -> Any:
        try:
            return step(*args)
        except (KeyboardInterrupt, SystemExit) as error:
            if raised_by_signal(error):
                raise
            raise exit_error(self._path, error) from error
        finally:
            _end_forked(self._process)


class _Task(asyncio.Task[Any]):
    """A task that no other worker may cancel.

    Scripts end by `for task in asyncio.all_tasks(): task.cancel()`; a worker may contain one.
    """

    path: str | None = None
    """The worker whose work it is; None: the work of MINERVA or of the host."""
    is_ours: bool = False
    """True if MINERVA runs the event loop; a host guards its own tasks."""

    def cancel(self, msg: Any | None = None) -> bool:
        """Cancel it, unless a worker asks that it does not belong to."""
        by = _worker.get()
        if self.path is None:
            may = by is None or not self.is_ours
        else:
            may = by is None or f"{self.path}/".startswith(f"{by}/")
        # a handler runs in the context of the code that it interrupts, perhaps a worker's
        return super().cancel(msg) if may or _is_in_signal_handler() else False


class _TaskFactory:
    """Makes tasks as the loop did before; those of a worker are contained."""

    def __init__(self, before: Callable[..., Any] | None, *, is_ours: bool) -> None:
        self.before, self.is_ours = before, is_ours

    def __call__(
        self,
        loop: asyncio.AbstractEventLoop,
        work: Coroutine[Any, Any, Any],
        *,
        context: Context | None = None,
        **options: Any,
    ) -> Any:
        path = _worker.get() if context is None else context.get(_worker)
        inner = work if path is None else _Containment(work, path)
        if context is not None:
            options["context"] = context
        if self.before is not None:
            return self.before(loop, inner, **options)
        task = _Task(inner, loop=loop, **options)
        task.path, task.is_ours = path, self.is_ours
        return task


def _end_forked(process: int) -> None:
    """End this process if a worker forked it off `process` and let it run on.

    It would answer the run a second time.
    """
    if os.getpid() != process:
        os._exit(1)


def path_of_task(task: "asyncio.Task[Any] | None") -> str | None:
    """Return the path of the worker whose work `task` is; None: nobody's."""
    return task.path if isinstance(task, _Task) else None


def running_task() -> "asyncio.Task[Any] | None":
    """Return the task that this code runs in, if there is one."""
    try:
        return asyncio.current_task()
    except RuntimeError:  # no loop runs here
        return None


def _is_in_signal_handler() -> bool:
    handlers = _signal_handlers()
    return any(frame.f_code in handlers for frame, _ in walk_stack(None))


def _signal_handlers() -> set[CodeType | None]:
    return {_code_of(signal.getsignal(number)) for number in signal.valid_signals()}


def _code_of(handler: Any) -> CodeType | None:
    function = handler.func if isinstance(handler, partial) else handler
    return getattr(getattr(function, "__func__", function), "__code__", None)


def _code_text(code: object) -> str:
    return repr(code) if isinstance(code, int | str | None) else type(code).__name__
