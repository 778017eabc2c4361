"""The frame of every page: navigation, heading, buttons, filters, and the state of the records."""

from collections.abc import Callable
from importlib.metadata import version
from typing import Any, Final

from markupsafe import Markup
from nicegui import ui

from minerva_observability.dashboard.pages.page import Crumb, Page
from minerva_observability.dashboard.server.address import View
from minerva_observability.dashboard.server.shared_metrics import State
from minerva_observability.dashboard.server.site import NAVIGATION, Look, Site
from minerva_observability.dashboard.widgets.markup import join, tag
from minerva_observability.dashboard.widgets.panels import Content
from minerva_observability.dashboard.widgets.text import quantity, visible
from minerva_observability.metrics.metrics import Metrics
from minerva_observability.metrics.span_store import SourceSummary

VERSION: Final = version("minerva-observability")
TEAMS_SHOWN: Final = 30

_MARK: Final = Markup(
    '<svg viewBox="0 0 24 24" width="22" height="22" aria-hidden="true">'
    '<path d="M12 2 3 7v10l9 5 9-5V7z" fill="none" stroke="currentColor" stroke-width="1.8"/>'
    '<path d="M12 7v10M7.5 9.7v4.6M16.5 9.7v4.6" stroke="currentColor" stroke-width="1.8"'
    ' stroke-linecap="round"/></svg>'
)
_LIVE: Final = tag("i", "●", aria_hidden="true") + tag("span", "Live")
_PAUSED: Final = tag("i", "‖", aria_hidden="true") + tag("span", "Paused")
_MAX_CAUSES: Final = 4


class Frame:
    """The frame around one client's page. `toggle` pauses and resumes live updates."""

    def __init__(self, page: Page[Any], *, toggle: Callable[[], None]) -> None:
        self._page = page
        self._site: Site = page.site
        Content(tag("a", "Skip to content", href="#content", class_="skip"), classes="skip-holder")
        with ui.element("aside").classes("side"), ui.element("div").classes("side-inner"):
            Content(self._brand(), classes="brand")
            with ui.element("nav").props('aria-label="Pages"'):
                self._pages = Content(Markup(), classes="pages")
                self._teams = Content(Markup(), classes="teams")
        with ui.element("div").classes("content").props("id=content tabindex=-1"):
            with ui.element("header").classes("top"):
                Content(self._heading(), classes="heading")
                with ui.element("div").classes("actions"):
                    self._live = ui.element("button").props("type=button aria-pressed=true")
                    self._live.classes("live").on("click", toggle, args=[])
                    self._live.props["title"] = "New records show by themselves; click to pause"
                    with self._live:
                        self._live_text = Content(_LIVE, kind="span")
                    look = ui.element("button").props("type=button").classes("look")
                    look.props["aria-label"] = "Switch between dark and light"
                    look.props["title"] = "Dark or light"
                    look.on("click", js_handler="() => minerva.switchLook()")
                    with look:
                        Content(tag("i", "◐", aria_hidden="true"), kind="span")
            self.filters = ui.element("div").classes("filter-holder")
            self._notice = Content(Markup(), classes="notice-holder")
            self._notice.tell(role="status")
            self.body = ui.element("div").classes("panels")
            self._foot = Content(Markup(), kind="footer", classes="foot")
        self.show_navigation(page.view, ())

    def show_navigation(self, view: View, teams: tuple[str, ...]) -> None:
        """Show the links to pages and teams; they keep the filters of `view`."""
        kept = view.for_other_page()
        self._pages.show(
            tag("ul", *(self._entry(path, name, kept) for path, name in NAVIGATION.items()))
        )
        if not teams:
            self._teams.show(Markup())
            return
        links = [tag("li", self._team(name, kept)) for name in teams[:TEAMS_SHOWN]]
        if len(teams) > TEAMS_SHOWN:
            links.append(tag("li", f"and {len(teams) - TEAMS_SHOWN} more"))
        self._teams.show(tag("h2", "Teams") + tag("ul", *links))

    def show_live(self, *, is_live: bool) -> None:
        """Show on the button whether new records appear by themselves."""
        self._live_text.show(_LIVE if is_live else _PAUSED)
        self._live.props["aria-pressed"] = "true" if is_live else "false"

    def show_state(self, state: State, summary: SourceSummary, look: Look) -> None:
        """Show below the page the source, its files, its bad lines and the time zone."""
        parts = [f"Records of {visible(self._site.source, limit=200)}"]
        if state.generation:
            parts.append(quantity(summary.files, "file"))
        bad = summary.lines.bad
        if bad:
            causes = sorted(summary.lines.causes.items(), key=lambda item: -item[1])
            told = ", ".join(f"{number:,} {cause}" for cause, number in causes[:_MAX_CAUSES])
            parts.append(f"{quantity(bad, 'line')} without a record ({told})")
        if summary.duplicates:
            parts.append(f"{quantity(summary.duplicates, 'duplicate')} left out")
        items = [tag("span", part, class_="warn" if "without" in part else None) for part in parts]
        zone = tag("span", f"Times in {look.zone}")
        self._foot.show(join((*items, zone, tag("span", f"MINERVA {VERSION}"))))

    def show_notice(self, content: Markup) -> None:
        """Show `content` above the page; empty content shows no notice."""
        self._notice.show(content)

    def _brand(self) -> Markup:
        name = tag("span", "MINERVA", class_="word")
        return tag("a", _MARK + name, href=self._site.href(""), aria_label="MINERVA, overview")

    def _heading(self) -> Markup:
        page = self._page
        steps = [
            tag("li", tag("a", title, href=href))
            if href
            else tag("li", tag("bdi", visible(title)), aria_current="page")
            for title, href in page.crumbs
        ]
        way = tag("nav", tag("ol", *steps), aria_label="You are here", class_="crumbs")
        title = tag("h1", tag("bdi", visible(page.title)))
        lead = tag("p", page.lead) if page.lead else Markup()
        return (way if steps else Markup()) + title + lead

    def _entry(self, path: str, name: str, view: View) -> Markup:
        current = "page" if path == self._page.address_part else None
        return tag("li", tag("a", name, href=self._site.href(path, view), aria_current=current))

    def _team(self, name: str, view: View) -> Markup:
        link = self._site.team(name, view)
        is_here = self._page.path == f"teams/{name}"
        return tag("span", link, class_="here") if is_here else link


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
