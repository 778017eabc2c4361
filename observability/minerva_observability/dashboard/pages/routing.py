"""What routing costs: decisions and milliseconds per run, for each supervisor and each arm."""

from dataclasses import dataclass

from markupsafe import Markup

from minerva_observability.dashboard.pages.page import Page
from minerva_observability.dashboard.server.site import Look
from minerva_observability.dashboard.widgets.charts import stacked_bars
from minerva_observability.dashboard.widgets.markup import Column, figure, name_of, table, tag
from minerva_observability.dashboard.widgets.panels import ChartPanel, Content, Panel
from minerva_observability.dashboard.widgets.tables import share, trouble
from minerva_observability.dashboard.widgets.text import (
    NOTHING,
    count,
    duration,
    money,
    percent,
    quantity,
    rate,
    visible,
)
from minerva_observability.metrics.figures import Figures, Totals
from minerva_observability.metrics.metrics import Metrics

ROW_HEIGHT = 30


@dataclass(frozen=True, slots=True)
class PageData:
    """What the page shows."""

    totals: Totals
    supervisors: tuple[Figures, ...]
    arms: tuple[Figures, ...]


class RoutingPage(Page[PageData]):
    """The page about decisions, which routers make for supervisors."""

    address_part = "routing"
    title = "Routing"

    def ask(self, metrics: Metrics) -> PageData:
        """Return the totals, the supervisors that asked a router, and the arms."""
        agents = [row for row in metrics.figures("agent") if row.routing_calls]
        return PageData(
            totals=metrics.totals(),
            supervisors=tuple(sorted(agents, key=lambda row: -row.routing_ms)),
            arms=metrics.figures("arm"),
        )

    def is_empty(self, data: PageData) -> bool:
        """True if no supervisor asked a router."""
        return not data.totals.routing_calls

    def build(self) -> None:
        """Lay out the totals, the supervisors and the arms."""
        self._calls = Content(classes="panel question w3")
        self._ms = Content(classes="panel question w3")
        self._share = Content(classes="panel question w3")
        self._mean = Content(classes="panel question w3")
        self._chart = ChartPanel(
            "Time in routers", note="All decisions of each supervisor together", classes="w5"
        )
        self._table = Panel("Supervisors", note="Most routing time first", classes="w7")
        self._arms = Panel(
            "Arms side by side", note="Runs in which an arm of a trial decided", classes="w12"
        )
        self._arms.appear(visible=False)

    def show(self, data: PageData, look: Look) -> None:
        """Fill the panels with `data`."""
        totals = data.totals
        mean = totals.routing_ms / totals.routing_calls if totals.routing_calls else None
        sums = (
            (self._calls, "Decisions per run", rate(totals.routing_calls_per_run)),
            (self._ms, "Time per run", duration(totals.routing_ms_per_run)),
            (self._share, "Part of the runs' time", percent(totals.routing_share)),
            (self._mean, "Time per decision", duration(mean)),
        )
        words = (
            f"{quantity(totals.routing_calls, 'decision')} in {quantity(totals.runs, 'run')}",
            f"{duration(totals.routing_ms)} in total · {quantity(totals.routing_tokens, 'token')}"
            f" · {money(totals.routing_cost, totals.routing_unpriced_calls)}",
            f"of {duration(totals.run_ms)}",
            "on average",
        )
        for (panel, title, text), word in zip(sums, words, strict=True):
            panel.show(tag("h2", title) + tag("p", text, class_="answer figure") + tag("p", word))
        supervisors = self._supervisors(data)
        self._table.show(supervisors)
        self._chart.show(
            stacked_bars(
                [row.name for row in data.supervisors],
                (("routing", "strong", [row.routing_ms for row in data.supervisors]),),
                dark=look.dark,
                durations=True,
            ),
            label=f"Bars of the time in routers of {quantity(len(data.supervisors), 'agent')}.",
            table=supervisors,
            height=max(160, 50 + ROW_HEIGHT * len(data.supervisors)),
        )
        self._arms.show(_arms(data.arms))
        self._arms.appear(visible=bool(data.arms))

    def _supervisors(self, data: PageData) -> Markup:
        whole = data.totals.routing_ms or 1
        columns: list[Column[Figures]] = [
            Column("supervisor", lambda row: self.site.agent(row.name, self.view), heads_row=True),
            figure("visits", lambda row: count(row.calls)),
            figure("decisions", lambda row: count(row.routing_calls)),
            figure("per decision", lambda row: duration(row.routing_ms / row.routing_calls)),
            figure("routing", lambda row: duration(row.routing_ms)),
            figure("tokens", lambda row: count(row.routing_tokens)),
            figure("cost", lambda row: money(row.routing_cost, row.routing_unpriced_calls)),
            figure("of all", lambda row: share(row.routing_ms / whole)),
        ]
        return table(columns, data.supervisors, caption="What each supervisor's routing costs")


def _arms(arms: tuple[Figures, ...]) -> Markup:
    columns: list[Column[Figures]] = [
        Column("arm", lambda row: name_of(visible(row.name)), heads_row=True),
        figure("runs", lambda row: count(row.calls)),
        figure("failed runs", lambda row: tag("span", trouble(row.failures, "bad"), _part(row))),
        figure("bypassed", lambda row: trouble(row.bypasses, "warn")),
        figure("run p50", lambda row: duration(row.p50_ms)),
        figure("run p95", lambda row: duration(row.p95_ms)),
        figure(
            "decisions per run",
            lambda row: rate(row.routing_calls / row.calls if row.calls else None),
        ),
        figure(
            "routing per run",
            lambda row: duration(row.routing_ms / row.calls if row.calls else None),
        ),
        figure("tokens per run", _tokens),
        figure(
            "cost per run",
            lambda row: money(
                row.cost / row.calls if row.cost is not None and row.calls else None,
                row.unpriced_calls,
            ),
        ),
    ]
    return table(columns, arms, caption="Arms of routing trials side by side")


def _part(row: Figures) -> str:
    return f" ({percent(row.failures / row.calls)})" if row.failures and row.calls else ""


def _tokens(row: Figures) -> str:
    tokens = row.prompt_tokens + row.completion_tokens
    return count(tokens / row.calls) if tokens and row.calls else NOTHING
