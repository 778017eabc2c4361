"""What every page is: a question that is asked in a thread, and panels that show the answer."""

from abc import ABC, abstractmethod
from collections.abc import Hashable
from dataclasses import replace
from datetime import datetime
from typing import ClassVar, Generic, TypeVar

from minerva_observability.dashboard.server.address import View
from minerva_observability.dashboard.server.site import Look, Site
from minerva_observability.metrics.metrics import Metrics
from minerva_observability.metrics.span_filter import SpanFilter

DataT = TypeVar("DataT")

Crumb = tuple[str, str | None]
"""A step of the way to a page: its title and its address; the page itself has none."""


class Page(ABC, Generic[DataT]):
    """One client's page. It asks nothing itself: who shows it does, and hands it the answer."""

    address_part: ClassVar[str]
    """Which entry of the navigation it belongs to."""
    title: str
    lead: str = ""
    """A sentence below the title."""
    filters: ClassVar[tuple[str, ...]] = ("team", "agent", "status", "arm", "thread")
    has_range: ClassVar[bool] = True
    has_search: ClassVar[bool] = False

    def __init__(self, site: Site, view: View) -> None:
        self.site = site
        self.view = view

    @property
    def path(self) -> str:
        """Return where the page is, below the dashboard's prefix."""
        return self.address_part

    @property
    def crumbs(self) -> tuple[Crumb, ...]:
        """Return the way to the page."""
        if not self.address_part:
            return ()
        return (("Overview", self.site.href("", self.view.kept())), (self.title, None))

    @property
    def key(self) -> Hashable:
        """Return what tells this question from all others about the same spans."""
        return type(self).__name__, self.path, replace(self.view, problems=())

    def where(self, now: datetime) -> SpanFilter:
        """Return what the question is about."""
        return self.view.to_filter(now)

    @abstractmethod
    def ask(self, metrics: Metrics) -> DataT:
        """Return all that the page shows. Called in an OS thread."""

    @abstractmethod
    def build(self) -> None:
        """Lay out the panels, with nothing in them yet."""

    @abstractmethod
    def show(self, data: DataT, look: Look) -> None:
        """Fill the panels."""

    def is_empty(self, data: DataT) -> bool:
        """Tell whether nothing was found, so that a word is better than empty panels."""
        del data
        return False
