"""Spans, the scope of a run, and the recorder that receives the spans."""

from typing import TYPE_CHECKING

from minerva_observability.lazy import lazy_names

if TYPE_CHECKING:
    from minerva_observability.tracing.fan_out import (
        FanOut as FanOut,
        build_recorder as build_recorder,
    )
    from minerva_observability.tracing.recorder import (
        NO_RECORDER as NO_RECORDER,
        Recorder as Recorder,
        Sink as Sink,
    )
    from minerva_observability.tracing.scope import (
        RunScope as RunScope,
        caller_traceparent as caller_traceparent,
        current_scope as current_scope,
        mask_text as mask_text,
        new_run_id as new_run_id,
        record_span as record_span,
    )
    from minerva_observability.tracing.span import (
        Clock as Clock,
        Span as Span,
        current_span as current_span,
    )
    from minerva_observability.tracing.waiting import (
        Waiting as Waiting,
        record_decision as record_decision,
        record_earlier_wait as record_earlier_wait,
        record_pause as record_pause,
        record_wait as record_wait,
    )
else:
    __all__, __getattr__, __dir__ = lazy_names(__name__)
