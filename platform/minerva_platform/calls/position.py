"""Where in a run code works: in which call of a member, and at which place of its graph.

Effects are known again by it. So it is the same when a step is repeated: by a retry, after a pause
or a crash, in another process, and from an older checkpoint.
"""

import json
import threading
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, cast

from langgraph.config import get_config
from langgraph.runtime import get_runtime


@dataclass(slots=True, eq=False)
class MemberWork:
    """The work of one call of a member."""

    path: str
    """`platform/finance/payment_agent`, with `#2` at the end for its second call."""
    around: "MemberWork | None" = None
    """The team's that made the call."""
    has_ended: bool = False

    @property
    def is_over(self) -> bool:
        """True if nobody waits for it any more: its time is up, or it was cancelled."""
        return self.has_ended or (self.around is not None and self.around.is_over)


@dataclass(slots=True, eq=False)
class Numbering:
    """The numbers of the deeds in one attempt of a step; OS threads may share it."""

    _given: dict[str, int] = field(default_factory=dict[str, int])
    _failed: dict[tuple[str, str], list[int]] = field(
        default_factory=dict[tuple[str, str], list[int]]
    )
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def next(self, place: str, deed: str) -> int:
        """Return the number of a deed at `place`. The same deed after a failure is that one again.

        So a tool that is called again by a retry repeats its deed, and does no second one.
        """
        with self._lock:
            again = self._failed.get((place, deed))
            if again:
                return again.pop(0)
            number = self._given.get(place, 0)
            self._given[place] = number + 1
            return number

    def failed(self, place: str, deed: str, number: int) -> None:
        """Keep that a deed failed."""
        with self._lock:
            self._failed.setdefault((place, deed), []).append(number)


@dataclass(frozen=True, slots=True)
class Step:
    """One attempt of a node of a worker's graph."""

    config: Mapping[str, Any]
    numbering: Numbering = field(default_factory=Numbering)


_work: ContextVar[MemberWork | None] = ContextVar("minerva_member_work", default=None)
_step: ContextVar[Step | None] = ContextVar("minerva_step", default=None)


@contextmanager
def member_works(path: str) -> Generator[MemberWork]:
    """Make the block the work of the call at `path`; what outlives the block is late."""
    work = MemberWork(path, _work.get())
    token = _work.set(work)
    try:
        yield work
    finally:
        work.has_ended = True
        _work.reset(token)


@contextmanager
def at_step(config: Mapping[str, Any]) -> Generator[None]:
    """Make the block an attempt of the node that LangGraph runs with `config`."""
    token = _step.set(Step(config))
    try:
        yield
    finally:
        _step.reset(token)


def current_work() -> MemberWork | None:
    """Return the call of a member that this code belongs to, if there is one."""
    return _work.get()


@dataclass(frozen=True, slots=True)
class Place:
    """Where in its worker code works."""

    name: str
    """The same in every attempt, as canonical JSON."""
    attempt: str
    """The name and the attempt, by which deeds are numbered."""
    numbering: Numbering


def current_place() -> Place:
    """Return where in its worker this code works.

    It holds the names, step numbers and paths of LangGraph's tasks, never their ids: these depend
    on which checkpoint was the last one.
    """
    work, step = _work.get(), _step.get()
    inner = _config()
    outer = inner if step is None else step.config
    name = json.dumps([work.path if work else "", *_task(outer), _names(inner), *_task(inner)])
    numbering = Numbering() if step is None else step.numbering
    return Place(name, f"{name} {_attempt() if inner else 1}", numbering)


def _config() -> Mapping[str, Any]:
    try:
        return cast("Mapping[str, Any]", get_config())
    except RuntimeError:  # in no graph
        return {}


def _task(config: Mapping[str, Any]) -> list[Any]:
    told = config.get("metadata", {})
    return [told.get("langgraph_step"), [str(part) for part in told.get("langgraph_path", ())]]


def _names(config: Mapping[str, Any]) -> list[str]:
    namespace = str(config.get("configurable", {}).get("checkpoint_ns", ""))
    return [part.partition(":")[0] for part in namespace.split("|")]


def _attempt() -> int:
    runtime: Any = get_runtime()
    info = runtime.execution_info if runtime else None
    return info.node_attempt if info else 1
