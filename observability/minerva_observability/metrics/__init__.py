"""Figures from the records: calls, failures, times, shares and costs."""

from typing import TYPE_CHECKING

from minerva_observability.lazy import lazy_names

if TYPE_CHECKING:
    from minerva_observability.metrics.figures import (
        OLD_BYPASSES as OLD_BYPASSES,
        Bin as Bin,
        Choices as Choices,
        FailureFigures as FailureFigures,
        Figures as Figures,
        Moment as Moment,
        Overview as Overview,
        RunFigures as RunFigures,
        RunPage as RunPage,
        Totals as Totals,
    )
    from minerva_observability.metrics.metrics import Metrics as Metrics
    from minerva_observability.metrics.prometheus_page import PrometheusPage as PrometheusPage
    from minerva_observability.metrics.span_filter import SpanFilter as SpanFilter
    from minerva_observability.metrics.span_store import (
        SourceSummary as SourceSummary,
        SpanStore as SpanStore,
        SpanStoreError as SpanStoreError,
    )
else:
    __all__, __getattr__, __dir__ = lazy_names(__name__, needs="minerva-observability[dashboard]")
