"""One client of one page: compute it, show it, and show it again when records were added."""

import logging
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, tzinfo
from typing import Any, Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from markupsafe import Markup
from nicegui import ui
from nicegui.events import GenericEventArguments

from minerva_observability.dashboard.pages.frame import Frame, MissingPage
from minerva_observability.dashboard.pages.page import Page
from minerva_observability.dashboard.server.address import View
from minerva_observability.dashboard.server.shared_metrics import EVERY_S, SharedMetrics, State
from minerva_observability.dashboard.server.site import Look
from minerva_observability.dashboard.widgets.filter_bar import FilterBar
from minerva_observability.dashboard.widgets.markup import as_mapping, ask_browser, event_value, tag
from minerva_observability.dashboard.widgets.text import MESSAGE_LENGTH, visible
from minerva_observability.metrics.figures import Choices
from minerva_observability.metrics.span_filter import SpanFilter

_log = logging.getLogger(__name__)
_NO_CHOICES: Final = Choices(teams=(), agents=(), arms=(), statuses=())


class PageSession:
    """Lays out a page at once, and fills it as soon as the browser answers."""

    def __init__(self, page: Page[Any], metrics: SharedMetrics) -> None:
        self._page = page
        self._metrics = metrics
        self._look = Look(datetime.now(UTC))
        self._is_live = True
        self._has_begun = False
        self._content_key: object = None
        self._choices = _NO_CHOICES
        self._frame = Frame(page, toggle=self._toggle)
        with self._frame.filters:
            self._filters = FilterBar(page, on_change=self._change)
        with self._frame.body:
            page.build()
        ui.on("minerva-look", self._see)
        ui.on("minerva-address", self._go_back)
        ui.timer(EVERY_S, self._tick)

    async def _tick(self) -> None:
        if not self._has_begun:
            told = await ask_browser("return minerva.look()")
            self._take_look(told)
            if as_mapping(told).get("narrow") is True:
                self._filters.fold()
            self._has_begun = True
        if self._is_live or self._content_key is None:
            await self.update()

    async def update(self) -> None:
        """Read new records, and show the page again if something changed on it."""
        state = await self._metrics.refresh()
        self._look = replace(self._look, now=datetime.now(UTC))
        self._frame.show_state(state, self._metrics.summary, self._look)
        if not state.generation:
            if state.problem is not None:
                self._tell(_unreadable(state.problem))
            return
        where = self._page.where(self._look.now)
        wanted = (state, where, self._page.key, self._look.dark)
        if wanted == self._content_key:
            return
        try:
            self._choices = await self._metrics.ask("choices", SpanFilter(), lambda m: m.choices())
            data = await self._metrics.ask(self._page.key, where, self._page.ask)
        except Exception as error:  # noqa: BLE001  # the page shows the error
            _log.warning("A page of the dashboard could not be computed.", exc_info=error)
            self._tell(_failure(error))
            return
        self._content_key = wanted
        self._show(data, state)

    def _show(self, data: Any, state: State) -> None:
        self._frame.show_navigation(self._page.view, self._choices.teams)
        self._filters.show(self._page.view, self._choices, zone=self._look.zone)
        notice = _problems(self._page.view.problems)
        if state.problem is not None:
            notice += _unreadable(state.problem)
        is_empty = self._page.is_empty(data)
        if not (self._choices.agents or self._choices.statuses):
            is_empty = is_empty or not isinstance(self._page, MissingPage)
            source = self._page.site.source
            notice += _nothing_yet(source) if state.is_there else _no_source(source)
        elif is_empty:
            notice += _no_match(self._page.view)
        self._frame.show_notice(notice)
        self._frame.body.set_visibility(not is_empty)
        if not is_empty:
            self._page.show(data, self._look)

    def _tell(self, notice: Markup) -> None:
        self._frame.show_notice(notice)
        self._frame.body.set_visibility(self._content_key is not None)

    def _toggle(self) -> None:
        self._is_live = not self._is_live
        self._frame.show_live(is_live=self._is_live)

    async def _change(self, changes: Mapping[str, str]) -> None:
        """Show the page with changed filters, and put them into the address."""
        self._page.view = self._page.view.but(**changes)
        ui.navigate.history.push(self._page.site.href(self._page.path, self._page.view))
        await self.update()

    async def _go_back(self, event: GenericEventArguments) -> None:
        """Show the view of the address, after the browser went back or forward."""
        query = as_mapping(event_value(event))
        self._page.view = View.from_query({name: str(value) for name, value in query.items()})
        await self.update()

    async def _see(self, event: GenericEventArguments) -> None:
        self._take_look(event_value(event))
        await self.update()

    def _take_look(self, message: object) -> None:
        look = as_mapping(message)
        zone = _zone(look.get("zone"))
        self._look = Look(datetime.now(UTC), dark=look.get("dark") is True, zone=zone)


def _zone(name: object) -> tzinfo:
    try:
        return ZoneInfo(str(name))
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return UTC


def _notice(tone: str, title: str, *content: str) -> Markup:
    return tag("div", tag("h2", title), *content, class_=f"notice {tone}")


def _problems(problems: tuple[str, ...]) -> Markup:
    if not problems:
        return Markup()
    items = (tag("li", visible(problem, limit=MESSAGE_LENGTH)) for problem in problems)
    return _notice("warn", "A part of this address was not understood", tag("ul", *items))


def _unreadable(problem: str) -> Markup:
    told = tag("p", tag("code", visible(problem, limit=MESSAGE_LENGTH)))
    hint = tag("p", "The dashboard tries again every few seconds. It shows the last figures.")
    return _notice("bad", "The records cannot be read", told, hint)


def _failure(error: Exception) -> Markup:
    told = tag("p", tag("code", visible(f"{type(error).__name__}: {error}", limit=MESSAGE_LENGTH)))
    hint = tag("p", "The dashboard tries again every few seconds. Fewer filters may help.")
    return _notice("bad", "This page could not be computed", told, hint)


def _no_source(source: str) -> Markup:
    told = tag("p", tag("code", visible(source, limit=MESSAGE_LENGTH)), " does not exist (yet).")
    return _notice("calm", "Nothing to read", told, _first_steps())


def _nothing_yet(source: str) -> Markup:
    told = tag("p", "There is no run in ", tag("code", visible(source, limit=MESSAGE_LENGTH)), ".")
    return _notice("calm", "Nothing is recorded yet", told, _first_steps())


def _first_steps() -> Markup:
    return (
        tag("p", "This command lets the bundled teams answer a request:")
        + tag("pre", tag("code", "minerva demo"), tabindex="0")
        + tag("p", "The figures then appear here by themselves; do not reload the page.")
    )


def _no_match(view: View) -> Markup:
    hint = tag("p", "Widen the time range, or clear the filters above.")
    about = "these filters" if view.is_filtered else "this page"
    return _notice("calm", f"Nothing is recorded that matches {about}", hint)
