"""Stream a run in progress: each span that its recorder gets becomes an event."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine
from dataclasses import replace
from typing import Any

from minerva_observability import Record, Recorder, Span
from minerva_platform.contract.run_object import Run, RunEvent
from minerva_platform.runtime.run_options import RunOptions


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


async def streamed(
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
