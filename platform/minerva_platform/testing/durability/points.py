"""The points of a run at which a test kills its process."""

import os
import signal
from itertools import count
from pathlib import Path

from minerva_observability import Record, Recorder, Span

_HOPS = ("run", "agent")
_MOMENTS = ("pause", "decision")


class Points:
    """Writes each point that is reached to a file, and kills this process at one of them."""

    def __init__(self, folder: Path, kill_at: int | str | None) -> None:
        self.kill_at = kill_at
        self.numbers = count(1)
        self.file = os.open(folder / "points", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        self.run_file = folder / "run"

    def reach(self, name: str) -> None:
        """Come to a point: note it, and die if it is the one."""
        number = next(self.numbers)
        os.write(self.file, f"{name}\n".encode())  # the kernel has it, whatever happens next
        if self.kill_at in {number, name}:
            os.kill(os.getpid(), signal.SIGKILL)


_here: Points | None = None


def watch(points: Points) -> None:
    """Let `kill_point` reach `points` in this process."""
    global _here  # noqa: PLW0603  # a process has one run to be killed in
    _here = points


def kill_point(name: str) -> None:
    """Mark a point at which `kill_at_every_hop` kills, besides the start and end of each hop.

    A double of an outside system calls it where a crash hurts most: after the deed, before the
    answer. Anywhere else it does nothing.
    """
    if _here is not None:
        _here.reach(name)


class KillingRecorder:
    """Passes spans on, and reaches a point at the start and the end of each hop."""

    def __init__(self, recorder: Recorder, points: Points) -> None:
        self.recorder, self.points = recorder, points

    def started(self, span: Span) -> None:
        """Reach the start of a hop."""
        self.recorder.started(span)
        if span.kind == "run":
            self.points.run_file.write_text(span.scope.run_id)
        if span.kind in _HOPS:
            self.points.reach(f"the start of {span.path}")

    def finished(self, record: Record) -> None:
        """Reach the end of a hop, a question or a decision."""
        self.recorder.finished(record)
        if record.kind in _HOPS:
            self.points.reach(f"the end of {record.path}")
        elif record.kind in _MOMENTS:
            self.points.reach(f"a {record.kind} of {record.path}")
