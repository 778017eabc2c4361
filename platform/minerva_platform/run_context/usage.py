"""What a run has used of its limits, as it is kept while the run waits or after a crash.

A worker that waits for a person has called models already. Its result, which tells of them, comes
only after the decision; until then they are kept here.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import Field

from minerva_observability import Span
from minerva_platform.contract.values import Frozen, Usage


class BegunCall(Frozen):
    """What a call took before its run waited or was cut off."""

    usage: Usage = Usage()
    ms: float = 0.0
    started_ns: int = 0


class Used(Frozen):
    """What a run has used so far; the time in which it waits for a person is none of it."""

    ms: int = 0
    hops: int = 0
    usage: Usage = Usage()
    begun: dict[str, BegunCall] = Field(default_factory=dict[str, BegunCall])
    """The calls that may go on, by path."""

    def to_row(self, *, is_over: bool) -> dict[str, Any]:
        """Return it as JSON for the ledger; a run that is over has no use for its parts."""
        usage = self.usage
        tokens = usage.prompt_tokens + usage.completion_tokens
        row = {"ms": self.ms, "hops": self.hops, "calls": usage.model_calls, "tokens": tokens}
        if is_over:
            return row
        begun = {path: call.model_dump(mode="json") for path, call in self.begun.items()}
        return {**row, "usage": usage.model_dump(mode="json"), "begun": begun}


@dataclass(frozen=True, slots=True)
class OpenCall:
    """A call of a member while it goes on in this process, and after it has ended.

    What it used is kept on. If its result is lost in a crash, the call is made again, and what was
    used then was used all the same.
    """

    read_usage: Callable[[], Usage]
    before: BegunCall
    span: Span

    def so_far(self) -> BegunCall:
        """Return what it took, before and now; no wait is in it."""
        return BegunCall(
            usage=self.before.usage + self.read_usage(),
            ms=self.span.took_ms,
            started_ns=self.before.started_ns,
        )


class OpenCalls:
    """The calls of members in a run, and the run itself."""

    def __init__(self, calls: Mapping[str, BegunCall] | None = None) -> None:
        self.calls = dict(calls or {})
        self._open: dict[str, OpenCall] = {}

    def begin(self, span: Span, read_usage: Callable[[], Usage] = Usage) -> OpenCall:
        """Begin the call of `span`, or go on with it; `read_usage` tells what it has used here."""
        before = self.calls.get(span.path) or BegunCall(started_ns=span.started_ns)
        span.before_ms = before.ms
        call = self._open[span.path] = OpenCall(read_usage, before, span)
        return call

    def has_begun(self, path: str) -> bool:
        """True if the call at `path`, or one below it, has begun before."""
        below = f"{path}/"
        known = (*self.calls, *self._open)
        return any(one == path or one.startswith(below) for one in known)

    def so_far(self) -> dict[str, BegunCall]:
        """Return what calls took that may go on."""
        now = {path: call.so_far() for path, call in list(self._open.items())}
        return {**self.calls, **now}
