"""Which agent is slow: its latency, the distribution of its calls, and the time in its nodes."""

from dataclasses import dataclass, replace

from minerva_observability.dashboard.pages.page import Page
from minerva_observability.dashboard.server.site import Look
from minerva_observability.dashboard.widgets.charts import bins_table, histogram, latency_bars
from minerva_observability.dashboard.widgets.panels import ChartPanel, Panel, nothing
from minerva_observability.dashboard.widgets.tables import agent_table, node_table, time_table
from minerva_observability.dashboard.widgets.text import quantity, visible
from minerva_observability.metrics.figures import Bin, Figures, TimePart
from minerva_observability.metrics.metrics import Metrics

BARS_SHOWN = 12
NODES_SHOWN = 40
ROW_HEIGHT = 34


@dataclass(frozen=True, slots=True)
class PageData:
    """What the page shows."""

    agents: tuple[Figures, ...]
    nodes: tuple[Figures, ...]
    agent: str | None = None
    """The agent whose distribution is shown."""
    bins: tuple[Bin, ...] = ()
    parts: tuple[TimePart, ...] = ()

    @property
    def slowest_first(self) -> list[Figures]:
        """The workers that were called, else the supervisors, the slowest on average first."""
        called = [row for row in self.agents if row.calls]
        workers = [row for row in called if row.is_worker]
        return sorted(workers or called, key=lambda row: -(row.mean_ms or 0))


class AgentsPage(Page[PageData]):
    """The page about all agents, or the one that the filter names."""

    address_part = "agents"
    title = "Agents"

    def ask(self, metrics: Metrics) -> PageData:
        """Return figures of agents and nodes, and a distribution.

        It is that of the agent that the filter names, else of the slowest worker.
        """
        agents = metrics.figures("agent")
        data = PageData(agents, metrics.figures("node"))
        slowest = data.slowest_first[0].name if data.slowest_first else None
        agent = self.view.agent or slowest
        if agent is None:
            return data
        parts = metrics.time_parts(agent)
        return replace(data, agent=agent, bins=metrics.distribution(agent), parts=parts)

    def is_empty(self, data: PageData) -> bool:
        """True if there is no agent."""
        return not data.agents

    def build(self) -> None:
        """Lay out the latency, the distribution and the tables."""
        self._latency = ChartPanel(
            "Latency of workers",
            note="p50, p95 and p99 of calls, slowest on average first",
            classes="w7",
        )
        self._bins = ChartPanel("Distribution", note="How many calls took how long", classes="w5")
        self._parts = Panel("Where its time goes", classes="w12")
        self._agents = Panel("All agents", note="Most self time first", classes="w12")
        self._nodes = Panel("Nodes", note="Most self time first", classes="w12")

    def show(self, data: PageData, look: Look) -> None:
        """Fill the panels with `data`."""
        shown = data.slowest_first[:BARS_SHOWN]
        height = max(180, 50 + ROW_HEIGHT * len(shown))
        if shown:
            self._latency.show(
                latency_bars(shown, dark=look.dark),
                label=f"Bars of p50, p95 and p99 of {quantity(len(shown), 'agent')}.",
                table=agent_table(shown, self.site, self.view, caption="Latency of agents"),
                height=height,
            )
        else:
            self._latency.say("No call ended in this selection.")
        self._show_distribution(data, look, height=height)
        self._parts.show(time_table(data.parts, data.agent or ""))
        self._agents.show(agent_table(data.agents, self.site, self.view, caption="All agents"))
        nodes = data.nodes[:NODES_SHOWN]
        table = node_table(nodes, self.site, self.view, caption="Nodes of agents")
        if len(nodes) < len(data.nodes):
            table += nothing(f"{NODES_SHOWN} of {len(data.nodes):,} nodes; choose a team or agent.")
        self._nodes.show(table)

    def _show_distribution(self, data: PageData, look: Look, *, height: int) -> None:
        if data.agent is None or not data.bins:
            self._bins.say("No call ended in this selection.")
            return
        name = visible(data.agent)
        calls = quantity(sum(each.calls for each in data.bins), "call")
        self._bins.show(
            histogram(data.bins, dark=look.dark),
            label=f"Histogram of {calls} of {name} by duration.",
            table=bins_table(data.bins),
            height=height,
        )
        whose = "the slowest worker; choose another above" if not self.view.agent else "chosen"
        self._bins.note(f"{calls} of {name} ({whose})")
