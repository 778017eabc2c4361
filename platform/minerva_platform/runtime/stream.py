"""Stream a run in progress: each span that its recorder gets becomes an event."""

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import replace
from typing import TYPE_CHECKING

from minerva_observability import Record, Recorder, Span
from minerva_platform.contract.run_object import RunEvent
from minerva_platform.contract.task import Task
from minerva_platform.runtime.options import RunOptions
from minerva_platform.runtime.run import run_team

if TYPE_CHECKING:
    from minerva_platform.contract.team import Team


class _Tee:
    """Passes each span to the recorder and to a stream."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.loop = asyncio.get_running_loop()
        self.events: asyncio.Queue[RunEvent | None] = asyncio.Queue()

    def started(self, span: Span) -> None:
        self._put(RunEvent("started", span.path, span=span))
        self.recorder.started(span)

    def finished(self, record: Record) -> None:
        self._put(RunEvent("finished", record.path, record=record))
        self.recorder.finished(record)

    def _put(self, event: RunEvent) -> None:
        # a worker's OS thread may close a span after the loop has ended
        if not self.loop.is_closed():
            self.loop.call_soon_threadsafe(self.events.put_nowait, event)


async def stream_team(
    team: "Team", task: Task, options: RunOptions | None = None
) -> AsyncGenerator[RunEvent]:
    """Yield the spans of `run_team` as they are recorded, and the run at the end."""
    options = options or RunOptions()
    tee = _Tee(options.recorder)
    teed = replace(options, recorder=tee)
    work = asyncio.create_task(run_team(team, task, teed))
    work.add_done_callback(lambda _: tee.events.put_nowait(None))
    try:
        while (event := await tee.events.get()) is not None:
            yield event
        run = await work
        yield RunEvent("run", team.name, run=run)
    finally:
        work.cancel()
        await asyncio.wait({work})  # its records come before the caller goes on
