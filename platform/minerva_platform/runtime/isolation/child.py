"""The child's side: make the worker and answer its calls one after the other.

It sends the parent frames: spans as they begin and end, then the Output or the failure. Nothing
else leaves. A worker's prints go to standard error.
"""

import contextlib
import importlib
import importlib.util
import json
import os
import socket
import sys
import threading
import time
from collections.abc import Mapping
from operator import attrgetter
from pathlib import Path
from types import ModuleType
from typing import Any, Final, cast

import orjson
from langgraph.errors import GraphBubbleUp

from minerva_observability import Masking, Record, RunScope, Span, configure_logging, record_span
from minerva_observability.masking import HiddenValues
from minerva_observability.records import SpanFields
from minerva_platform.config.limits import RunLimits
from minerva_platform.config.settings import bound_home
from minerva_platform.contract.agent import BaseAgent
from minerva_platform.contract.task import Task
from minerva_platform.errors import AgentError, OutputError
from minerva_platform.run_context.blocking import WORKER_THREAD, run_sync
from minerva_platform.run_context.budget import Budget
from minerva_platform.run_context.context import RunContext
from minerva_platform.run_context.failures.error_info import raw_info
from minerva_platform.run_context.failures.source_location import package_of
from minerva_platform.run_context.pause import only_pauses
from minerva_platform.runtime.border.exact_handoffs import read_model, write_model
from minerva_platform.runtime.border.firewall import hide_request, hide_sensitive, read_output
from minerva_platform.runtime.isolation.framing import FrameError, Tag, pack, receive
from minerva_platform.storage.files.artifacts import FOLDER, ArtifactStore

Agent = BaseAgent[Any, Any]

MAX_TOLD = 64 * 1024
"""Characters of a text in a span or a failure; the parent masks it and keeps less."""

ENDING_S = 0.05
"""Seconds in which an OS thread ends that has given its result."""

_FIELDS: Final = tuple(SpanFields.__annotations__)


def serve_worker(channel: socket.socket) -> int:
    """Answer on `channel` until it is closed; return the exit code."""
    sender = _Sender(channel)
    frame = receive(channel)
    if frame is None:
        return 0
    try:
        agent = _make_worker(json.loads(frame.body))
    except BaseException as error:  # noqa: BLE001  # an author's module may raise anything
        sender.send(Tag.FAILED, _failure(error, ""))
        return 1
    sender.send(Tag.READY, str(os.getpid()).encode())
    call: dict[str, Any] = {}
    while (frame := receive(channel)) is not None:
        if frame.tag is Tag.ENVIRONMENT:
            _adopt(json.loads(frame.body))
        elif frame.tag is Tag.CALL:
            call = orjson.loads(frame.body)
        else:
            last = _answer(agent, call, frame.body, sender)
            if _has_left_a_thread():
                sender.send(Tag.WORN, b"")
            sender.send(*last)
    return 0


def _has_left_a_thread() -> bool:
    """True if a node of the call still runs: one beside it failed, or gave up waiting for it."""
    for thread in threading.enumerate():
        if thread.name == WORKER_THREAD:
            thread.join(ENDING_S)
            if thread.is_alive():
                return True
    return False


class _Sender:
    """Sends whole frames, from any OS thread."""

    def __init__(self, channel: socket.socket) -> None:
        self._channel = channel
        self.lock = threading.RLock()

    def send(self, tag: Tag, body: bytes) -> None:
        """Send one frame; a parent that is gone is found out by the next read."""
        frame = pack(tag, body)
        with self.lock, contextlib.suppress(OSError):
            self._channel.sendall(frame)


class _SpanTeller:
    """A recorder that sends each span to the parent; times count from the start of the call."""

    def __init__(self, sender: _Sender, call_span: str) -> None:
        self._sender = sender
        self._call_span = call_span
        """The agent's own span, which the parent has already."""
        self._zero_ns = time.perf_counter_ns()
        self._began_ns: dict[str, int] = {}
        self._is_over = False

    def started(self, span: Span) -> None:
        """Send the beginning of a span."""
        if span.span_id == self._call_span:
            return
        began_ns = self._began_ns[span.span_id] = time.perf_counter_ns() - self._zero_ns
        told = {
            "id": span.span_id,
            "parent": None if span.parent_id == self._call_span else span.parent_id,
            "kind": span.kind,
            "path": span.path,
            "started_ns": span.started_ns,
            "began_ns": began_ns,
            "fields": dict(span.fields),
        }
        self._tell(Tag.SPAN_BEGAN, told)

    def finished(self, record: Record) -> None:
        """Send its end."""
        began_ns = self._began_ns.pop(record.span_id, None)
        if began_ns is None:
            return
        fields = {name: getattr(record, name) for name in _FIELDS}
        told = {
            "id": record.span_id,
            "ended_ns": began_ns + record.duration_ns,
            "fields": {name: value for name, value in fields.items() if value is not None},
        }
        self._tell(Tag.SPAN_ENDED, told)

    def end(self) -> None:
        """Send no more: what an OS thread does after its call belongs to no run."""
        with self._sender.lock:
            self._is_over = True

    def _tell(self, tag: Tag, message: dict[str, Any]) -> None:
        body = orjson.dumps(_writable(message), default=str)
        with self._sender.lock:
            if not self._is_over:
                self._sender.send(tag, body)


