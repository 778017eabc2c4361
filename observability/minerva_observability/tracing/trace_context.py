"""The W3C trace context of a run: which span has called it, and as which span it calls others.

OpenTelemetry's own propagator reads and writes the header `traceparent`. It takes 20 ms to load, so
this module is imported only where there is a caller, a server to call, or a sink of spans.
"""

from collections.abc import Generator
from contextlib import contextmanager
from functools import lru_cache
from typing import Final

from opentelemetry.context import Context, attach, detach, get_current
from opentelemetry.trace import (
    NonRecordingSpan,
    SpanContext,
    TraceFlags,
    get_current_span,
    set_span_in_context,
)
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from minerva_observability.tracing.span import current_span

HEADER: Final = "traceparent"
_PROPAGATOR: Final = TraceContextTextMapPropagator()
_SAMPLED: Final = TraceFlags(TraceFlags.SAMPLED)


def current_traceparent() -> str | None:
    """Return the `traceparent` that tells a server which span asks it; None outside any run."""
    span = current_span()
    if span is None or not int(span.scope.run_id, 16):
        return None
    own = own_context(span.scope.run_id, span.scope.traceparent, span.span_id)
    return _to_header(set_span_in_context(NonRecordingSpan(own), Context()))


def foreign_traceparent() -> str | None:
    """Return the `traceparent` of OpenTelemetry's current span; None if there is none."""
    return _to_header(None)


@contextmanager
def attached(header: str) -> Generator[None]:
    """Make the span that a header names OpenTelemetry's current one, unless there is one."""
    is_known = foreign_traceparent() is not None  # the server itself is traced
    token = attach(get_current() if is_known else _read(header))
    try:
        yield
    finally:
        detach(token)


def own_context(run_id: str, traceparent: str | None, span_id: str) -> SpanContext:
    """Return the context of a span: in its caller's trace, else in one with the run's id."""
    caller = None if traceparent is None else to_span_context(traceparent)
    trace_id, flags = (
        (int(run_id, 16), _SAMPLED) if caller is None else (caller.trace_id, caller.trace_flags)
    )
    return SpanContext(trace_id, int(span_id, 16), is_remote=False, trace_flags=flags)


@lru_cache(maxsize=64)
def to_span_context(traceparent: str) -> SpanContext | None:
    """Return the context of the span that a header names; None if it breaks W3C's rules."""
    found = get_current_span(_read(traceparent)).get_span_context()
    return found if found.is_valid else None


def _read(traceparent: str) -> Context:
    return _PROPAGATOR.extract({HEADER: traceparent}, Context())


def _to_header(context: Context | None) -> str | None:
    carrier: dict[str, str] = {}
    _PROPAGATOR.inject(carrier, context)
    return carrier.get(HEADER)
