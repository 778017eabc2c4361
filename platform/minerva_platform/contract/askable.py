"""How a program asks a team or the platform: `aask`, `ask` and `stream`, the same for both."""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Callable, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager
from contextvars import ContextVar
from functools import wraps
from pathlib import Path
from typing import Any, Concatenate, Final, ParamSpec, TypeVar
from weakref import WeakKeyDictionary

from minerva_platform.config.limits import RunLimits
from minerva_platform.contract.attachment import Attachment
from minerva_platform.contract.engine import Surroundings, engine
from minerva_platform.contract.run_object import (
    DecisionBatch,
    GivenDecision,
    ResumeRequest,
    Run,
    RunEvent,
)
from minerva_platform.contract.task import Task
from minerva_platform.errors import BindingError

SelfT = TypeVar("SelfT")
P = ParamSpec("P")
T = TypeVar("T")

AT_ONCE: Final = 64
"""Runs of one event loop that are at work at once. Others wait in their order, without a clock."""

_places: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore] = WeakKeyDictionary()
_has_place: ContextVar[bool] = ContextVar("minerva_has_place", default=False)


@asynccontextmanager
async def _admission() -> AsyncGenerator[None]:
    """Wait for a place among the runs at work. What a run asks in turn has that of the run."""
    if _has_place.get():
        yield
        return
    places = _places.setdefault(asyncio.get_running_loop(), asyncio.Semaphore(AT_ONCE))
    async with places:
        token = _has_place.set(True)
        try:
            yield
        finally:
            _has_place.reset(token)


def in_sync(
    function: Callable[Concatenate[SelfT, P], Coroutine[Any, Any, T]],
) -> Callable[Concatenate[SelfT, P], T]:
    """Return a method that does what an async one does, for code that is not async."""
    name: str = getattr(function, "__name__", "")

    @wraps(function)
    def method(self: SelfT, /, *arguments: P.args, **keywords: P.kwargs) -> T:
        result: T = engine().run_sync(getattr(self, name), *arguments, **keywords)
        return result

    method.__name__ = name.removeprefix("a")
    method.__doc__ = (
        f"Do what `{name}` does, for code that is not async, a notebook's included.\n\n"
        "Raises:\n"
        f"    RunError: a worker calls it in its own event loop; it awaits `{name}` instead."
    )
    return method


class Askable(ABC):
    """A team or the platform. It answers a request with a run object."""

    async def aask(
        self,
        request: str | Task,
        *,
        attachments: Sequence[str | Path] = (),
        thread: str | None = None,
        limits: RunLimits | None = None,
    ) -> Run:
        """Answer a request and return the run object. A member's failure is in it, not raised.

        `attachments` are paths of files and folders. With `thread`, the request is the next turn of
        that conversation. `limits` replace the configured ones.

        Raises:
            BindingError: the request is empty, or a path is not there.
            RunError: another run in the thread does not end, or state is not kept.
        """
        task = self._task(request, attachments)
        async with _admission():
            return await engine().run_team(self._root, task, self._options(thread, limits))

    ask = in_sync(aask)

    def stream(
        self,
        request: str | Task,
        *,
        attachments: Sequence[str | Path] = (),
        thread: str | None = None,
        limits: RunLimits | None = None,
    ) -> AsyncGenerator[RunEvent]:
        """Yield each span as it starts and as it ends, at every depth, then the run.

        Raises:
            BindingError: a path is not there.
        """
        task = self._task(request, attachments)
        return engine().stream_team(self._root, task, self._options(thread, limits))

    async def aresume(
        self,
        run_id: str,
        decisions: Mapping[str, GivenDecision] | None = None,
        *,
        by: str | None = None,
        batch_id: str | None = None,
        shown: Mapping[str, str] | None = None,
    ) -> Run:
        """Answer what a run asks, and return the run as it is then: over, or waiting again.

        `decisions` are by the ids of the questions, each as LangChain writes it:
        `{"type": "approve"}`, `{"type": "edit", "edited_action": {"name": …, "args": {…}}}`,
        `{"type": "reject", "message": …}`, `{"type": "respond", "message": …}` or, to a question of
        `ask_person`, `{"type": "respond", "value": …}`. All of them are taken or none. Without any,
        a run that was cut off goes on. A run that is over is returned as it is, in any process and
        as often as you like. `by` says who decides (default: the user of this machine). The same
        batch again, under the same `batch_id`, is no second decision. `shown` are the digests of
        what the person saw (`Interrupt.shown_sha256`), by the same ids.

        Raises:
            UnknownRunError: there is no such run.
            DecisionError: a decision is not taken: `UnknownInterruptError`, `InvalidDecisionError`,
                `AlreadyDecidedError`, `StaleDecisionError` or `ExpiredInterruptError`.
            OtherTeamsError: the run cannot go on with the teams that are there now.
            RunError: another run in its thread does not end, or state is not kept.
        """
        batch = DecisionBatch(decisions or {}, by, batch_id, shown or {})
        async with _admission():
            around = self._options(None, None, goes_on=True)
            return await engine().run_team(self._root, ResumeRequest(run_id, batch), around)

    resume = in_sync(aresume)

    def stream_resumed(
        self,
        run_id: str,
        decisions: Mapping[str, GivenDecision] | None = None,
        *,
        by: str | None = None,
        batch_id: str | None = None,
        shown: Mapping[str, str] | None = None,
    ) -> AsyncGenerator[RunEvent]:
        """Do what `aresume` does; yield each span as it starts and as it ends, then the run."""
        batch = DecisionBatch(decisions or {}, by, batch_id, shown or {})
        around = self._options(None, None, goes_on=True)
        return engine().stream_team(self._root, ResumeRequest(run_id, batch), around)

    def _task(self, request: str | Task, attachments: Sequence[str | Path]) -> Task:
        return build_task(request, attachments, to=self._root.name)

    @property
    @abstractmethod
    def _root(self) -> Any:
        """The team that answers."""

    @abstractmethod
    def _options(
        self, thread: str | None, limits: RunLimits | None, *, goes_on: bool = False
    ) -> Surroundings:
        """Return what surrounds a run: one that begins, or one that `goes_on`."""


def build_task(
    request: str | Task, attachments: Sequence[str | Path] = (), *, to: str = "minerva"
) -> Task:
    """Return the task of `request` with the files and folders of `attachments`; `to` is asked.

    Raises:
        BindingError: a path is not there.
    """
    task = request if isinstance(request, Task) else Task(request=request, context=request)
    several = [attachments] if isinstance(attachments, str | Path) else attachments
    paths = [Path(path) for path in several]
    for path in paths:
        if not path.exists():
            raise BindingError(to, "attachments", f"names {path}, which is not there.")
    attached = tuple(Attachment(path=path.resolve()) for path in paths)
    return task.model_copy(update={"attachments": task.attachments + attached})
