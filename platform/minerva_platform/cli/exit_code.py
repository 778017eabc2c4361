"""How the command ends, as a number that scripts can rely on."""

from collections.abc import Sequence
from enum import IntEnum
from typing import TYPE_CHECKING

from minerva_platform.cli.typed import minerva_command
from minerva_platform.errors import MinervaError, RunError

if TYPE_CHECKING:
    from minerva_platform.contract import Run, RunStatus


class ExitCode(IntEnum):
    """The codes that README lists; only commands that judge findings end with 3."""

    ANSWERED = 0
    FAILED = 1
    WRONG_USAGE = 2
    FINDINGS = 3
    WAITS_FOR_PERSON = 4
    INTERRUPTED = 130


class InterruptedRunError(RunError):
    """The person pressed Ctrl-C; what ran is recorded."""

    def __init__(self, run_id: str | None, at_work: Sequence[str] = ()) -> None:
        self.run_id, self.at_work = run_id, tuple(at_work)
        names = ", ".join(f"`{path}`" for path in self.at_work)
        verb = "were" if len(self.at_work) > 1 else "was"
        held = f" while {names} {verb} at work" if names else ""
        told = f" What ran is recorded: {minerva_command()} runs {run_id[:8]}" if run_id else ""
        super().__init__(f"Interrupted{held}.{told}")


class UndeliveredError(RunError):
    """The run went on record, but its answer or its files could not be written."""


def error_to_exit_code(error: MinervaError) -> ExitCode:
    """Return the code of a command that ended with `error` instead of a run."""
    if isinstance(error, InterruptedRunError):
        return ExitCode.INTERRUPTED
    if isinstance(error, UndeliveredError):
        return ExitCode.FAILED
    return ExitCode.WRONG_USAGE


def status_to_exit_code(status: "RunStatus") -> ExitCode:
    """Return the code of a run that ended with `status`; a degraded answer is an answer."""
    if status == "needs_human":
        return ExitCode.WAITS_FOR_PERSON
    return ExitCode.FAILED if status == "failed" else ExitCode.ANSWERED


def run_to_exit_code(run: "Run") -> ExitCode:
    """Return the code of `run`.

    An answer that goes on without a file which the person must mend ends as wrong usage.
    """
    code = status_to_exit_code(run.status)
    if code is ExitCode.ANSWERED and any(use.must_mend for use in run.files):
        return ExitCode.WRONG_USAGE
    return code
