"""The W3C trace context: which span has called a run, and as which span it calls others.

OpenTelemetry's own propagator reads and writes the header `traceparent`. It takes 20 ms to load, so
this module is imported only where there is a caller, a server to call, or a sink of spans.
"""

from collections.abc import Generator
from contextlib import contextmanager
from functools import lru_cache
from typing import Final

from opentelemetry import trace
from opentelemetry.context import Context, attach, detach, get_current
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from minerva_observability.tracing.span import current_span

HEADER: Final = "traceparent"
_PROPAGATOR: Final = TraceContextTextMapPropagator()


def current_traceparent() -> str | None:
    """Return the `traceparent` of the current span, ours or OpenTelemetry's; None without one."""
    span, context, carrier = current_span(), None, dict[str, str]()
    if span is not None and int(span.scope.run_id, 16):
        own = own_context(span.scope.run_id, span.scope.traceparent, span.span_id)
        context = trace.set_span_in_context(trace.NonRecordingSpan(own), Context())
    _PROPAGATOR.inject(carrier, context)
    return carrier.get(HEADER)


@contextmanager
def called_by(header: str | None) -> Generator[None]:
    """Make the span of a request's header OpenTelemetry's current one, if it has none here.

    A header that breaks W3C's rules is as if it were not there.
    """
    is_traced = trace.get_current_span().get_span_context().is_valid
    token = attach(get_current() if is_traced else _context_of(header or ""))
    try:
        yield
    finally:
        detach(token)


def own_context(run_id: str, traceparent: str | None, span_id: str) -> trace.SpanContext:
    """Return the context of a span: in its caller's trace, else in one with the run's id."""
    caller = traceparent and to_span_context(traceparent)
    flags = caller.trace_flags if caller else trace.TraceFlags(trace.TraceFlags.SAMPLED)
    trace_id = caller.trace_id if caller else int(run_id, 16)
    return trace.SpanContext(trace_id, int(span_id, 16), is_remote=False, trace_flags=flags)


@lru_cache(maxsize=64)
def to_span_context(traceparent: str) -> trace.SpanContext | None:
    """Return the context of the span that a header names; None if it breaks W3C's rules."""
    context = trace.get_current_span(_context_of(traceparent)).get_span_context()
    return context if context.is_valid else None


def _context_of(traceparent: str) -> Context:
    return _PROPAGATOR.extract({HEADER: traceparent}, Context())
