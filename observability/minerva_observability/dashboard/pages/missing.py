"""An address that leads to no page."""

from minerva_observability.dashboard.pages.page import Crumb, Page
from minerva_observability.dashboard.server.site import Look
from minerva_observability.dashboard.widgets.markup import tag
from minerva_observability.dashboard.widgets.panels import Content
from minerva_observability.metrics.metrics import Metrics


class MissingPage(Page[None]):
    """Says so, and how to go on."""

    address_part = "missing"
    title = "No such page"
    filters = ()
    has_range = False

    @property
    def crumbs(self) -> tuple[Crumb, ...]:
        """Return the way home."""
        return (("Overview", self.site.href("")), (self.title, None))

    def ask(self, metrics: Metrics) -> None:
        """Ask nothing."""
        del metrics

    def build(self) -> None:
        """Say it at once."""
        link = tag("a", "the overview", href=self.site.href(""))
        text = tag("p", "Nothing is at this address. Begin with ", link, ".")
        Content(tag("div", text, class_="notice calm"), classes="w12")

    def show(self, data: None, look: Look) -> None:
        """Show nothing more."""
        del data, look
