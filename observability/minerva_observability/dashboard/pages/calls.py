"""How often each agent is called, and how often it failed, over time."""

from dataclasses import dataclass

from minerva_observability.dashboard.pages.page import Page
from minerva_observability.dashboard.server.address import fitting_bucket
from minerva_observability.dashboard.server.site import Look
from minerva_observability.dashboard.widgets.charts import (
    calls_over_time,
    moments_table,
    stacked_bars,
)
from minerva_observability.dashboard.widgets.markup import Column, figure, table
from minerva_observability.dashboard.widgets.panels import ChartPanel, Panel
from minerva_observability.dashboard.widgets.tables import share, trouble_columns
from minerva_observability.dashboard.widgets.text import count, quantity, rate
from minerva_observability.metrics.figures import Bucket, Figures, Moment, Totals
from minerva_observability.metrics.metrics import Metrics

BARS_SHOWN = 12
ROW_HEIGHT = 24


@dataclass(frozen=True, slots=True)
class PageData:
    """What the page shows."""

    totals: Totals
    agents: tuple[Figures, ...]
    """The agents that were called, the most often called first."""
    moments: tuple[Moment, ...]
    bucket: Bucket


class CallsPage(Page[PageData]):
    """The page about calls of each agent by minute, hour or day."""

    address_part = "calls"
    title = "Calls"

    def ask(self, metrics: Metrics) -> PageData:
        """Return the calls of all agents, including supervisors."""
        totals = metrics.totals()
        bucket = self.view.bucket or fitting_bucket(totals.first_at, totals.last_at)
        agents = [row for row in metrics.figures("agent") if row.calls]
        return PageData(
            totals=totals,
            agents=tuple(sorted(agents, key=lambda row: (-row.calls, row.name))),
            moments=metrics.calls_over_time(bucket),
            bucket=bucket,
        )

    def is_empty(self, data: PageData) -> bool:
        """True if no agent was called."""
        return not data.agents

    def build(self) -> None:
        """Lay out the calls and failures over time, and the agents."""
        self._calls = ChartPanel("Calls over time", classes="w12", height=300)
        self._failures = ChartPanel("Failed calls over time", classes="w6", height=320)
        self._agents = ChartPanel("Calls per agent", classes="w6", height=240)
        self._table = Panel("All agents", note="Most calls first", classes="w12")

    def show(self, data: PageData, look: Look) -> None:
        """Fill the panels with `data`."""
        told = f"per agent and {data.bucket}"
        figures = moments_table(data.moments, look)
        if data.moments:
            self._calls.show(
                calls_over_time(data.moments, bucket=data.bucket, dark=look.dark),
                label=f"Columns of calls {told}.",
                table=figures,
            )
            self._calls.note(f"By the {data.bucket}, busiest agents first")
        else:
            self._calls.say("No call in this selection has a time.")
        failed = [each for each in data.moments if each.failures]
        if failed:
            self._failures.show(
                calls_over_time(failed, bucket=data.bucket, dark=look.dark, failures=True),
                label=f"Columns of failed calls {told}.",
                table=moments_table(failed, look),
            )
        else:
            self._failures.say("No call failed in this selection.")
        self._show_agents(data, look)

    def _show_agents(self, data: PageData, look: Look) -> None:
        shown = data.agents[:BARS_SHOWN]
        whole = sum(row.calls for row in data.agents) or 1
        runs = data.totals.runs + data.totals.unfinished
        columns: list[Column[Figures]] = [
            Column("agent", lambda row: self.site.agent(row.name, self.view), heads_row=True),
            Column("team", lambda row: self.site.team(row.team, self.view)),
            Column("type", lambda row: "worker" if row.is_worker else "supervisor"),
            figure("calls", lambda row: count(row.calls)),
            figure("per run", lambda row: rate(row.calls / runs if runs else None)),
            figure("of all calls", lambda row: share(row.calls / whole)),
            *trouble_columns(),
        ]
        every = table(columns, data.agents, caption="Calls of all agents")
        self._table.show(every)
        ok = [row.calls - row.failures for row in shown]
        bad = [row.failures for row in shown]
        self._agents.show(
            stacked_bars(
                [row.name for row in shown],
                (("ok", "accent", ok), ("failed", "bad", bad)),
                dark=look.dark,
            ),
            label=f"Bars of calls of {quantity(len(shown), 'agent')}, failed ones apart.",
            table=every,
            height=max(160, 50 + ROW_HEIGHT * len(shown)),
        )
