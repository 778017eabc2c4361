"""Record the spans of a child in the run of its parent: under its ids, masked as all others.

A span's times are the child's own, counted from the moment the call reached it. They are added to
the time at which this process sent the call. So the two clocks need not agree. A span lies early by
the call's transit time, a fraction of a millisecond.
"""

import time
from typing import Any, cast

from pydantic import Field

from minerva_observability import Span, current_span, record_span
from minerva_observability.records import Kind, SpanFields
from minerva_platform.contract.values import Frozen
from minerva_platform.runtime.isolation.framing import Tag

_FIELDS = frozenset(SpanFields.__annotations__)


class _Began(Frozen):
    id: str
    parent: str | None
    kind: Kind
    path: str
    started_ns: int
    began_ns: int = Field(ge=0)
    fields: dict[str, Any]


class _End(Frozen):
    id: str
    ended_ns: int = Field(ge=0)
    fields: dict[str, Any]


class SpanRelay:
    """The spans of one call; those of a child that is gone are closed by `close`."""

    def __init__(self) -> None:
        self._above = current_span()
        self._zero_ns = time.perf_counter_ns()
        self._open: dict[str, Span] = {}

    def take(self, tag: Tag, body: bytes) -> None:
        """Begin or end a span as the child reports it.

        Raises:
            ValidationError: that is no span.
        """
        if tag is Tag.SPAN_BEGAN:
            self._begin(body)
        else:
            self._end(body)

    def close(self, error: BaseException) -> None:
        """End the open spans as failed by `error`."""
        while self._open:
            _, span = self._open.popitem()
            span.end(error)

    def _begin(self, body: bytes) -> None:
        told = _Began.model_validate_json(body)
        span = record_span(kind=told.kind, path=told.path, **_span_fields(told.fields))
        parent = self._open.get(told.parent or "", self._above)
        self._open[told.id] = span.begin(
            parent=parent, started_ns=told.started_ns, began_ns=self._zero_ns + told.began_ns
        )

    def _end(self, body: bytes) -> None:
        told = _End.model_validate_json(body)
        span = self._open.pop(told.id, None)
        if span is not None:
            span.set(**_span_fields(told.fields))
            span.end(ended_ns=self._zero_ns + told.ended_ns)


def _span_fields(fields: dict[str, Any]) -> SpanFields:
    return cast("SpanFields", {name: fields[name] for name in fields if name in _FIELDS})
