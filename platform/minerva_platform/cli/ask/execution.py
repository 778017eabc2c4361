"""Run a task so that Ctrl-C always ends it, with everything that ran on record.

The first Ctrl-C cancels the run. If it has not ended a second later (a worker blocks the
event loop, or will not be cancelled), the open spans are closed from outside and the process
ends.
"""

import asyncio
import os
import signal
import threading
from collections.abc import Awaitable, Callable, Generator
from contextlib import ExitStack, contextmanager, suppress
from contextvars import Context
from pathlib import Path
from typing import TYPE_CHECKING, Any

from minerva_observability import FanOut, configure_logging
from minerva_platform.cli.io.exit_codes import ExitCode, InterruptedRunError
from minerva_platform.cli.views.progress import ProgressView, say
from minerva_platform.errors import RunError, SettingsError
from minerva_platform.run_context.blocking import run_sync
from minerva_platform.run_context.failures.error_info import cancelled_fields
from minerva_platform.text.language import locale_language

if TYPE_CHECKING:
    from minerva_platform.app import Platform
    from minerva_platform.contract.run_object import Run

GRACE_S = 1.0
"""Seconds that a cancelled run has to end by itself."""


def execute(
    app: "Platform", work: Callable[[], Awaitable["Run"]], progress: ProgressView, after: ExitStack
) -> "Run":
    """Run `work` of the app to its end, and return the run object.

    The recorder is closed by `after`, once the answer is shown: it may wait for a collector.

    Raises:
        InterruptedRunError: a person pressed Ctrl-C.
        RunError: it cannot begin or go on, or the state of runs cannot be kept.
    """
    configure_logging()
    check_home(app.home)
    recorder = app.recorder = app.build_recorder(progress)
    after.callback(recorder.close)
    interruption = Interruption(progress)
    try:
        with _watched(interruption, recorder):
            return run_sync(_run, work)
    except asyncio.CancelledError as error:
        raise interruption.error_after(_effects(app, progress.tree.run_id)) from error


def _effects(app: "Platform", run_id: str | None) -> str:
    """Return what an interrupted run has done to the world, in words."""
    from minerva_platform.answer.effects import effects_text  # noqa: PLC0415  # of an interruption alone

    if run_id is not None:
        with suppress(RunError):  # nothing is kept of it
            return effects_text(app.find(run_id).effects, locale_language(os.environ))
    return ""


def check_home(home: Path) -> None:
    """Make the folder of runs.

    Raises:
        SettingsError: it cannot be made or written.
    """
    try:
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        message = (
            f"Runs keep their files in {home}, which cannot be made: {error.strerror}. "
            "Set MINERVA_HOME to a folder of yours."
        )
        raise SettingsError(message) from error
    if not os.access(home, os.W_OK):
        message = (
            f"Runs keep their files in {home}, which cannot be written here: it is read-only, or "
            "not yours. Make it writable, or set MINERVA_HOME to a folder of yours."
        )
        raise SettingsError(message)


async def _run(work: Callable[[], Awaitable["Run"]]) -> "Run":
    with _cancelled_by_ctrl_c():
        return await work()


@contextmanager
def _cancelled_by_ctrl_c() -> Generator[None]:
    """Let SIGINT cancel the current task, in place of any other handler."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    running = asyncio.current_task()
    loop = asyncio.get_running_loop()
    inner = signal.getsignal(signal.SIGINT)

    def cancel(number: int, frame: Any) -> None:
        if callable(inner):
            inner(number, frame)
        if running is not None:
            loop.call_soon_threadsafe(running.cancel, context=Context())  # a worker's may not

    signal.signal(signal.SIGINT, cancel)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, inner)


class Interruption:
    """The state of a run when the person pressed Ctrl-C."""

    def __init__(self, progress: ProgressView) -> None:
        self.progress = progress
        self.at_work: tuple[str, ...] = ()
        """The members that held it, noted at once: some end before the run does."""

    def note(self) -> None:
        """Note the members that work now."""
        self.at_work = self.at_work or self.progress.at_work

    def error_after(self, done: str = "") -> InterruptedRunError:
        """Return the error for the person; the run has `done` that to the world."""
        return InterruptedRunError(self.progress.tree.run_id, self.at_work, done)


@contextmanager
def _watched(interruption: Interruption, recorder: FanOut) -> Generator[None]:
    """End the process if a run that was interrupted does not end by itself."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    watchdog = threading.Timer(GRACE_S, _abandon, (interruption, recorder))
    watchdog.daemon = True
    previous = signal.getsignal(signal.SIGINT)

    def on_interrupt(_number: int, _frame: Any) -> None:
        interruption.note()
        if watchdog.ident is None:  # not started yet
            watchdog.start()

    signal.signal(signal.SIGINT, on_interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, previous)
        watchdog.cancel()


def _abandon(interruption: Interruption, recorder: FanOut) -> None:
    """Record the open spans as cancelled, and end the process without the hung code."""
    for span in reversed(tuple(interruption.progress.open_spans.values())):
        span.set(status="skipped", reason="cancelled")
        if span.kind == "run":
            span.set(**cancelled_fields())
        span.__exit__(None, None, None)
    recorder.close()
    say(f"minerva: {interruption.error_after()}")
    os._exit(ExitCode.INTERRUPTED)
