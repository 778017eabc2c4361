"""The first page: the four questions of a person on call, answered in words and numbers."""

from dataclasses import dataclass

from markupsafe import Markup

from minerva_observability.dashboard.pages.failures import told_of
from minerva_observability.dashboard.pages.page import Page
from minerva_observability.dashboard.server.address import fitting_bucket
from minerva_observability.dashboard.server.site import Look
from minerva_observability.dashboard.widgets.charts import (
    calls_over_time,
    latency_bars,
    moments_table,
)
from minerva_observability.dashboard.widgets.markup import (
    Column,
    definition,
    join,
    name_of,
    table,
    tag,
)
from minerva_observability.dashboard.widgets.panels import ChartPanel, Content, Panel
from minerva_observability.dashboard.widgets.status import share_bar, sign_of
from minerva_observability.dashboard.widgets.tables import latency_columns, run_table
from minerva_observability.dashboard.widgets.text import (
    count,
    duration,
    money,
    percent,
    quantity,
    rate,
    visible,
)
from minerva_observability.metrics.figures import Bucket, Figures, Moment, Overview, RunPage, Totals
from minerva_observability.metrics.metrics import Metrics

SLOWEST_SHOWN = 8
RUNS_SHOWN = 8
CAUSES_SHOWN = 2


@dataclass(frozen=True, slots=True)
class PageData:
    """What the page shows."""

    overview: Overview
    workers: tuple[Figures, ...]
    moments: tuple[Moment, ...]
    bucket: Bucket
    runs: RunPage


class OverviewPage(Page[PageData]):
    """The page with the four answers, then the totals, the calls over time and the newest runs."""

    address_part = ""
    title = "Overview"

    def ask(self, metrics: Metrics) -> PageData:
        """Return the four answers, the workers, their calls over time, and the newest runs."""
        overview = metrics.overview()
        totals = overview.totals
        bucket = fitting_bucket(totals.first_at, totals.last_at)
        workers = [row for row in metrics.figures("agent") if row.is_worker and row.calls]
        names = {row.name for row in workers}
        return PageData(
            overview=overview,
            workers=tuple(sorted(workers, key=lambda row: -(row.mean_ms or 0))),
            moments=tuple(
                each for each in metrics.calls_over_time(bucket) if each.agent_name in names
            ),
            bucket=bucket,
            runs=metrics.runs(limit=RUNS_SHOWN),
        )

    def is_empty(self, data: PageData) -> bool:
        """True if no run ended and none began."""
        totals = data.overview.totals
        return not totals.runs and not totals.unfinished

    def build(self) -> None:
        """Lay out the four answers, the totals, the charts and the newest runs."""
        self._slowest = Content(classes="panel question w3")
        self._most = Content(classes="panel question w3")
        self._routing = Content(classes="panel question w3")
        self._bypasses = Content(classes="panel question w3")
        self._statuses = Panel("Runs", classes="w5")
        self._sums = Panel("Totals", classes="w7")
        self._over_time = ChartPanel("Calls of workers over time", classes="w7", height=246)
        self._latency = ChartPanel(
            "Slowest workers", note="p50, p95 and p99 of their calls", classes="w5", height=230
        )
        self._runs = Panel("Newest runs", classes="w12")

    def show(self, data: PageData, look: Look) -> None:
        """Fill the panels with `data`."""
        totals = data.overview.totals
        self._slowest.show(self._slowest_answer(data.overview.slowest))
        self._most.show(self._most_called_answer(data.overview))
        self._routing.show(self._routing_answer(totals))
        self._bypasses.show(self._bypassed_answer(data.overview))
        self._statuses.show(_run_statuses(totals))
        self._sums.show(_sums(totals))
        slowest = data.workers[:SLOWEST_SHOWN]
        if slowest:
            self._latency.show(
                latency_bars(slowest, dark=look.dark),
                label=f"Bars of p50, p95 and p99 of {quantity(len(slowest), 'worker')}, "
                "slowest on average first.",
                table=_latency_table(slowest),
            )
        else:
            self._latency.say("No worker was called.")
        if data.moments:
            self._over_time.show(
                calls_over_time(data.moments, bucket=data.bucket, dark=look.dark),
                label=f"Columns of calls per agent and {data.bucket}.",
                table=moments_table(data.moments, look),
            )
        else:
            self._over_time.say("No worker was called.")
        recent = run_table(data.runs.runs, self.site, look, caption="Newest runs", brief=True)
        every = self.site.all_runs(data.runs.total, self.view.for_other_page())
        self._runs.show(recent + every)

    def _slowest_answer(self, slowest: Figures | None) -> Markup:
        question = "Which worker is slowest on average?"
        if slowest is None:
            return _answer(question, Markup("none"), "no worker was called")
        return _answer(
            question,
            self.site.agent(slowest.name, self.view),
            tag("b", duration(slowest.mean_ms)) + " on average",
            f"p95 {duration(slowest.p95_ms)} · {quantity(slowest.calls, 'call')}",
        )

    def _most_called_answer(self, overview: Overview) -> Markup:
        question = "Which worker is called most often?"
        most = overview.most_called
        if most is None:
            return _answer(question, Markup("none"), "no worker was called")
        whole = overview.totals.worker_calls
        part = f"{percent(most.calls / whole)} of {count(whole)} calls of workers" if whole else ""
        return _answer(
            question,
            self.site.agent(most.name, self.view),
            tag("b", quantity(most.calls, "call")),
            part,
        )

    def _routing_answer(self, totals: Totals) -> Markup:
        link = tag(
            "a",
            f"{rate(totals.routing_calls_per_run)} per run",
            href=self.site.href("routing", self.view.for_other_page()),
        )
        return _answer(
            "How often do supervisors route?",
            link,
            tag("b", duration(totals.routing_ms_per_run)) + " a run",
            f"{percent(totals.routing_share)} of the runs' time · "
            f"{quantity(totals.routing_calls, 'decision')}",
        )

    def _bypassed_answer(self, overview: Overview) -> Markup:
        number = sum(row.count for row in overview.bypassed)
        link = tag(
            "a",
            quantity(number, "failure") if number else "none",
            href=self.site.href("failures", self.view.for_other_page()),
        )
        question = "Which failures were bypassed, and how?"
        if not number:
            failed = overview.totals.failures
            told = f"{quantity(failed, 'call')} of workers failed" if failed else "nothing failed"
            return _answer(question, link, told)
        lines = [
            join(
                (
                    name_of(visible(row.agent_name, limit=30)),
                    f" {sign_of(row.action).word} {row.count:,}× in {quantity(row.runs, 'run')} ",
                    tag("small", name_of(visible(row.error_type or "", limit=30))),
                )
            )
            for row in overview.bypassed[:CAUSES_SHOWN]
        ]
        return _answer(question, link, *lines, told_of(overview.totals))


