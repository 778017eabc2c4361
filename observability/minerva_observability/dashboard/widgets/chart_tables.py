"""Charts as tables: the same figures for people who cannot see a chart or want to copy it."""

from collections.abc import Sequence
from typing import Final

from markupsafe import Markup

from minerva_observability.dashboard.server.site import Look
from minerva_observability.dashboard.widgets.markup import Column, name_of, table, tag
from minerva_observability.dashboard.widgets.text import count, duration, visible
from minerva_observability.metrics.figures import Bin, Moment

ROWS: Final = 200
"""Rows of a table; more would take long to send, and people do not read that many."""


def moments_table(moments: Sequence[Moment], look: Look) -> Markup:
    """Return a table of the newest moments of a chart over time, and say if some are left out."""
    shown = list(reversed(moments))[:ROWS]
    columns: list[Column[Moment]] = [
        Column(title="from", cell=lambda row: look.time(row.begins_at), heads_row=True),
        Column(title="agent", cell=lambda row: name_of(visible(row.agent_name))),
        Column(title="calls", cell=lambda row: count(row.calls), numeric=True),
        Column(title="failures", cell=lambda row: count(row.failures), numeric=True),
        Column(title="p95", cell=lambda row: duration(row.p95_ms), numeric=True),
    ]
    whole = table(columns, shown, caption="Calls over time, newest first")
    if len(moments) > ROWS:
        whole += tag("p", f"The newest {ROWS} of {len(moments):,} rows.", class_="nothing")
    return whole


def bins_table(bins: Sequence[Bin]) -> Markup:
    """Return a table of a distribution."""
    columns: list[Column[Bin]] = [
        Column(title="from", cell=lambda row: duration(row.low_ms), numeric=True, heads_row=True),
        Column(title="to below", cell=lambda row: duration(row.high_ms), numeric=True),
        Column(title="calls", cell=lambda row: count(row.calls), numeric=True),
    ]
    return table(columns, bins, caption="Distribution of call durations")
