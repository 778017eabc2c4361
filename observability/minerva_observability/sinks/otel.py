"""Send records to OpenTelemetry as spans, without holding up the process.

A span is built from a record and has its ids, because children end before their parents and both
views must agree. A collector that is down, hangs or is slow delays the exit by the `ExitLimit` at
most. Spans that it did not take are counted.
"""

import atexit
import logging
import os
import socket
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Final

from opentelemetry.context import Context
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult
from opentelemetry.sdk.trace.sampling import Decision
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from opentelemetry.trace import Link, SpanKind, get_tracer_provider
from opentelemetry.trace.status import Status, StatusCode

from minerva_observability.records.record import FAILURES, Record, started_ids
from minerva_observability.sinks.exit_limit import ExitLimit
from minerva_observability.sinks.semconv import VERSIONS, record_to_attributes, record_to_span_name
from minerva_observability.tracing.span import Span
from minerva_observability.tracing.trace_context import own_context, to_span_context

_log = logging.getLogger(__name__)

MAX_PENDING_SPANS: Final = 8_192
"""Spans that may wait for the collector; further ones are dropped and counted."""
MAX_BATCH_SPANS: Final = 512
"""Spans in one export; OpenTelemetry's own default."""

_SCOPE: Final = InstrumentationScope("minerva_observability")
_CODES: Final = {"ok": StatusCode.OK, **dict.fromkeys(FAILURES, StatusCode.ERROR)}
"""All other statuses are unset: neither whole nor failed. `minerva.status` names them."""


class HostSink:
    """Gives one span a record to the provider of OpenTelemetry that the program around has set up.

    OpenTelemetry's API takes no span that has ended, so each goes to where the provider's own end.
    """

    records_dropped = 0
    """What the provider loses, the provider tells."""

    def __init__(self, provider: TracerProvider) -> None:
        self._provider = provider

    def started(self, span: Span) -> None:
        """Do nothing, because a span is built when it has ended."""

    def finished(self, record: Record) -> None:
        """Pass `record` on as a span, if its trace is sampled."""
        provider, span = self._provider, record_to_span(record, self._provider.resource)
        begins = record.traceparent is None  # a trace, about which the program's rule decides
        said = provider.sampler.should_sample(Context(), int(record.run_id, 16), span.name)
        if said.decision is not Decision.DROP if begins else _is_sampled(record):
            provider._active_span_processor.on_end(span)  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]  # see above

    def close(self) -> None:
        """Do nothing, because the program ends its provider."""


class OtelSink:
    """Exports one span a record, in batches, from an OS thread that cannot block the exit."""

    def __init__(
        self,
        exporter: SpanExporter,
        *,
        exit_limit: ExitLimit | None = None,
        max_pending: int = MAX_PENDING_SPANS,
        versions: Mapping[str, str] | None = None,
    ) -> None:
        """Send to `exporter`. `exit_limit`, which exporters of a process share, bounds `close`.

        `versions` says what the platform and its teams were installed from, as records do.
        """
        self._counting = _CountingExporter(exporter)
        self._processor = BatchSpanProcessor(self._counting, max_queue_size=max_pending)
        self._max_pending = max_pending
        self._resource = Resource.create(
            {
                "service.name": "minerva",
                "host.name": socket.gethostname(),
                "process.pid": os.getpid(),
                **{f"{VERSIONS}.{name}": text for name, text in (versions or {}).items()},
            }
        )
        self._exit_limit = exit_limit or ExitLimit()
        self._records_received = 0
        self._records_refused = 0
        self._is_closed = False
        self._ender = self._exit_limit.guard(self._processor.shutdown, name="minerva-spans")
        atexit.register(self.close)

    @property
    def records_dropped(self) -> int:
        """Spans that the collector did not take; after `close` also those still pending."""
        pending = 0 if not self._is_closed else self._pending()
        return self._records_refused + self._counting.spans_failed + pending

    def started(self, span: Span) -> None:
        """Do nothing, because a span is built when it has ended."""

    def finished(self, record: Record) -> None:
        """Queue `record` as a span."""
        if not _is_sampled(record):
            return
        if self._is_closed or self._pending() >= self._max_pending:
            self._records_refused += 1
            return
        self._records_received += 1
        self._processor.on_end(record_to_span(record, self._resource))

    def close(self) -> None:
        """Send pending spans for as long as the exit limit allows; log how many were lost."""
        if self._is_closed:
            return
        atexit.unregister(self.close)
        is_last = self._pending() <= MAX_BATCH_SPANS  # after `give_up` no further batch is sent
        give_up = self._counting.shutdown if is_last else None
        self._exit_limit.wait_for(self._ender, give_up=give_up)
        self._is_closed = True
        if self.records_dropped:
            _log.warning(
                "%d spans did not reach the OpenTelemetry collector; they are in runs.jsonl."
                " Check OTEL_EXPORTER_OTLP_ENDPOINT.",
                self.records_dropped,
            )

    def _pending(self) -> int:
        return self._records_received - self._counting.spans_exported - self._counting.spans_failed


