"""Make events of a run's spans: stream them, or write those of all runs here together."""

import asyncio
import contextlib
import logging
from collections.abc import AsyncGenerator, Callable, Collection, Coroutine, Generator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final

from minerva_observability import Record, Recorder, Span
from minerva_observability.records import without_verdict
from minerva_platform.contract.run_object import Event, Run, RunEvent
from minerva_platform.errors import StateError
from minerva_platform.run_context.blocking import in_daemon_thread
from minerva_platform.runtime.run_options import RunOptions
from minerva_platform.storage.engine.database import Outage
from minerva_platform.storage.engine.engine import Engine
from minerva_platform.storage.ledger.events import EventLog, flush

EVERY_S: Final = 0.1
"""Seconds between two writes of events."""

_LOG = logging.getLogger(__name__)
_NS: Final = 1e9


@dataclass(frozen=True, slots=True)
class EventRecorder:
    """Passes each span to a recorder, and adds what it says to the events of its run."""

    recorder: Recorder
    log: EventLog
    teams: Collection[str]
    """The names of the teams in the tree; other members are workers."""
    bypasses: list[Event] = field(default_factory=list[Event])
    """What was done about failures; it is true when the run has not failed."""

    def started(self, span: Span) -> None:
        """Add that a call began, or that this process began with the run."""
        at = span.started_ns / _NS
        if span.kind == "agent":
            kind: dict[str, Any] = {"kind": _kind_of(span.path, self.teams)}
            self.log.add(Event.of("call_started", span.path, at=at, **kind))
        elif span.kind == "run":
            resumes = {"resume_no": span.scope.resume_no or 0}
            self.log.add(Event.of("run_started", span.path, at=at, is_run=True, **resumes))
        self.recorder.started(span)

    def finished(self, record: Record) -> None:
        """Add how a call ended, what a router decided, or what a person did."""
        for event in record_to_events(record, self.teams):
            if event.type == "call_bypassed":
                self.bypasses.append(event)
            else:
                self.log.add(event)
        if record.kind == "run" and record.status != "failed":
            for event in self.bypasses:
                self.log.add(event)
        self.recorder.finished(record)


def record_to_events(record: Record, teams: Collection[str]) -> list[Event]:
    """Return what a finished span means to who watches the run; nothing, for most spans."""
    at = (record.started_ns + record.duration_ns) / _NS
    if record.kind == "route":
        said = dict(record.decision or {})
        known = {"goals": said.get("goals", []), "unserved": said.get("unserved", [])}
        told = {**known, "router": record.router, "arm": record.arm, "reason": record.reason}
        return [Event.of("routed", record.path, at=at, is_run=True, **_without_none(told))]
    if record.kind == "decision":
        said = dict(record.decision or {})
        told = {"interrupt_id": record.interrupt_id, "type": said.get("type"), "by": said.get("by")}
        return [Event.of("decided", record.path, at=at, **_without_none(told))]
    if record.kind == "progress":
        return [Event.of("progress", record.path, at=at, **(record.decision or {}))]
    if record.kind != "agent" or record.status == "paused":  # the question follows
        return []
    effects = (record.decision or {}).get("effects", ())
    done = [Event.of("effect", record.path, at=at, **each) for each in effects]
    return [*done, *_ends_of_call(record, at, teams)]


def _ends_of_call(record: Record, at: float, teams: Collection[str]) -> list[Event]:
    about = {"ms": record.ms, "status": record.status, "reason": record.reason}
    about |= {"kind": _kind_of(record.path, teams)}
    if record.status in {"failed", "timeout"}:
        told = {**about, "error": record.error}
        events = [Event.of("call_failed", record.path, at=at, **_without_none(told))]
    elif record.status == "skipped":
        events = []
    else:
        return [Event.of("call_finished", record.path, at=at, **_without_none(about))]
    if record.action is not None:
        told = {"action": record.action, "because_of": record.because_of}
        events.append(Event.of("call_bypassed", record.path, at=at, **_without_none(told)))
    return events


def _without_none(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}


def _kind_of(path: str, teams: Collection[str]) -> str:
    name = path.rpartition("/")[2].partition("#")[0]
    return "team" if name in teams else "worker"


@dataclass(slots=True)
class EventWriter:
    """Writes the events of the runs that this process works on, a few times a second."""

    engine: Engine
    on_written: Callable[[], None] = lambda: None
    """Called in any OS thread after events were written."""
    _logs: dict[str, EventLog] = field(default_factory=dict[str, EventLog])

    @contextmanager
    def watched(
        self, log: EventLog, recorder: Recorder, teams: Collection[str]
    ) -> Generator[EventRecorder]:
        """Give the recorder of a run whose events are written while the block runs."""
        self._logs[log.run_id] = log
        try:
            yield EventRecorder(recorder, log, teams)
        finally:
            del self._logs[log.run_id]
            self.on_written()

    @asynccontextmanager
    async def writing(self) -> AsyncGenerator[None]:
        """Write events during the block."""
        task = asyncio.create_task(self._write())
        try:
            yield
        finally:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task

    async def _write(self) -> None:
        outage = Outage(_LOG, "events cannot be written")
        while True:
            await asyncio.sleep(EVERY_S)
            logs = [log for log in self._logs.values() if log.has_some]
            if not logs:
                continue
            try:
                await in_daemon_thread(partial(flush, self.engine, logs))
            except StateError as error:  # the next write takes them, too
                outage.begin(error)
            else:
                outage.end()
                self.on_written()


class _Tee:
    """Passes each span to the recorder and to a stream."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.loop = asyncio.get_running_loop()
        self.events: asyncio.Queue[RunEvent | None] = asyncio.Queue()

    def started(self, span: Span) -> None:
        self._send(RunEvent("started", span.path, span=span))
        self.recorder.started(span)

    def finished(self, record: Record) -> None:
        self._send(RunEvent("finished", record.path, record=without_verdict(record)))
        self.recorder.finished(record)

    def _send(self, event: RunEvent) -> None:
        # a worker's OS thread may close a span after the loop has ended
        if not self.loop.is_closed():
            self.loop.call_soon_threadsafe(self.events.put_nowait, event)


async def stream_run(
    root: str, run_with: Callable[[RunOptions], Coroutine[Any, Any, Run]], options: RunOptions
) -> AsyncGenerator[RunEvent]:
    """Yield the spans of a run as they are recorded, and the run at the end.

    `run_with` starts or resumes it, with the options that it is given.
    """
    tee = _Tee(options.recorder)
    work = asyncio.create_task(run_with(replace(options, recorder=tee)))
    work.add_done_callback(lambda _: tee.events.put_nowait(None))
    try:
        while (event := await tee.events.get()) is not None:
            yield event
        run = await work
        yield RunEvent("run", root, run=run)
    finally:
        work.cancel()
        await asyncio.wait({work})  # its records come before the caller goes on