class _ParentMasks(Masking):
    """Masks nothing, because the parent does. Only the parent knows all hidden values of the run.

    Masking twice is worse than masking once: a request with a masked number is no longer found as
    the request.
    """

    def mask_text(
        self,
        text: str,
        secrets: HiddenValues | None = None,  # noqa: ARG002  # the signature is Masking's
        *,
        longest: int = MAX_TOLD,  # noqa: ARG002  # see above
    ) -> str:
        """Return `text` as it is."""
        return text

    def mask_fields(self, fields: dict[str, Any], secrets: HiddenValues | None = None) -> None:
        """Leave the fields as they are."""

    def mask_record(self, record: Record, secrets: HiddenValues | None = None) -> Record:  # noqa: ARG002  # see above
        """Return the record as it is."""
        return record


class _NoModelBudget(Budget):
    """The budget of a run in which no model is asked: the parent could not count it."""

    @property
    def spent_on_models(self) -> str | None:
        """Why no model is asked here."""
        return 'its worker runs in a process of its own; use a model with isolation = "none".'


def _make_worker(start: dict[str, Any]) -> Agent:
    """Return the worker that `start` names, with the environment that it gives."""
    _adopt(start["environment"])
    sys.path[:] = start["sys_path"]
    cast("Any", sys.stdout).reconfigure(line_buffering=True)
    configure_logging()
    agent: Agent = attrgetter(start["qualname"])(_module(start["module"], start["file"]))()
    _ = agent.graph
    return agent


def _adopt(environment: Mapping[str, str]) -> None:
    os.environ.clear()
    os.environ.update(environment)


def _module(name: str, file: str | None) -> Any:
    """Import `name`; a module that has no importable name (a test's) is loaded from its file."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        is_own = error.name is not None and f"{name}.".startswith(f"{error.name}.")
        spec = importlib.util.spec_from_file_location(name, file) if file and is_own else None
        if spec is None or spec.loader is None:
            raise
        top, _, inner = name.partition(".")
        if error.name == top and inner and file:  # its neighbours are modules of the same package
            package = sys.modules[top] = ModuleType(top)
            package.__path__ = [str(Path(file).parents[inner.count(".")])]
        module = sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module


def _answer(
    agent: Agent, call: dict[str, Any], payload: bytes, sender: _Sender
) -> tuple[Tag, bytes]:
    """Return the frame that a call ends with; every failure becomes one."""
    scope = RunScope(
        run_id=call["run_id"],
        thread_id=call["thread_id"],
        control_flow=(GraphBubbleUp,),
        masking=_ParentMasks(),
    )
    home = Path(call["home"])
    store = ArtifactStore(Path(call["artifacts"] or home / FOLDER))
    context = RunContext(_NoModelBudget(RunLimits(), hops=0), store)
    with scope.bound(), context.bound(), bound_home(home):
        span = record_span(kind="agent", path=call["path"], agent_name=agent.name)
        if call["team"]:
            span.set(team=call["team"])
        scope.recorder = teller = _SpanTeller(sender, span.span_id)
        try:
            with contextlib.suppress(OSError):  # it was deleted: the worker may not need it
                os.chdir(call["folder"])
            with span:
                return Tag.OUTPUT, _output(agent, payload)
        except BaseException as error:  # noqa: BLE001  # a worker's failure is data
            return Tag.FAILED, _failure(error, package_of(agent))
        finally:
            teller.end()
            with contextlib.suppress(OSError, ValueError):  # the worker may have closed it
                sys.stdout.flush()


def _output(agent: Agent, text: bytes) -> bytes:
    """Return the Output of one call as JSON.

    Raises:
        OutputError: it breaks the worker's contract, or cannot be written as JSON.
        AgentError: it wants to wait for a person.
    """
    given = read_model(agent.Input, *orjson.loads(text))
    hide_sensitive(agent, given)  # from the log, which is written here
    request, context = (getattr(given, name, "") for name in ("request", "context"))
    hide_request(Task(request=request, context=context))
    graph: Any = agent.graph
    with only_pauses(agent.name):
        final = run_sync(graph.ainvoke, agent.input_to_state(given))
    if isinstance(final, Mapping) and "__interrupt__" in final:
        message = (
            f"`{agent.name}` asks a person (interrupt), and a worker in a process of its own "
            'cannot wait for the answer; give it isolation = "none".'
        )
        raise AgentError(message)
    answer = read_output(agent, final)
    try:
        output = orjson.dumps(write_model(answer, agent.name, "Output"))
        pack(Tag.OUTPUT, output)
    except TypeError as error:  # a lone surrogate
        reason = f"what it returned cannot be written as JSON: {error}"
        raise OutputError(agent.name, reason) from error
    except FrameError as error:
        reason = f"its Output is {error}."
        raise OutputError(agent.name, reason) from error
    return output


def _failure(error: BaseException, package: str) -> bytes:
    return orjson.dumps(_writable(raw_info(error, package).model_dump(mode="json")))


def _writable(value: Any) -> Any:
    """Return a worker's value in a form that JSON can hold, with long texts cut."""
    if isinstance(value, str):
        return value[:MAX_TOLD].encode("utf-8", "replace").decode()
    if isinstance(value, Mapping):
        several = cast("Mapping[str, Any]", value)
        return {str(name): _writable(item) for name, item in several.items()}
    return value
