"""One run with all its spans, for a person who looks for the cause of a problem."""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any, ClassVar

from markupsafe import Markup

from minerva_observability.dashboard.pages.page import Crumb, Page
from minerva_observability.dashboard.server.address import View, path_segment
from minerva_observability.dashboard.server.site import Look, Site
from minerva_observability.dashboard.widgets.decisions import decision_table
from minerva_observability.dashboard.widgets.markup import definition, join, name_of, tag
from minerva_observability.dashboard.widgets.panels import Panel
from minerva_observability.dashboard.widgets.span_tree import build_timeline
from minerva_observability.dashboard.widgets.status import badge
from minerva_observability.dashboard.widgets.text import count, duration, money, quantity, visible
from minerva_observability.dashboard.widgets.waterfall import waterfall
from minerva_observability.metrics.metrics import Metrics
from minerva_observability.records.record import RecordRow
from minerva_observability.records.runs import RunRows, find_run

CANDIDATES_SHOWN = 20
SHORT = 12


class OneRunPage(Page[RunRows]):
    """The page about one run, found by its id or by the beginning of its id."""

    address_part = "runs"
    filters: ClassVar[tuple[str, ...]] = ()
    has_range = False

    def __init__(self, site: Site, view: View, run_id: str) -> None:
        super().__init__(site, view)
        self.run_id = run_id
        self.title = f"Run {run_id[:SHORT]}"

    @property
    def path(self) -> str:
        """The page's path below the dashboard's prefix."""
        return f"runs/{path_segment(self.run_id)}"

    @property
    def crumbs(self) -> tuple[Crumb, ...]:
        """The way from the overview to the run."""
        return (
            ("Overview", self.site.href("")),
            ("Runs", self.site.href("runs")),
            (self.run_id[:SHORT], None),
        )

    @property
    def key(self) -> Hashable:
        """The name of the question, which does not depend on filters."""
        return "run", self.run_id

    def ask(self, metrics: Metrics) -> RunRows:
        """Return the rows of the run."""
        return find_run(metrics.store.source, self.run_id)

    def build(self) -> None:
        """Lay out the facts of the run, its waterfall and its decisions."""
        self._facts = Panel("The run", classes="w12 headless")
        self._spans = Panel("Waterfall", note="No child ran in the self time", classes="w12")
        self._decisions = Panel(
            "Routing decisions", note="The chosen members, with all scores", classes="w12"
        )

    def show(self, data: RunRows, look: Look) -> None:
        """Fill the panels; show a notice if no run or more than one run matches."""
        if data.run_id is None:
            self._facts.show(self._not_found(data))
            self._spans.show(Markup())
            self._decisions.show(Markup())
            return
        self._facts.show(self._facts_of(data.rows, look))
        self._spans.show(waterfall(build_timeline(data.rows)))
        self._decisions.show(decision_table(data.rows))

    def _facts_of(self, rows: tuple[RecordRow, ...], look: Look) -> Markup:
        run = next((row for row in reversed(rows) if row["kind"] == "run"), None)
        status = run["status"] if run else None
        reason = visible(run.get("reason") or "") if run else ""
        tokens = sum(row.get("prompt_tokens", 0) + row.get("completion_tokens", 0) for row in rows)
        costs = [row["cost"] for row in rows if "cost" in row]
        waited = sum(row.get("waited_ms", 0.0) for row in rows)
        thread = next((row["thread_id"] for row in rows if "thread_id" in row), None)
        resumed = max((row.get("resume_no", 0) for row in rows), default=0)
        pairs: dict[str, str] = {
            "Status": badge(status, more=reason),
            "Time": duration(sum(row["ms"] for row in rows if row["kind"] == "run") or None),
            "Ended": self._end_of(run, look),
            "Spans": count(len(rows)),
            "Run": tag("code", visible(rows[0]["run_id"]), class_="id"),
        }
        if thread:
            runs = self.site.href("runs", View(thread=thread))
            pairs["Thread"] = tag("a", name_of(visible(thread, limit=36)), href=runs)
        pairs.update(_origin_of(run or {}))
        if waited:
            pairs["Waiting for people"] = duration(waited)
        pairs |= _waits_of(rows)
        for title, key in (("Started by", "started_by"), ("Started", "background")):
            if ids := dict.fromkeys(str(each) for row in rows if (each := row.get(key))):
                pairs[title] = Markup(" ").join(self.site.run(each) for each in ids)
        if resumed:
            pairs["Resumed"] = quantity(resumed, "time")
        if tokens:
            pairs["Tokens"] = count(tokens)
        if costs:
            pairs["Cost"] = money(sum(costs))
        return tag("div", definition(pairs), class_="facts")

    def _end_of(self, run: RecordRow | None, look: Look) -> str:
        if run is None or "timestamp" not in run:
            return "it goes on, or its process was killed"
        try:
            time = datetime.fromisoformat(run["timestamp"])
        except ValueError:
            return visible(run["timestamp"])
        return look.time(time)

    def _not_found(self, data: RunRows) -> Markup:
        if not data.candidates:
            told = tag("p", "No run ", tag("code", visible(self.run_id)), " is recorded.")
            hint = tag("p", tag("a", "List all runs", href=self.site.href("runs")))
            return tag("div", tag("h2", "No such run"), told, hint, class_="notice calm")
        shown = data.candidates[:CANDIDATES_SHOWN]
        items = join(tag("li", self.site.run(name, text=name)) for name in shown)
        number = f"{quantity(len(data.candidates), 'run')} begin with this. Choose one:"
        title = tag("h2", "More than one run")
        return tag("div", title, tag("p", number), tag("ul", items), class_="notice calm")


def _origin_of(run: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield what did the run, and whose trace it is in, as far as its row says."""
    if "versions" in run:
        yield "Versions", visible(", ".join(run["versions"].values()))
    if "host" in run:
        yield "Process", visible(f"{run.get('pid')} at {run['host']}")
    if "traceparent" in run:
        yield "Trace", tag("code", visible(run["traceparent"].split("-")[1]), class_="id")


def _waits_of(rows: Iterable[RecordRow]) -> dict[str, str]:
    """Return how long was waited for what, but for persons."""
    waits = defaultdict[str, float](float)
    for row in rows:
        if row["kind"] == "wait" and (reason := row.get("reason", "")) != "person":
            waits[f"Waiting ({visible(reason)})"] += row["ms"]
    return {title: duration(ms) for title, ms in waits.items()}
