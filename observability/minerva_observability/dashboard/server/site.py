"""Where the pages are, and how one links to another with the filters that hold now."""

from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from typing import Final

from markupsafe import Markup

from minerva_observability.dashboard.server.address import MAX_NAME_CHARACTERS, View, path_segment
from minerva_observability.dashboard.widgets.markup import name_of, tag
from minerva_observability.dashboard.widgets.text import machine_time, moment, visible

NAVIGATION: Final = {
    "": "Overview",
    "agents": "Agents",
    "calls": "Calls",
    "routing": "Routing",
    "failures": "Failures",
    "runs": "Runs",
}
"""Path to title of the pages that every page links to."""


@dataclass(frozen=True, slots=True)
class Look:
    """How the person in front of a page sees it."""

    now: datetime
    dark: bool = False
    zone: tzinfo = UTC

    def time(self, time: datetime | None) -> Markup:
        """Return a moment as the person's clock has it, short if it is of today."""
        shown = moment(time, self.zone, now=self.now)
        if time is None:
            return Markup.escape(shown)
        return tag("time", shown, datetime=machine_time(time), title=moment(time, self.zone))


@dataclass(frozen=True, slots=True)
class Site:
    """The pages of one dashboard, below `prefix` of a server."""

    prefix: str
    source: str

    def href(self, path: str, view: View | None = None) -> str:
        """Return the address of a page."""
        return f"{self.prefix}/{path}{view.to_query() if view else ''}"

    def agent(self, name: str, view: View) -> Markup:
        """Return an agent's name that leads to the page about it."""
        return self._link(name, "agents", view.but(agent=name))

    def team(self, name: str | None, view: View) -> Markup:
        """Return a team's name that leads to its page."""
        if name is None:
            return name_of("")
        return self._link(name, f"teams/{path_segment(name)}", view.kept().but(team=""))

    def run(self, run_id: str, *, text: str | None = None) -> Markup:
        """Return the beginning of a run's id that leads to the run."""
        return self._link(run_id, f"runs/{path_segment(run_id)}", None, text=text or run_id[:8])

    def _link(self, name: str, path: str, view: View | None, *, text: str | None = None) -> Markup:
        shown = name_of(visible(name if text is None else text))
        if len(name) > MAX_NAME_CHARACTERS or not name.strip("."):
            return shown
        return tag("a", shown, href=self.href(path, view))
