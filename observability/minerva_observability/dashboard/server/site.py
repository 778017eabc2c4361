"""The addresses of the pages, and links between them that keep the current filters."""

from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from typing import Final

from markupsafe import Markup

from minerva_observability.dashboard.server.address import MAX_NAME_CHARACTERS, View, path_segment
from minerva_observability.dashboard.widgets.markup import name_of, tag
from minerva_observability.dashboard.widgets.text import machine_time, moment, quantity, visible

NAVIGATION: Final = {
    "": "Overview",
    "agents": "Agents",
    "calls": "Calls",
    "routing": "Routing",
    "failures": "Failures",
    "runs": "Runs",
}
"""Path and title of the pages to which every page links."""


@dataclass(frozen=True, slots=True)
class Look:
    """What a page must know about the person's browser: the time, the theme and the time zone."""

    now: datetime
    dark: bool = False
    zone: tzinfo = UTC

    def time(self, time: datetime | None) -> Markup:
        """Return a moment in the person's time zone, without its date if it is today."""
        shown = moment(time, self.zone, now=self.now)
        if time is None:
            return Markup.escape(shown)
        return tag("time", shown, datetime=machine_time(time), title=moment(time, self.zone))


@dataclass(frozen=True, slots=True)
class Site:
    """Addresses of one dashboard: `prefix` is its path on the server, `source` its records."""

    prefix: str
    source: str

    def href(self, path: str, view: View | None = None) -> str:
        """Return the address of the page at `path`, with `view` as its query."""
        return f"{self.prefix}/{path}{view.to_query() if view else ''}"

    def agent(self, name: str, view: View) -> Markup:
        """Return an agent's name as a link to the page about it."""
        return self._link(name, "agents", view.but(agent=name))

    def team(self, name: str | None, view: View) -> Markup:
        """Return a team's name as a link to its page."""
        if name is None:
            return name_of("")
        return self._link(name, f"teams/{path_segment(name)}", view.for_other_page().but(team=""))

    def run(self, run_id: str, *, text: str | None = None) -> Markup:
        """Return `text` (default: the beginning of the run's id) as a link to the run."""
        return self._link(run_id, f"runs/{path_segment(run_id)}", None, text=text or run_id[:8])

    def all_runs(self, number: int, view: View) -> Markup:
        """Return the number of all runs as a link to the list of them."""
        text = f"All {quantity(number, 'run')}"
        return tag("a", text, href=self.href("runs", view), class_="more-link")

    def _link(self, name: str, path: str, view: View | None, *, text: str | None = None) -> Markup:
        shown = name_of(visible(name if text is None else text))
        if len(name) > MAX_NAME_CHARACTERS or not name.strip("."):
            return shown
        return tag("a", shown, href=self.href(path, view))
