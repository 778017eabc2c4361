"""Failures with their causes, and what was done about each."""

from collections import Counter
from dataclasses import dataclass

from minerva_observability.dashboard.pages.page import Page
from minerva_observability.dashboard.server.site import Look
from minerva_observability.dashboard.widgets.charts import stacked_bars
from minerva_observability.dashboard.widgets.markup import tag
from minerva_observability.dashboard.widgets.panels import ChartPanel, Content, Panel
from minerva_observability.dashboard.widgets.tables import failure_table
from minerva_observability.dashboard.widgets.text import percent, quantity
from minerva_observability.metrics.figures import OLD_BYPASSES, FailureFigures, Totals
from minerva_observability.metrics.metrics import Metrics

BARS_SHOWN = 8
ROW_HEIGHT = 26
_PARTS = (
    ("bypassed", "bypassed", "warn"),
    ("substituted", "substituted", "strong"),
    ("skipped", "skipped", "accent"),
    ("left_out", "left out", "other"),
    ("stopped", "stopped", "bad"),
    ("retried", "retried", "calm"),
    (None, "its caller decided", "muted"),
)
"""Each action with its word on the page and its tone."""


def told_of(totals: Totals) -> str:
    """Return how many causes there were, how many runs had an answer, and which rows are old."""
    causes, old = quantity(totals.causes or 0, "cause"), totals.bypasses_of_schema_1
    answers = f"{totals.runs_answered:,} of {quantity(totals.runs_with_failure, 'run')} answered"
    return " · ".join((causes, answers, *([f"{old:,} {OLD_BYPASSES}"] if old else [])))


@dataclass(frozen=True, slots=True)
class PageData:
    """What the page shows."""

    totals: Totals
    failures: tuple[FailureFigures, ...]
    limit: int


class FailuresPage(Page[PageData]):
    """The page about failures by place and cause, the most frequent first."""

    address_part = "failures"
    title = "Failures"
    limit = 200

    def ask(self, metrics: Metrics) -> PageData:
        """Return the totals and the most frequent failures."""
        return PageData(metrics.totals(), metrics.failures(limit=self.limit), self.limit)

    def is_empty(self, data: PageData) -> bool:
        """True if nothing was recorded. If nothing failed, the page says so itself."""
        return not data.totals.runs and not data.totals.unfinished and not data.failures

    def build(self) -> None:
        """Lay out the totals, the chart and the table."""
        self._sums = Content(classes="panel question w4")
        self._chart = ChartPanel("What was done about them", classes="w8", height=200)
        self._table = Panel("By place and cause", note="Most frequent first", classes="w12")

    def show(self, data: PageData, look: Look) -> None:
        """Fill the panels with `data`."""
        totals, failures = data.totals, data.failures
        calls = totals.worker_calls
        part = f"{percent(totals.failures / calls)} of {quantity(calls, 'call')}" if calls else ""
        self._sums.show(
            tag("h2", "Failed calls of workers")
            + tag("p", f"{totals.failures:,}", class_="answer figure")
            + tag("p", part)
            + tag("p", tag("b", f"{totals.bypasses:,}"), " bypassed: the run went on without them")
            + tag("p", told_of(totals))
        )
        every = failure_table(failures, self.site, self.view, look, caption="Failures by cause")
        if len(failures) == data.limit:
            every += tag("p", f"The {data.limit} most frequent. Set filters to see others.")
        self._table.show(every)
        if not failures:
            self._chart.say("Nothing failed in this selection.")
            return
        counts: Counter[tuple[str, str | None]] = Counter()
        for row in failures:
            counts[row.agent_name, row.action] += row.count
        agents = Counter[str]()
        for (agent, _), number in counts.items():
            agents[agent] += number
        shown = [name for name, _ in agents.most_common(BARS_SHOWN)]
        parts = [
            (title, tone, [counts[name, action] for name in shown])
            for action, title, tone in _PARTS
            if any(counts[name, action] for name in shown)
        ]
        self._chart.show(
            stacked_bars(shown, parts, dark=look.dark),
            label=f"Bars of failures of {quantity(len(shown), 'agent')} by what was done.",
            table=every,
            height=max(140, 50 + ROW_HEIGHT * len(shown)),
        )
