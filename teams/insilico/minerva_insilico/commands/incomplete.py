"""Say first, and by the exit code, that a limit has kept files out of the index.

The index is refreshed deep inside a command, its answer is printed elsewhere, and the command may
end with a code of its own: what is missing is kept for the time of one command.
"""

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import wraps
from typing import Any, ParamSpec

import typer

from minerva_insilico.core.index.tally import Failed
from minerva_platform.cli_kit import printable, say, write_json, write_text

INCOMPLETE = 5
"""The exit code of an answer without some files. A check's own code (3) has precedence."""

_MAX_SHOWN = 3

P = ParamSpec("P")


@dataclass
class _Shortfall:
    """The files missing from the running command's answer."""

    is_for_programs: bool = False
    """True if standard output is JSON or a patch: people then read it on the other one."""
    missing: list[Failed] = field(default_factory=list[Failed])


_running: ContextVar[_Shortfall | None] = ContextVar("minerva_insilico_shortfall", default=None)


def says_what_is_missing(command: Callable[P, None]) -> Callable[P, None]:
    """Let a command end with 5 if its answer does not cover all files."""

    @wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        shortfall = _Shortfall(bool(kwargs.get("as_json") or kwargs.get("diff")))
        with _kept(shortfall):
            command(*args, **kwargs)
        if shortfall.missing:
            raise typer.Exit(INCOMPLETE)

    return run


@contextmanager
def _kept(shortfall: _Shortfall) -> Generator[None]:
    token = _running.set(shortfall)
    try:
        yield
    finally:
        _running.reset(token)


def note_missing(items: Sequence[Failed]) -> None:
    """Print the first line of an answer that does not cover `items`, if there are any."""
    shortfall = _running.get()
    if shortfall is None or not items or shortfall.missing:
        return
    shortfall.missing.extend(items)
    named = ", ".join(f"{item.path} ({item.error})" for item in items[:_MAX_SHOWN])
    left = len(items) - _MAX_SHOWN
    more = f" and {left:,} more" if left > 0 else ""
    noun, verb = ("file", "is") if len(items) == 1 else ("files", "are")
    line = f"Incomplete: {len(items):,} {noun} {verb} not in the index because of a limit: "
    (say if shortfall.is_for_programs else write_text)(printable(f"{line}{named}{more}"))


def page_to_json(total: int, hits: list[dict[str, Any]]) -> dict[str, Any]:
    """Return hits as JSON, of `total` that there are."""
    return {"total": total, "shown": len(hits), "truncated": len(hits) < total, "hits": hits}


def write_answer(answer: dict[str, Any]) -> None:
    """Print one JSON object, with `incomplete` first if a limit has kept files out."""
    shortfall = _running.get()
    missing = shortfall.missing if shortfall else []
    told = [{"path": item.path, "reason": item.reason, "error": item.error} for item in missing]
    write_json({"incomplete": told, **answer} if told else answer)
