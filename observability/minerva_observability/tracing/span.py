"""Time a piece of a run: `with record_span(kind="node", path=…) as span:`.

Durations come from the monotonic clock. `self_ms` is the duration without the union of the
children's intervals, and without the time after an enclosing span has ended. The self times of a
run whose steps follow each other therefore add up to its wall time, and children that ran at the
same time are subtracted once.

A span of the kind `wait` has no self time, because nobody works in it. What a span spent while
nothing below it did anything but wait is its `idle_ms`.
"""

import sys
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Literal, Protocol, Self, Unpack, cast

from minerva_observability.records.record import ErrorRow, Kind, Record, SpanFields

Interval = list[int]
"""`[start]` while a child runs, `[start, end]` after it, in monotonic nanoseconds.

The starts and ends of the parts in which it only waited follow in pairs.
"""

_span: ContextVar["Span | None"] = ContextVar("minerva_span", default=None)


def current_span() -> "Span | None":
    """Return the innermost open span of this context, or None if no span is open."""
    return _span.get()


def enter_span(span: "Span | None") -> None:
    """Make `span` the current one. Only `Span` and `RunScope` call this."""
    _span.set(span)


@dataclass(frozen=True, slots=True)
class Clock:
    """Two clocks, both in nanoseconds: the monotonic one for durations, the wall for timestamps."""

    monotonic_ns: Callable[[], int] = time.perf_counter_ns
    wall_ns: Callable[[], int] = time.time_ns


class Scope(Protocol):
    """What a span needs of the run that it belongs to; `RunScope` describes each part."""

    run_id: str
    thread_id: str | None
    resume_no: int | None
    traceparent: str | None
    control_flow: tuple[type[BaseException], ...]
    clock: Clock

    def new_span_id(self) -> str:
        """Return an id that no other span has."""
        ...

    @property
    def is_recorded(self) -> bool:
        """False if nothing keeps the records of this run."""
        ...

    def mask(self, fields: Any) -> None:
        """Mask the fields of an open span in place."""

    def announce(self, span: "Span") -> None:
        """Announce to the recorder that `span` began."""

    def deliver(self, record: Record) -> None:
        """Mask `record` and give it to the recorder."""


