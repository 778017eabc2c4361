"""One team alone, for the people who own it."""

from dataclasses import dataclass, replace
from datetime import datetime

from markupsafe import Markup

from minerva_observability.dashboard.pages.page import Crumb, Page
from minerva_observability.dashboard.server.address import FILTERS, View, path_segment
from minerva_observability.dashboard.server.site import Look, Site
from minerva_observability.dashboard.widgets.charts import latency_bars
from minerva_observability.dashboard.widgets.markup import definition
from minerva_observability.dashboard.widgets.panels import ChartPanel, Panel
from minerva_observability.dashboard.widgets.tables import (
    agent_table,
    failure_table,
    node_table,
    run_table,
)
from minerva_observability.dashboard.widgets.text import count, duration, percent, quantity, rate
from minerva_observability.metrics.figures import FailureFigures, Figures, RunPage, Totals
from minerva_observability.metrics.metrics import Metrics
from minerva_observability.metrics.span_filter import SpanFilter

RUNS_SHOWN = 15
ROW_HEIGHT = 34


@dataclass(frozen=True, slots=True)
class PageData:
    """What the page shows; every figure is of the team alone."""

    totals: Totals
    whole: tuple[Figures, ...]
    agents: tuple[Figures, ...]
    nodes: tuple[Figures, ...]
    failures: tuple[FailureFigures, ...]
    runs: RunPage


class TeamPage(Page[PageData]):
    """The page about one team: its workers, nodes and failures, and the runs it took part in."""

    address_part = "teams"
    filters = FILTERS[1:]

    def __init__(self, site: Site, view: View, name: str) -> None:
        super().__init__(site, view)
        self.name = name
        self.title = name
        self.lead = "All figures are of this team alone."

    @property
    def path(self) -> str:
        """The page's path below the dashboard's prefix."""
        return f"teams/{path_segment(self.name)}"

    @property
    def crumbs(self) -> tuple[Crumb, ...]:
        """The way from the overview to the team."""
        home = self.site.href("", self.view.for_other_page())
        return (("Overview", home), ("Teams", None), (self.name, None))

    def where(self, now: datetime) -> SpanFilter:
        """Return the filter of the address, always for this team."""
        return replace(super().where(now), team=self.name)

    def ask(self, metrics: Metrics) -> PageData:
        """Return the team's figures, failures and newest runs."""
        return PageData(
            totals=metrics.totals(),
            whole=metrics.figures("team"),
            agents=metrics.figures("agent"),
            nodes=metrics.figures("node"),
            failures=metrics.failures(),
            runs=metrics.runs(limit=RUNS_SHOWN),
        )

    def is_empty(self, data: PageData) -> bool:
        """True if no agent of the team ran."""
        return not data.agents

    def build(self) -> None:
        """Lay out the panels, still empty."""
        self._sums = Panel("Totals", classes="w12 headless")
        self._latency = ChartPanel(
            "Latency of its workers", note="p50, p95 and p99 of calls", classes="w12"
        )
        self._agents = Panel("Agents", classes="w12")
        self._nodes = Panel("Nodes", note="Most self time first", classes="w12")
        self._failures = Panel("Failures", classes="w12")
        self._runs = Panel("Runs it took part in", classes="w12")

    def show(self, data: PageData, look: Look) -> None:
        """Fill the panels with `data`."""
        self._sums.show(_sums(data))
        workers = [row for row in data.agents if row.is_worker and row.calls]
        if workers:
            self._latency.show(
                latency_bars(workers, dark=look.dark),
                label=f"Bars of p50, p95 and p99 of {quantity(len(workers), 'worker')}.",
                table=agent_table(workers, self.site, self.view, caption="Latency of workers"),
                height=max(160, 50 + ROW_HEIGHT * len(workers)),
            )
        else:
            self._latency.say("None of its workers was called.")
        self._agents.show(agent_table(data.agents, self.site, self.view, caption="Agents"))
        self._nodes.show(node_table(data.nodes, self.site, self.view, caption="Nodes"))
        self._failures.show(
            failure_table(data.failures, self.site, self.view, look, caption="Failures")
        )
        own = self.view.for_other_page().but(team=self.name)
        link = self.site.all_runs(data.runs.total, own)
        self._runs.show(run_table(data.runs.runs, self.site, look, caption="Runs") + link)


def _sums(data: PageData) -> Markup:
    totals = data.totals
    [team] = data.whole or (None,)
    calls = totals.worker_calls
    part = percent(totals.failures / calls) if calls else "–"
    pairs = {
        "Runs": count(data.runs.total),
        "Visits": count(team.calls if team else 0),
        "Visit, p50": duration(team.p50_ms if team else None),
        "Visit, p95": duration(team.p95_ms if team else None),
        "Calls of workers": count(calls),
        "Failed calls": f"{count(totals.failures)} · {part}",
        "Bypassed": count(totals.bypasses),
        "Decisions per visit": rate(
            totals.routing_calls / team.calls if team and team.calls else None
        ),
    }
    return definition(pairs, classes="sums")
