"""The run that the current code belongs to.

A scope is bound to the context (`contextvars`). Asyncio tasks inherit the context, and so do
OS threads that run in a copy of it. A node deep inside a team therefore records into the right run
without an argument that says which run that is.
"""

import logging
import os
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Final, Unpack

from minerva_observability.masking.hidden_values import HiddenValues
from minerva_observability.masking.masking import Masking
from minerva_observability.records.record import Kind, Record, SpanFields
from minerva_observability.tracing.recorder import NO_RECORDER, Recorder
from minerva_observability.tracing.span import Clock, Span, current_span, enter_span

_log = logging.getLogger(__name__)
_scope: ContextVar["RunScope | None"] = ContextVar("minerva_run_scope", default=None)


def new_run_id() -> str:
    """Return 32 random hexadecimal digits; a forked process gets different ones."""
    return os.urandom(16).hex()


def new_span_id() -> str:
    """Return 16 random hexadecimal digits."""
    return os.urandom(8).hex()


def caller_traceparent() -> str | None:
    """Return the W3C `traceparent` of whoever begins a run here; None if nobody has a span.

    It is the current span's: ours, else OpenTelemetry's in the program around.
    """
    if current_span() is None and "opentelemetry.trace" not in sys.modules:
        return None
    from minerva_observability.tracing.trace_context import current_traceparent  # noqa: PLC0415  # 20 ms

    return current_traceparent()


@dataclass(slots=True, kw_only=True)
class RunScope:
    """A run's identity, recorder and masking. Nothing in this class can fail the run."""

    recorder: Recorder = NO_RECORDER
    run_id: str = field(default_factory=new_run_id)
    thread_id: str | None = None
    resume_no: int | None = None
    traceparent: str | None = field(default_factory=caller_traceparent)
    """Whose span has called the run. Its spans are exported into the trace of that one."""
    control_flow: tuple[type[BaseException], ...] = ()
    """Exceptions that are not failures: a span that one passes through has the status `paused`."""
    masking: Masking = field(default_factory=Masking)
    clock: Clock = field(default_factory=Clock)
    new_span_id: Callable[[], str] = new_span_id
    secrets: HiddenValues = field(default_factory=HiddenValues)
    records_dropped: int = 0
    """The number of records for which the recorder raised an error."""
    _has_reported: bool = field(default=False, init=False)

    @contextmanager
    def bound(self) -> Generator["RunScope"]:
        """Make this the current scope inside the block.

        Several OS threads may be inside at once. A scope bound inside another one is a run of its
        own: its spans have no parent in the outer run.
        """
        outer_scope, outer_span = _scope.get(), current_span()
        _scope.set(self)
        enter_span(None)
        try:
            yield self
        finally:
            _scope.set(outer_scope)
            enter_span(outer_span)

    @property
    def is_recorded(self) -> bool:
        """False if nothing keeps the records of this run."""
        return self.recorder is not NO_RECORDER

    def hide(self, name: str, value: Any) -> None:
        """Mask `value`, and every text inside it, in all later records of this run.

        An error message that quotes the value then shows `[masked NAME]`. Agents use it for the
        fields that they declare sensitive.
        """
        self.secrets.add(name, value)

    def announce(self, span: Span) -> None:
        """Announce to the recorder that `span` began, under a masked path."""
        try:
            began: dict[str, Any] = {"path": span.path}
            self.masking.mask_fields(began, self.secrets)
            span.path = began["path"]
            self.recorder.started(span)
        except Exception as error:  # noqa: BLE001  # a recorder must never fail a run
            self._note_error(error, records=0)

    def mask(self, fields: Any) -> None:
        """Mask the fields of an open span in place, because a live view may show them."""
        if not self.is_recorded:
            return
        try:
            self.masking.mask_fields(fields, self.secrets)
        except Exception as error:  # noqa: BLE001  # an odd field must not fail a run either
            fields.clear()
            self._note_error(error, records=0)

    def deliver(self, record: Record) -> None:
        """Mask `record` and give it to the recorder; count it as dropped if the recorder raises."""
        try:
            self.recorder.finished(self.masking.mask_record(record, self.secrets))
        except Exception as error:  # noqa: BLE001  # a recorder must never fail a run
            self._note_error(error, records=1)

    def _note_error(self, error: Exception, *, records: int) -> None:
        if not self._has_reported:
            _log.warning(
                "The recorder raised %s. The run goes on; its records may be incomplete.",
                type(error).__name__,
            )
        self._has_reported = True
        self.records_dropped += records


_NO_SCOPE: Final = RunScope(run_id="0" * 32, masking=Masking({}))


def record_span(*, kind: Kind, path: str, **fields: Unpack[SpanFields]) -> Span:
    """Return a span of the current run, to be entered with `with`.

    `path` is the hop path; `fields` are fields of the record, such as `team` or `node`. Outside
    any `RunScope` the span takes the time and records nothing.
    """
    return Span(current_scope() or _NO_SCOPE, kind=kind, path=path, fields=fields)


def current_scope() -> RunScope | None:
    """Return the scope of the run that this code belongs to, or None outside a run."""
    return _scope.get()


def mask_text(text: str) -> str:
    """Return `text` masked as a record or log line of the current run would be.

    Use it for text that a person or another run will see: the message of an exception, a line on
    standard error.
    """
    scope = current_scope()
    if scope is None:
        return Masking().mask_text(text)
    scope.masking.refresh()
    return scope.masking.mask_text(text, scope.secrets)