def _answer(question: str, data: Markup, *words: str) -> Markup:
    told = (tag("p", line) for line in words if line)
    return tag("h2", question) + tag("p", data, class_="answer") + join(told)


def _run_statuses(totals: Totals) -> Markup:
    counts: dict[str | None, int] = dict(totals.statuses.items())
    if totals.unfinished:
        counts[None] = totals.unfinished
    told = ", ".join(f"{number} {sign_of(name).word}" for name, number in counts.items())
    number = tag("p", tag("b", count(totals.runs + totals.unfinished)), " runs", class_="big")
    return number + share_bar(counts, label=f"Runs by how they ended: {told}")


def _sums(totals: Totals) -> Markup:
    waiting = totals.statuses.get("needs_human", 0)
    pairs = {
        "Run, p50": duration(totals.run_p50_ms),
        "Run, p95": duration(totals.run_p95_ms),
        "Calls of workers": count(totals.worker_calls),
        "Failed calls": count(totals.failures),
    }
    if waiting or totals.waited_ms:
        pairs["Waiting for people"] = _waiting(waiting, totals.waited_ms)
    if tokens := totals.prompt_tokens + totals.completion_tokens:
        pairs["Tokens"] = count(tokens)
    if totals.cost is not None or totals.unpriced_calls:
        pairs["Cost"] = money(totals.cost, totals.unpriced_calls)
    return definition(pairs, classes="sums")


def _waiting(waiting: int, waited_ms: float) -> str:
    told = duration(waited_ms) if waited_ms else "none"
    return f"{told} · {waiting} open" if waiting else told


def _latency_table(rows: tuple[Figures, ...]) -> Markup:
    columns: list[Column[Figures]] = [
        Column("agent", lambda row: name_of(visible(row.name)), heads_row=True),
        *latency_columns()[:4],  # without the slowest call
    ]
    return table(columns, rows, caption="Latency of the slowest workers")