class Span:
    """A piece of a run that is being timed."""

    kind: Kind

    __slots__ = (
        "_began_ns",
        "_children",
        "_interval",
        "_parent",
        "before_ms",
        "duration_ns",
        "fields",
        "idle_ns",
        "kind",
        "path",
        "scope",
        "self_ns",
        "span_id",
        "started_ns",
    )

    def __init__(self, scope: Scope, *, kind: Kind, path: str, fields: SpanFields) -> None:
        self.scope, self.kind, self.path, self.fields = scope, kind, path, fields
        self.span_id = scope.new_span_id()
        self.started_ns = 0
        self.duration_ns: int | None = None
        self.self_ns = 0
        self.idle_ns = 0
        """The part of the duration in which it and all below it only waited."""
        self.before_ms = 0.0
        """What earlier parts of the same call took, before the run waited for a person."""
        self._parent: Span | None = None
        self._children: list[Interval] = []
        self._interval: Interval = []
        self._began_ns = 0

    @property
    def parent_id(self) -> str | None:
        """The id of the enclosing span, or None."""
        return self._parent.span_id if self._parent is not None else None

    @property
    def ms(self) -> float:
        """The duration in milliseconds; for an open span, the time since it began."""
        if self.duration_ns is not None:
            return round(self.duration_ns / 1e6, 3)
        return round((self.scope.clock.monotonic_ns() - self._began_ns) / 1e6, 3)

    @property
    def took_ms(self) -> float:
        """What the call took so far, in all its parts and without waits, milliseconds."""
        return round(self.before_ms + self.ms - self.idle_ns / 1e6, 3)

    def set(self, **fields: Unpack[SpanFields]) -> None:
        """Set fields of the record. A `status` set here wins over that of an exception."""
        self.scope.mask(fields)
        self.fields.update(fields)

    def set_as(self, outer: "Span | None", *names: Literal["team", "agent_name", "router"]) -> None:
        """Set the fields that say who works as they are in `outer`, as far as it has them."""
        about = cast("Mapping[str, object]", outer.fields if outer is not None else {})
        self.set(**cast("SpanFields", {name: about[name] for name in names if name in about}))

    def set_error(
        self, error: BaseException, *, message: str | None = None, where: str | None = None
    ) -> None:
        """Record that `error` failed the span, whether or not it is raised further.

        `message` replaces the text of the error. `where` is the place in the code, as
        `module.py:88, in read`. The status becomes `timeout` for a `TimeoutError`, else `failed`,
        unless one was set before.
        """
        info = error_to_row(error)
        if message is not None:
            info["message"] = message
        if where is not None:
            info["where"] = where
        self.set(error=info)
        is_timeout = isinstance(error, TimeoutError)
        self.fields.setdefault("status", "timeout" if is_timeout else "failed")

    def begin(
        self,
        *,
        parent: "Span | None" = None,
        started_ns: int | None = None,
        began_ns: int | None = None,
    ) -> Self:
        """Start the span below `parent` (default: the current span), and leave that one current.

        Callbacks begin a span in one context and end it in another; all other code uses `with`.
        Call `end` exactly once. A span that another process timed takes its start from
        `started_ns` (wall clock, ns) and `began_ns` (this process's monotonic clock, ns).
        """
        scope, clock = self.scope, self.scope.clock
        parent = parent or current_span()
        if parent is not None and parent.scope is scope:
            self._parent = parent
        self.started_ns = clock.wall_ns() if started_ns is None else started_ns
        self._began_ns = clock.monotonic_ns() if began_ns is None else began_ns
        self._interval = [self._began_ns]
        if self._parent is not None:
            self._parent._children.append(self._interval)  # noqa: SLF001  # of our own class
        if scope.is_recorded:
            scope.mask(self.fields)
            scope.announce(self)
        return self

    def end(self, error: BaseException | None = None, *, ended_ns: int | None = None) -> None:
        """Close the span and record it; `error` is the exception that passed through it.

        A span that another process timed takes its end from `ended_ns` (this process's monotonic
        clock, ns).
        """
        if ended_ns is None:
            ended_ns = self.scope.clock.monotonic_ns()
        self._interval.append(ended_ns)
        self.duration_ns = ended_ns - self._began_ns
        own_until = self._until_ns(ended_ns)
        own = gaps(self._children, from_ns=self._began_ns, until_ns=own_until)
        if self.kind == "wait":
            idle = [[self._began_ns, ended_ns]]
        else:
            self.self_ns = _length(own)
            busy = [part for child in self._children for part in _busy(child, ended_ns)]
            is_waiting = any(len(child) > 2 for child in self._children)  # noqa: PLR2004  # pairs follow
            rest = [*own, *busy, [own_until, ended_ns]]
            idle = gaps(rest, from_ns=self._began_ns, until_ns=ended_ns) if is_waiting else []
        self.idle_ns = _length(idle)
        self._interval += [bound for part in idle for bound in part]
        if error is not None:
            self._passed_through(error)
        if self.scope.is_recorded:
            self.scope.deliver(self._to_record())

    def _until_ns(self, ended_ns: int) -> int:
        """Return the monotonic time up to which time counts as the span's own.

        Time that a hung OS thread spends after an enclosing span has ended counts for no span.
        Otherwise the self times of a run would add up to more than its wall time.
        """
        around = self._parent
        while around is not None:
            if len(around._interval) > 1:  # noqa: SLF001  # of our own class
                ended_ns = min(ended_ns, around._interval[1])  # noqa: SLF001  # the same
            around = around._parent  # noqa: SLF001  # the same
        return ended_ns

    def __enter__(self) -> Self:
        self.begin()
        enter_span(self)
        return self

    def __exit__(self, _kind: object, error: BaseException | None, *_: object) -> None:
        if current_span() is self:  # a span may be closed in another context than its own
            enter_span(self._parent)
        self.end(error)

    @contextmanager
    def entered(self) -> Generator[None]:
        """Make a span that callbacks began the current one inside the block."""
        outer = current_span()
        enter_span(self)
        try:
            yield
        finally:
            enter_span(outer)

    def _passed_through(self, error: BaseException) -> None:
        """Take the status from an exception, unless the owner has set one."""
        if "status" in self.fields:
            return
        if isinstance(error, self.scope.control_flow):
            self.fields["status"] = "paused"
        elif is_cancellation(error):
            self.fields["status"] = "skipped"
            self.fields.setdefault("reason", "cancelled")
        else:
            self.set_error(error)

    def _to_record(self) -> Record:
        scope = self.scope
        fields = self.fields
        fields.setdefault("status", "ok")
        return Record(
            started_ns=self.started_ns,
            duration_ns=self.duration_ns or 0,
            self_ns=self.self_ns,
            run_id=scope.run_id,
            thread_id=scope.thread_id,
            resume_no=scope.resume_no,
            traceparent=scope.traceparent,
            span_id=self.span_id,
            parent_id=self.parent_id,
            path=self.path,
            kind=self.kind,
            idle_ms=round(self.idle_ns / 1e6, 3) or None,
            took_ms=self.took_ms if self.before_ms or self.idle_ns else None,
            **fields,
        )


def gaps(intervals: list[Interval], *, from_ns: int, until_ns: int) -> list[Interval]:
    """Return the parts between the two times in which no interval was running.

    An interval without an end (a child that a timeout abandoned) reaches to `until_ns`.
    """
    found: list[Interval] = []
    reached = from_ns
    # children append in order of start, but OS threads may swap two that start at the same moment
    for interval in sorted(intervals):
        start = min(interval[0], until_ns)
        if reached < start:
            found.append([reached, start])
        reached = max(reached, start, interval[1] if len(interval) > 1 else until_ns)
    if reached < until_ns:
        found.append([reached, until_ns])
    return found


def _busy(interval: Interval, until_ns: int) -> list[Interval]:
    """Return the parts of a child's interval in which it did not only wait."""
    bounds = [interval[0], *interval[2:], *(interval[1:2] or [until_ns])]
    return [[*pair] for pair in zip(bounds[::2], bounds[1::2], strict=True)]


def _length(parts: list[Interval]) -> int:
    return sum(end - start for start, end in parts)


def error_to_row(error: BaseException) -> ErrorRow:
    """Return the class and the message of `error`, even if its `__str__` raises."""
    try:
        message = str(error)
    except BaseException:  # noqa: BLE001  # a foreign __str__ may even end the process
        message = "(its message cannot be shown)"
    return {"type": type(error).__name__, "message": message}


def is_cancellation(error: BaseException) -> bool:
    """True if the work was cancelled and did not fail."""
    asyncio = sys.modules.get("asyncio")  # importing it would cost 25 ms for nothing
    cancelled = asyncio is not None and isinstance(error, asyncio.CancelledError)
    return cancelled or isinstance(error, GeneratorExit)
