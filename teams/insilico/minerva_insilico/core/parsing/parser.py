"""Parse sources in another process, each within a time limit.

One process serves a whole batch, because starting it costs more than a file.
A source that hangs or crashes it is reported and the next one gets a new process.
"""

import importlib.util
import os
import subprocess
import sys
import threading
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Self, cast

from minerva_insilico.core.facts.language import GRAMMARS
from minerva_insilico.core.parsing import wire

SECONDS_A_FILE = 4.0
"""Measured: the slowest of 1,798 files of installed packages takes 0.6 s."""

_START = (
    "import sys; sys.path += sys.argv[2:]; "
    "from minerva_insilico.core.parsing.child import serve; serve()"
)
_KEPT = ("LD_LIBRARY_PATH", "PATH", "SYSTEMROOT")


@dataclass(frozen=True)
class Failure:
    """Why a source gave no facts."""

    error: str
    line: int | None
    lasting: bool = True
    """Whether the same bytes would fail again: false where time or a process ran out."""
    text: bytes | None = None
    """The compressed text, where it may be kept for a search."""


class Parser:
    """A killable process that parses one source at a time; use it in a `with` block."""

    def __init__(self, *, seconds: float = SECONDS_A_FILE) -> None:
        self.seconds = seconds
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def ask(self, message: dict[str, Any], source: bytes) -> tuple[dict[str, Any], bytes] | Failure:
        """Return the answer about `source`, or a failure within the time limit."""
        process = self._running()
        late = threading.Event()

        def stop() -> None:
            late.set()
            process.kill()

        timer = threading.Timer(self.seconds, stop)
        timer.daemon = True
        timer.start()
        try:
            wire.send(cast("BinaryIO", process.stdin), message, source)
            answer, blob = wire.receive(cast("BinaryIO", process.stdout))
        except (wire.BrokenWireError, OSError, ValueError):
            return self._failure(process, is_late=late.is_set())
        finally:
            timer.cancel()
        if "error" in answer:
            return Failure(answer["error"], answer["line"])
        return answer, blob

    def close(self) -> None:
        """End the process."""
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        for stream in (process.stdin, process.stdout):
            if stream:
                _close(stream)
        process.wait()

    def _failure(self, process: subprocess.Popen[bytes], *, is_late: bool) -> Failure:
        self.close()
        if is_late:
            text = f"TimeoutError: not parsed within {self.seconds:g} s"
            return Failure(text, None, lasting=False)
        text = f"ParserCrash: the parsing process ended with code {process.returncode}"
        return Failure(text, None, lasting=False)

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._process.poll() is not None:
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
    """Return where this package and its libraries lie; they come after the standard library."""
    found = [Path(__file__).parents[3]]
    for name in (
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


def _close(stream: Any) -> None:
    try:
        stream.close()
    except OSError:
        return  # the process died with bytes still in the pipe; they were for it alone
