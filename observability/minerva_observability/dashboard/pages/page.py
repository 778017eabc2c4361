"""The base of every page: a question that is asked in an OS thread, and panels for its answer."""

from abc import ABC, abstractmethod
from collections.abc import Hashable
from dataclasses import replace
from datetime import datetime
from typing import ClassVar, Generic, TypeVar

from minerva_observability.dashboard.server.address import FILTERS, View
from minerva_observability.dashboard.server.site import Look, Site
from minerva_observability.metrics.metrics import Metrics
from minerva_observability.metrics.span_filter import SpanFilter

DataT = TypeVar("DataT")

Crumb = tuple[str, str | None]
"""A step on the way to a page: its title and its address. The page itself has no address here."""


class Page(ABC, Generic[DataT]):
    """One client's page. `PageSession` calls `ask`, then gives the answer to `show`."""

    address_part: ClassVar[str]
    """The entry of the navigation that it belongs to."""
    title: str
    lead: str = ""
    """A sentence below the title."""
    filters: ClassVar[tuple[str, ...]] = FILTERS
    has_range: ClassVar[bool] = True
    has_search: ClassVar[bool] = False

    def __init__(self, site: Site, view: View) -> None:
        self.site = site
        self.view = view

    @property
    def path(self) -> str:
        """The page's path below the dashboard's prefix."""
        return self.address_part

    @property
    def crumbs(self) -> tuple[Crumb, ...]:
        """The way from the overview to the page."""
        if not self.address_part:
            return ()
        return (("Overview", self.site.href("", self.view.for_other_page())), (self.title, None))

    @property
    def key(self) -> Hashable:
        """The name of this question among all questions about the same spans."""
        return type(self).__name__, self.path, replace(self.view, problems=())

    def where(self, now: datetime) -> SpanFilter:
        """Return the filter of the spans that the question is about."""
        return self.view.to_filter(now)

    @abstractmethod
    def ask(self, metrics: Metrics) -> DataT:
        """Return everything that the page shows. It is called in an OS thread."""

    @abstractmethod
    def build(self) -> None:
        """Lay out the panels, still empty."""

    @abstractmethod
    def show(self, data: DataT, look: Look) -> None:
        """Fill the panels with `data`."""

    def is_empty(self, data: DataT) -> bool:
        """True if nothing was found, so that the page shows a notice and no panels."""
        del data
        return False
