"""Keep standard output for answers, and print text that people and programs can rely on."""

import os
import re
import stat
import sys
from collections.abc import Generator, Mapping
from contextlib import ExitStack, contextmanager, redirect_stdout
from typing import Any, TextIO

from minerva_platform.cli.io.exit_codes import UndeliveredError

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""Control characters, and what turns the direction of writing."""
_BREAKS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
"""Control characters, line breaks, and what turns the direction of writing."""


def open_closed_streams() -> None:
    """Open what the shell closed (`>&-`) on nothing.

    Otherwise the next file that is opened, a database perhaps, becomes standard output.
    """
    for number, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        if getattr(sys, name) is None:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest free number, which is this one
            setattr(sys, name, os.fdopen(number, mode, encoding="utf-8", closefd=False))


def is_terminal(stream: TextIO) -> bool:
    """True if a person looks at `stream`, on something that can move its cursor."""
    return stream.isatty() and os.environ.get("TERM") not in {"dumb", "unknown"}


def is_person_there() -> bool:
    """True if somebody sits at a terminal, sees what is asked and can type."""
    return is_terminal(sys.stdin) and is_terminal(sys.stderr)


def may_draw() -> bool:
    """True if a live tree would reach a person and disturb no program.

    A pipe may end in a pager, which draws on the same terminal; a file does not.
    """
    if not is_terminal(sys.stderr):
        return False
    try:
        return not stat.S_ISFIFO(os.fstat(sys.stdout.fileno()).st_mode)
    except (OSError, ValueError):
        return False


def printable(text: str) -> str:
    """Return `text` with control characters shown, not obeyed, because it may be foreign."""
    return _CONTROL.sub(lambda match: repr(match[0])[1:-1], text)


def one_line(text: str) -> str:
    """Return `text` printable, with its line breaks and tabs shown, too: for a row of a table."""
    return _BREAKS.sub(lambda match: repr(match[0])[1:-1], text)


def write_text(text: str) -> None:
    r"""Write `text` and a newline to standard output; a lone surrogate becomes `\udc80`.

    In JSON that is the escape which a parser turns back into the same character.

    Raises:
        UndeliveredError: the disk is full, for example.
    """
    data = text.encode("utf-8", "backslashreplace") + b"\n"
    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.flush()
    except BrokenPipeError:
        raise  # who reads has seen enough
    except OSError as error:
        message = f"Standard output cannot be written: {error.strerror}."
        raise UndeliveredError(message) from error


def write_json(value: Mapping[str, Any]) -> None:
    r"""Write one JSON object to standard output; what a terminal would obey is written `\u202e`."""
    from minerva_platform.cli.io.escape import harmless_json  # noqa: PLC0415  # only here is json wanted

    write_text(harmless_json(value, indent=2))


@contextmanager
def answers_only() -> Generator[None]:
    """Send what teams print, and what programs they start print, to standard error."""
    with ExitStack() as stack:
        stack.enter_context(_descriptors_joined())
        stack.enter_context(redirect_stdout(sys.stderr))
        yield


@contextmanager
def _descriptors_joined() -> Generator[None]:
    """Let descriptor 1 lead where 2 leads, if Python's own streams are those two."""
    try:
        ours = sys.stdout.fileno() == 1 and sys.stderr.fileno() == 2  # noqa: PLR2004  # POSIX
    except (OSError, ValueError):
        ours = False
    if not ours:
        yield
        return
    sys.stdout.flush()
    kept = os.dup(1)
    os.dup2(2, 1)
    try:
        yield
    finally:
        os.dup2(kept, 1)
        os.close(kept)
