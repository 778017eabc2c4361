"""Parse sources in another process, each within a limit of CPU time.

One process serves a whole batch, because starting it costs more than a file.
A source that takes too long or crashes it is reported and the next one gets a new process.
"""

import contextlib
import importlib.util
import os
import signal
import subprocess
import sys
import threading
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO, cast

from minerva_insilico.core.facts.language import GRAMMARS
from minerva_insilico.core.parsing import wire
from minerva_insilico.core.parsing.parse_failure import LIMITS, Reason, error_text

MAX_CPU_SECONDS_A_FILE = 10.0
"""CPU time, so that a busy machine gives the same answer. Of the 1,788 files of Python 3.11's
library and its tests, the slowest takes 0.3 s."""

_START = (
    "import sys; sys.path += sys.argv[2:]; "
    "from minerva_insilico.core.parsing.child import serve; serve()"
)
_SECONDS_TO_END = 5.0
_KEPT = ("LD_LIBRARY_PATH", "PATH", "SYSTEMROOT")


@dataclass(frozen=True)
class Failure:
    """Why a source gave no facts."""

    reason: Reason
    detail: str
    line: int | None
    lasting: bool = True
    """True if the same bytes would fail again: false where time or a process ran out."""
    text: bytes | None = None
    """The compressed text, where it may be kept for a search."""

    @property
    def error(self) -> str:
        """The fault, as an English clause."""
        return error_text(self.reason, self.detail)


class Parser(AbstractContextManager["Parser"]):
    """A killable process that parses one source at a time. Use it in a `with` block."""

    def __init__(self, *, seconds: float = MAX_CPU_SECONDS_A_FILE) -> None:
        """Give each source `seconds` of CPU time."""
        self.seconds = seconds
        self.cpu_seconds = 0.0
        """Seconds of CPU time that its processes have taken for sources so far."""
        self._process: subprocess.Popen[bytes] | None = None
        self._is_used = False
        self._starting = threading.Lock()
        self._has_ended = False

    def __exit__(self, *_: object) -> None:
        self.close()

    def ask(self, message: dict[str, Any], source: bytes) -> tuple[dict[str, Any], bytes] | Failure:
        """Return the answer about `source`, or a failure within the limit of CPU time.

        A source that meets a limit in a process that has read others is read again in a fresh one:
        what came before it, which differs from run to run, must not decide. A message may have
        less CPU time of its own (`seconds`); then it is asked once.
        """
        was_used = self._is_used
        answer = self._ask(message, source)
        is_limited = isinstance(answer, Failure) and answer.reason in LIMITS
        if was_used and is_limited and "seconds" not in message:
            self.close()
            answer = self._ask(message, source)
        return answer

    def _ask(
        self, message: dict[str, Any], source: bytes
    ) -> tuple[dict[str, Any], bytes] | Failure:
        process = self._running()
        if process is None:
            return Failure("crash", "ended", None, lasting=False)
        self._is_used = True
        try:
            wire.send(cast("BinaryIO", process.stdin), message, source)
            answer, blob = wire.receive(cast("BinaryIO", process.stdout))
        except (wire.BrokenWireError, OSError, ValueError):
            return self._failure(process, message.get("seconds", self.seconds))
        self.cpu_seconds += answer.pop("cpu_seconds")
        if "reason" in answer:
            return Failure(answer["reason"], answer["detail"], answer["line"])
        return answer, blob

    def end(self) -> None:
        """End the process for good: another thread that has asked it gets no new one."""
        with self._starting:
            self._has_ended = True
            self.close()

    def close(self) -> None:
        """End the process; the next source gets a new one."""
        process, self._process = self._process, None
        self._is_used = False
        if process is None:
            return
        process.kill()
        for stream in (process.stdin, process.stdout):
            if stream:
                # The process died with bytes in the pipe; no other process needs them.
                with contextlib.suppress(OSError):
                    stream.close()
        process.wait()

    def _failure(self, process: subprocess.Popen[bytes], seconds: float) -> Failure:
        with contextlib.suppress(subprocess.TimeoutExpired):  # it has closed its end, and is ending
            process.wait(_SECONDS_TO_END)
        self.close()
        if process.returncode == -signal.SIGPROF:  # what `core.child` has set as its alarm
            self.cpu_seconds += seconds
            return Failure("time", f"{seconds:g}", None, lasting=False)
        return Failure("crash", str(process.returncode), None, lasting=False)

    def _running(self) -> subprocess.Popen[bytes] | None:
        """Return the process, a new one where there is none; None once `end` was called."""
        with self._starting:
            if not self._has_ended and (self._process is None or self._process.poll() is not None):
                self.close()
                self._process = subprocess.Popen(  # noqa: S603 - our own interpreter and module
                    [sys.executable, *_flags(), "-c", _START, str(self.seconds), *_places()],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    env={name: os.environ[name] for name in _KEPT if name in os.environ},
                    start_new_session=True,  # Ctrl-C is for the parent, which then closes us
                )
            return self._process


def _flags() -> list[str]:
    flags = ["-I", "-S", "-X", "utf8"]
    return [*flags, "-B"] if sys.dont_write_bytecode else flags


@cache
def _places() -> tuple[str, ...]:
    """Return the folders of this package and its libraries, for the end of the import path."""
    found = [Path(__file__).parents[3]]
    for name in (
        *("minerva_reading", "minerva_observability"),  # the first loads its names by the second
        "sqlglot",
        "libcst",
        "packaging",
        "ast_grep_py",
        "tree_sitter",
        *(module for module, _ in GRAMMARS.values()),
    ):
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.origin is not None:
            found.append(Path(spec.origin).parents[1])
    return tuple(str(place) for place in dict.fromkeys(found))