class _CountingExporter(SpanExporter):
    """Counts the spans that the collector took, which the batch processor does not report."""

    def __init__(self, exporter: SpanExporter) -> None:
        self._exporter = exporter
        self.spans_exported = 0
        self.spans_failed = 0

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        result = SpanExportResult.FAILURE
        try:
            result = self._exporter.export(spans)
        finally:
            if result is SpanExportResult.SUCCESS:
                self.spans_exported += len(spans)
            else:
                self.spans_failed += len(spans)
        return result

    def shutdown(self) -> None:
        self._exporter.shutdown()


def _is_sampled(record: Record) -> bool:
    """True unless whoever called the run wants nothing of the trace."""
    return own_context(record.run_id, record.traceparent, record.span_id).trace_flags.sampled


def record_to_span(record: Record, resource: Resource) -> ReadableSpan:
    """Return the span of `record`, with the same ids, times and fields."""
    context = partial(own_context, record.run_id, record.traceparent)
    parent = None if record.traceparent is None else to_span_context(record.traceparent)
    if record.parent_id is not None:
        parent = context(record.parent_id)
    code = _CODES.get(record.status, StatusCode.UNSET)
    return ReadableSpan(
        name=record_to_span_name(record),
        context=context(record.span_id),
        parent=parent,
        resource=resource,
        attributes=record_to_attributes(record),
        links=_links(record),
        kind=SpanKind.CLIENT if record.kind == "model" else SpanKind.INTERNAL,
        status=Status(code, record.reason if code is StatusCode.ERROR else None),
        start_time=record.started_ns,
        end_time=record.started_ns + record.duration_ns,
        instrumentation_scope=_SCOPE,
    )


def _links(record: Record) -> list[Link]:
    """Return the links between a background run and the run that started it, each to the other.

    They are in one trace, because the start is the caller of the run.
    """
    spans: list[str] = []
    if record.background is not None:
        spans.append(started_ids(record.background).run)
    if record.started_by is not None:
        spans.append(started_ids(record.run_id).start)
    return [Link(own_context(record.run_id, record.traceparent, span)) for span in spans]


def build_host_sink() -> HostSink | None:
    """Return a sink for the provider that the program around has set up; None if it has none."""
    provider = get_tracer_provider()
    return HostSink(provider) if isinstance(provider, TracerProvider) else None


def build_otlp_sink(
    exit_limit: ExitLimit | None = None, versions: Mapping[str, str] | None = None
) -> OtelSink:
    """Return a sink for the collector that `OTEL_EXPORTER_OTLP_ENDPOINT` names."""
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter  # noqa: PLC0415  # 20 ms

    return OtelSink(OTLPSpanExporter(), exit_limit=exit_limit, versions=versions)
