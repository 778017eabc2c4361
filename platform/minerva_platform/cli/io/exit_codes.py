"""A command's process: rare garbage collection, exit codes, no wait for OS threads."""

import atexit
import gc
import os
import sys
import threading
from collections.abc import Sequence
from enum import IntEnum
from typing import TYPE_CHECKING

from minerva_platform.errors import (
    AlreadyDecidedError,
    ExpiredInterruptError,
    MinervaError,
    RunCancelledError,
    RunError,
    StaleDecisionError,
)
from minerva_platform.text.command_hint import minerva_command

if TYPE_CHECKING:
    from minerva_platform.contract.run_object import Run, RunStatus


class ExitCode(IntEnum):
    """The exit codes, as README lists them. Only commands that judge findings end with 3."""

    ANSWERED = 0
    FAILED = 1
    WRONG_USAGE = 2
    FINDINGS = 3
    WAITS_FOR_PERSON = 4
    INTERRUPTED = 130


class InterruptedRunError(RunError):
    """The person pressed Ctrl-C. The spans so far are recorded."""

    def __init__(self, run_id: str | None, at_work: Sequence[str] = (), done: str = "") -> None:
        """Take what the run has `done` to the world, in words."""
        self.run_id, self.at_work = run_id, tuple(at_work)
        names = ", ".join(f"`{path}`" for path in self.at_work)
        verb = "were" if len(self.at_work) > 1 else "was"
        held = f" while {names} {verb} at work" if names else ""
        told = f" What ran is recorded: {minerva_command()} runs {run_id[:8]}" if run_id else ""
        super().__init__(f"Interrupted{held}. {done}".rstrip() + told)


class UndeliveredError(RunError):
    """The run went on record, but its answer or its files could not be written."""


_TYPED_RIGHTLY = (
    AlreadyDecidedError,
    ExpiredInterruptError,
    RunCancelledError,
    StaleDecisionError,
    UndeliveredError,
)
"""What hinders a command that was typed rightly, such as a decision that came too late."""


def error_to_exit_code(error: MinervaError) -> ExitCode:
    """Return the code of a command that ended with `error` instead of a run."""
    if isinstance(error, InterruptedRunError):
        return ExitCode.INTERRUPTED
    if isinstance(error, _TYPED_RIGHTLY):
        return ExitCode.FAILED
    return ExitCode.WRONG_USAGE


def status_to_exit_code(status: "RunStatus") -> ExitCode:
    """Return the code of a run that ended with `status`. A degraded answer counts as an answer."""
    if status == "needs_human":
        return ExitCode.WAITS_FOR_PERSON
    return ExitCode.FAILED if status in {"failed", "cancelled"} else ExitCode.ANSWERED


def run_to_exit_code(run: "Run") -> ExitCode:
    """Return the code of `run`.

    An answer without a file that the person must mend ends as wrong usage.
    """
    code = status_to_exit_code(run.status)
    if code is ExitCode.ANSWERED and any(use.must_mend for use in run.files):
        return ExitCode.WRONG_USAGE
    return code


def spare_the_collector() -> None:
    """Make garbage collection rare, and skip it at the end.

    A command ends with its process. Importing langgraph makes objects by the hundred thousand
    that stay; looking through them again and again was a quarter of the CPU of `minerva demo`.
    """
    gc.set_threshold(50_000, 20, 100)
    atexit.register(_skip_the_last_search)


def _skip_the_last_search() -> None:
    if "duckdb" not in sys.modules:  # it writes a page about every object that is not taken back
        gc.freeze()


def leave(code: object) -> None:
    """End now if a worker left an OS thread behind for which Python would wait."""
    main_thread = threading.main_thread()
    if any(thread is not main_thread and not thread.daemon for thread in threading.enumerate()):
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code if isinstance(code, int) else 0)
