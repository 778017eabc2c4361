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
from itertools import count
from typing import Any, cast

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.runnables.config import RunnableConfig, merge_configs, var_child_runnable_config
from langgraph.config import get_config
from langgraph.runtime import get_runtime

from minerva_platform.contract.result import Result
from minerva_platform.contract.task import Task
from minerva_platform.run_context.context import run_or_none


class Numbering:
    """The numbers of the deeds in one attempt of a step; OS threads may share it."""

    def __init__(self) -> None:
        self._numbers: dict[str, set[int]] = {}
        self._failures: dict[str, set[int]] = {}
        self._lock = threading.Lock()

    def next(self, place: str, deed: str, deeds: Mapping[int, str]) -> int:
        """Return the number of a deed at `place`, whose earlier deeds are `deeds` by their numbers.

        The same deed is known again, in whatever order several are done side by side, and after a
        failure: a tool that a retry calls again repeats its deed. Any other is the next one.
        """
        with self._lock:
            given = self._numbers.setdefault(place, set())
            failed = self._failures.setdefault(place, set())
            again = (n for n in sorted(deeds) if deeds[n] == deed and n not in given)
            number = next(again, None)
            if number is None:
                number = next(n for n in count() if n not in given and n not in failed)
            given.add(number)
            failed.discard(number)
            return number

    def note_failure(self, place: str, number: int) -> None:
        """Take note that a deed failed, and may be done again in this attempt."""
        with self._lock:
            self._numbers[place].discard(number)
            self._failures[place].add(number)


@dataclass(slots=True, eq=False)
class MemberWork:
    """The work of one call of a member."""

    path: str
    """`platform/finance/payment_agent`, with `#2` at the end for its second call."""
    task: Task = field(default_factory=Task)
    """What the member was asked to do."""
    around: "MemberWork | None" = None
    """The team's that made the call."""
    team: str = ""
    """The team that it belongs to."""
    results: dict[str, Result] = field(default_factory=dict[str, Result])
    """What came of the calls of members that its own code made, by path (see `member_tool`)."""
    calls: dict[str, int] = field(default_factory=dict[str, int])
    """How often its code called each member otherwise than by a model's call of a tool."""
    has_ended: bool = False
    steps: dict[str, list[Any]] = field(default_factory=dict[str, list[Any]])
    """Step number and path of each task, by its namespace; of nested graphs, too."""
    _numberings: dict[int, tuple[Any, Numbering]] = field(
        default_factory=dict[int, tuple[Any, Numbering]]
    )

    def next_call(self, member: str) -> int:
        """Return the number of the next call of `member` that the worker's own code makes."""
        self.calls[member] = self.calls.get(member, 0) + 1
        return self.calls[member]

    @property
    def is_over(self) -> bool:
        """True if nobody waits for it any more: its time is up, or it was cancelled."""
        return self.has_ended or (self.around is not None and self.around.is_over)

    def numbering(self, attempt: Any) -> Numbering:
        """Return the numbers of an attempt of a step; each attempt has an object of its own."""
        return self._numberings.setdefault(id(attempt), (attempt, Numbering()))[1]


_work: ContextVar[MemberWork | None] = ContextVar("minerva_member_work", default=None)


@contextmanager
def member_works(work: MemberWork) -> Generator[None]:
    """Make the block that `work`; what outlives the block is late."""
    token = _work.set(work)
    try:
        yield
    finally:
        work.has_ended = True
        _work.reset(token)


def current_work() -> MemberWork | None:
    """Return the call of a member that this code belongs to, if there is one."""
    return _work.get()


def note_step(metadata: Mapping[str, Any]) -> None:
    """Take note of where a task is, which LangGraph tells in its metadata."""
    work, namespace = _work.get(), metadata.get("langgraph_checkpoint_ns")
    if work is not None and namespace:
        path = [str(part) for part in metadata.get("langgraph_path", ())]
        work.steps[namespace] = [metadata.get("langgraph_step"), path]


class StepListener(BaseCallbackHandler):
    """Takes note of the steps of graphs that are called in a node: their tasks know only theirs."""

    run_inline = True

    @property
    def ignore_chat_model(self) -> bool:
        """True: it would ask for messages as text."""
        return True

    def on_chain_start(self, serialized: Any, inputs: Any, **kwargs: Any) -> None:  # noqa: ARG002  # the signature is LangChain's
        """Take note of a step."""
        note_step(kwargs.get("metadata") or {})


_LISTENER = StepListener()


@contextmanager
def at_step(config: RunnableConfig) -> Generator[RunnableConfig]:
    """Take note of the step that LangGraph runs with `config`; give what its node gets.

    Graphs that the block calls find it in their context, as they find LangGraph's own.
    """
    run = run_or_none()
    if run is None or run.effects is None:  # no deed is known again
        yield config
        return
    note_step(config.get("metadata", {}))
    listened = merge_configs(config, {"callbacks": [_LISTENER]})
    token = var_child_runnable_config.set(listened)
    try:
        yield listened
    finally:
        var_child_runnable_config.reset(token)


@dataclass(frozen=True, slots=True)
class Place:
    """Where in its worker code works."""

    name: str
    """The same in every attempt, as canonical JSON."""
    numbering: Numbering


def place_in(work: MemberWork) -> Place:
    """Return where in the work of a call this code is.

    The name holds the names, step numbers and paths of LangGraph's tasks, never their ids: these
    depend on which checkpoint was the last one.
    """
    namespace, parts = "", list[Any]()
    for part in _namespace().split("|"):
        namespace = f"{namespace}|{part}" if namespace else part
        parts.append([part.partition(":")[0], *work.steps.get(namespace, ())])
    return Place(json.dumps([work.path, parts]), work.numbering(_attempt()))


def _namespace() -> str:
    try:
        config = cast("Mapping[str, Any]", get_config())
    except RuntimeError:  # in no graph
        return ""
    return str(config.get("metadata", {}).get("langgraph_checkpoint_ns", ""))


def _attempt() -> Any:
    """Return an object that LangGraph makes for each attempt of a task; None in no graph."""
    try:
        runtime: Any = get_runtime()
    except (RuntimeError, KeyError):
        return None
    return runtime
