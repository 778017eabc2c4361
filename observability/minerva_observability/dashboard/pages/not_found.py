"""The page at an address that has no page."""

from minerva_observability.dashboard.pages.page import Crumb, Page
from minerva_observability.dashboard.server.site import Look
from minerva_observability.dashboard.widgets.markup import tag
from minerva_observability.dashboard.widgets.panels import Content
from minerva_observability.metrics.metrics import Metrics


class MissingPage(Page[None]):
    """Says that there is no page, and links to the overview."""

    address_part = "missing"
    title = "No such page"
    filters = ()
    has_range = False

    @property
    def crumbs(self) -> tuple[Crumb, ...]:
        """The way from the overview."""
        return (("Overview", self.site.href("")), (self.title, None))

    def ask(self, metrics: Metrics) -> None:
        """Ask nothing, because the page shows no figures."""
        del metrics

    def build(self) -> None:
        """Lay out the notice."""
        link = tag("a", "the overview", href=self.site.href(""))
        text = tag("p", "There is no page at this address. Go to ", link, ".")
        Content(tag("div", text, class_="notice calm"), classes="w12")

    def show(self, data: None, look: Look) -> None:
        """Show nothing more than the notice."""
        del data, look
