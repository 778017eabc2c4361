"""All runs: search them, order them, page through them, and open one."""

from dataclasses import dataclass, replace
from typing import Final

from markupsafe import Markup

from minerva_observability.dashboard.pages.page import Page
from minerva_observability.dashboard.server.site import Look
from minerva_observability.dashboard.widgets.markup import tag
from minerva_observability.dashboard.widgets.panels import Panel
from minerva_observability.dashboard.widgets.tables import run_table
from minerva_observability.dashboard.widgets.text import quantity
from minerva_observability.metrics.figures import RunPage
from minerva_observability.metrics.metrics import Metrics

PER_PAGE: Final = 50


@dataclass(frozen=True, slots=True)
class PageData:
    """What the page shows."""

    matches: RunPage
    page: int
    pages: int


class RunsPage(Page[PageData]):
    """The page about all runs that match the filters, newest or slowest first."""

    address_part = "runs"
    title = "Runs"
    has_search = True

    def ask(self, metrics: Metrics) -> PageData:
        """Return one page of the list of runs, as the address says."""
        page = self.view.page
        found = self._find(metrics, page)
        if not found.total and page > 1:
            page = 1
            found = self._find(metrics, page)
        pages = max(1, -(-found.total // PER_PAGE))
        return PageData(found, page, pages)

    def is_empty(self, data: PageData) -> bool:
        """True if no run matches."""
        return not data.matches.total

    def build(self) -> None:
        """Lay out the table."""
        self._runs = Panel("Runs", classes="w12 headless")

    def show(self, data: PageData, look: Look) -> None:
        """Fill the table with `data`."""
        first = (data.page - 1) * PER_PAGE + 1
        last = first + len(data.matches.runs) - 1
        told = f"{first:,} to {last:,} of {quantity(data.matches.total, 'run')}"
        bar = tag("div", tag("span", told), self._orders(), class_="list-bar")
        runs = run_table(data.matches.runs, self.site, look, caption=f"Runs, {told}")
        self._runs.show(bar + runs + self._leaf(data))

    def _find(self, metrics: Metrics, page: int) -> RunPage:
        return metrics.runs(
            search=self.view.search,
            order=self.view.order,
            limit=PER_PAGE,
            offset=(page - 1) * PER_PAGE,
        )

    def _orders(self) -> Markup:
        links = (
            tag(
                "a",
                f"{order} first",
                href=self.site.href("runs", self.view.but(order=order)),
                aria_current="true" if order == self.view.order else None,
            )
            for order in ("newest", "slowest")
        )
        return tag("div", *links, class_="switch", role="group", aria_label="Order")

    def _leaf(self, data: PageData) -> Markup:
        if data.pages == 1:
            return Markup()
        steps = {"‹ Previous": data.page - 1, "Next ›": data.page + 1}
        links = [
            tag("a", text, href=self.site.href("runs", replace(self.view, page=number)))
            if 1 <= number <= data.pages
            else tag("span", text, aria_disabled="true")
            for text, number in steps.items()
        ]
        where = tag("span", f"page {data.page:,} of {data.pages:,}")
        return tag("nav", links[0], where, links[1], class_="leaf", aria_label="Pages of runs")
