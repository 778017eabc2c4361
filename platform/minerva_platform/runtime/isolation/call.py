"""Call a worker in a process of its own.

There is one process for each worker class, kept for the next call. Calls follow each other. A
failed call leaves the process running. A call that exceeds its time kills it, and the next call
gets a new one.
"""

import asyncio
import atexit
import os
import threading
from collections import deque
from concurrent.futures import Future
from contextlib import AsyncExitStack, nullcontext
from pathlib import Path
from typing import Any, Self
from weakref import WeakSet

import orjson
from pydantic import BaseModel, ValidationError

from minerva_observability import current_span
from minerva_observability.tracing import current_scope, record_wait
from minerva_platform.config.settings import home_directory
from minerva_platform.contract.agent import BaseAgent
from minerva_platform.errors import BindingError, ContractError, OutputError
from minerva_platform.run_context.context import run_or_none
from minerva_platform.run_context.deadline import within
from minerva_platform.runtime.border.exact_handoffs import read_model, write_model
from minerva_platform.runtime.border.firewall import hide_sensitive
from minerva_platform.runtime.isolation.conditions import Address, address_of, isolation_obstacles
from minerva_platform.runtime.isolation.exchange import Exchange
from minerva_platform.runtime.isolation.fork_server import Child
from minerva_platform.runtime.isolation.framing import FrameError, Tag, pack
from minerva_platform.text.validation_error import validation_text

Agent = BaseAgent[Any, Any]


async def isolated_output(agent: Agent, payload: BaseModel, *, path: str) -> BaseModel:
    """Return the Output of `agent` for `payload`, computed in its own process.

    The work may take the agent's `timeout` in seconds. Waiting for other calls and starting the
    process do not count. After the timeout, or on cancellation, the process is killed with all its
    children.

    Raises:
        AgentTimeoutError: there was no answer in time.
        BindingError: the Input cannot be written as JSON.
        ContractError: the worker cannot be isolated; `minerva check` says so, too.
        ReportedError: what the worker raised.
        IsolatedProcessError: its process ended, or sent an unreadable message.
        OutputError: its answer does not fit its Output.
    """
    worker, frames, exchange = _worker_of(agent), _call(agent, payload, path), Exchange(path)
    text = await worker.answer(exchange, frames, agent.timeout)
    try:
        output: BaseModel = read_model(agent.Output, *orjson.loads(text))
    except ValidationError as error:
        raise OutputError(agent.name, validation_text(error)) from error
    hide_sensitive(agent, output)
    return output


def _call(agent: Agent, payload: BaseModel, path: str) -> bytes:
    """Return the frames of a call.

    Raises:
        BindingError: its Input cannot cross.
    """
    scope, span, run = current_scope(), current_span(), run_or_none()
    about = {
        "run_id": scope.run_id if scope else "0" * 32,
        "thread_id": scope.thread_id if scope else None,
        "path": path,
        "team": span.fields.get("team") if span else None,
        "home": str(home_directory().absolute()),
        "artifacts": str(run.store.directory.absolute()) if run else None,
        "folder": _folder(),
    }
    try:
        given = orjson.dumps(write_model(payload, agent.name, "Input"))
        return pack(Tag.CALL, orjson.dumps(about)) + pack(Tag.INPUT, given)
    except OutputError as error:
        raise BindingError(agent.name, "(whole)", f"cannot cross: {error.reason}") from error
    except TypeError as error:  # a lone surrogate
        raise BindingError(agent.name, "(whole)", f"cannot be written as JSON: {error}") from error
    except FrameError as error:
        raise BindingError(agent.name, "(whole)", f"is {error}.") from error


def _folder() -> str:
    """Return the current folder. A deleted folder has no name."""
    try:
        return str(Path.cwd())
    except OSError:
        return "/"


class _Worker:
    """The process of one worker class, and the calls that wait for it."""

    def __init__(self, address: Address) -> None:
        self._address = address
        self._lock_of_calls = FairLock()
        self._child: Child | None = None

    async def answer(self, exchange: Exchange, frames: bytes, seconds: float | None) -> bytes:
        """Return the Output as JSON."""
        is_ready = self._child is not None and not self._child.is_gone
        waits = record_wait("process") if self._lock_of_calls.is_taken or not is_ready else None
        async with AsyncExitStack() as stack:
            with waits or nullcontext():
                await stack.enter_async_context(self._lock_of_calls)
                child = await self._resting(exchange)
            child.is_busy = True
            try:
                work = exchange.answer(child, frames)
                return await within(work, seconds=seconds, path=exchange.path)
            finally:
                if not child.is_reusable:
                    child.kill()  # now, not when the event loop comes to it
                    self._child = None

    async def _resting(self, exchange: Exchange) -> Child:
        """Return the process of the last call if it is reusable, else a new one."""
        if self._child is not None and self._child.is_gone:
            self._child.kill()
            self.forget()
        if self._child is None:
            self._child = await exchange.start(self._address)
        return self._child

    def forget(self) -> None:
        """Let go of the process."""
        if self._child is not None:
            self._child.close()
            self._child = None


_lock = threading.Lock()
_workers: dict[Address, _Worker] = {}
_sound: WeakSet[Agent] = WeakSet()
"""Workers whose declaration was checked and may be isolated."""


def _worker_of(agent: Agent) -> _Worker:
    """Return the process holder of `agent`'s calls.

    Raises:
        ContractError: it cannot be isolated.
    """
    with _lock:
        if agent not in _sound:
            for obstacle in isolation_obstacles(agent):
                message = f"`{agent.name}`: {obstacle}"
                raise ContractError(message)
            _sound.add(agent)
        address = address_of(agent)
        return _workers.setdefault(address, _Worker(address))


def _forget() -> None:
    """Let go of every process: at the end of this one, and in one that was forked from it."""
    global _lock  # noqa: PLW0603  # another OS thread may have held it in the moment of the fork
    _lock = threading.Lock()
    for worker in _workers.values():
        worker.forget()
    _workers.clear()


atexit.register(_forget)
os.register_at_fork(after_in_child=_forget)


class FairLock:
    """An async lock that belongs to no event loop; first come, first served.

    A worker's process serves all the runs of this process, and these may run in event loops of
    their own (`Team.invoke` makes one). Waiting blocks no event loop.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: deque[Future[None]] = deque()
        self.is_taken = False
        """True while somebody holds it."""

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
            self.is_taken = False
        self._grant()

    def _grant(self) -> None:
        with self._lock:
            while self._waiting and not self.is_taken:
                waiting = self._waiting.popleft()
                if waiting.set_running_or_notify_cancel():
                    self.is_taken = True
                    waiting.set_result(None)
