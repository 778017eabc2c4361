"""The filters above a page. Their values come from the address, and changes go into it.

They are the browser's own controls, so they work by keyboard and on a phone.
"""

from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime, tzinfo
from typing import Any, Final

from markupsafe import Markup
from nicegui import ui
from nicegui.events import GenericEventArguments

from minerva_observability.dashboard.pages.page import Page
from minerva_observability.dashboard.server.address import RANGES, View
from minerva_observability.dashboard.widgets.markup import event_value, join, tag
from minerva_observability.dashboard.widgets.panels import Content
from minerva_observability.dashboard.widgets.status import sign_of
from minerva_observability.dashboard.widgets.text import machine_time, visible
from minerva_observability.metrics.figures import Choices

CUSTOM: Final = "custom"
"""The choice that replaces a range by two moments."""
MAX_CHOICES: Final = 300
"""The number of entries in a list to choose from."""

OnChange = Callable[[Mapping[str, str]], Awaitable[None]]
_SELECTS: Final = {
    "team": ("Team", "All teams"),
    "agent": ("Agent", "All agents"),
    "status": ("Status", "Any status"),
    "arm": ("Arm", "All arms"),
    "version": ("Version", "All versions"),
    "host": ("Host", "All hosts"),
}
_TEXTS: Final = {"thread": ("Thread", "any thread id"), "pid": ("Process", "any process id")}
_VALUE: Final = "(event) => emit(event.target.value)"


class FilterBar:
    """The controls of one page; `on_change` is called with the fields of the view that changed."""

    def __init__(self, page: Page[Any], *, on_change: OnChange) -> None:
        view = page.view
        self._on_change = on_change
        self._zone: tzinfo | None = None
        self._view = view
        self._selects: dict[str, Content] = {}
        self._labels: dict[str, ui.element] = {}
        self._texts: dict[str, ui.element] = {}
        self._custom = False
        with ui.element("details").classes("filters").props("open") as root:
            self._root = root
            self._summary = Content(Markup("Filters"), kind="summary")
            with ui.element("form").classes("controls").props('aria-label="Filters"') as form:
                if page.has_range:
                    self._add_select("since", "Time")
                    with ui.element("div").classes("moments hidden") as self._moments:
                        self._add_moment("since", "From")
                        self._add_moment("until", "To")
                for name in page.filters:
                    if name in _TEXTS:
                        self._add_text(name, *_TEXTS[name])
                    else:
                        self._add_select(name, _SELECTS[name][0])
                if page.has_search:
                    self._add_text("search", "Search", "run id, thread, reason or whole request")
                self._clear = ui.element("button").props("type=button").classes("quiet")
                with self._clear:
                    Content(Markup("Clear"), kind="span")
                self._clear.on("click", self._clear_all, args=[])
            self._root.set_visibility(page.has_range or bool(page.filters) or page.has_search)
            form.on("submit", js_handler="(event) => event.preventDefault()")
        self.show(view, Choices(teams=(), agents=(), arms=(), statuses=()), zone=None)

    def show(self, view: View, choices: Choices, *, zone: tzinfo | None) -> None:
        """Set the controls to `view`, with `choices` as the entries of their lists."""
        self._view, self._zone = view, zone or self._zone
        named = {
            "team": choices.teams,
            "agent": choices.agents,
            "status": choices.statuses,
            "arm": choices.arms,
            "version": choices.versions,
            "host": choices.hosts,
        }
        for name, select in self._selects.items():
            if name == "since":
                select.show(_range_options(view, custom=self._custom))
            else:
                select.show(_options(name, named[name], getattr(view, name)))
        for name in {"arm", "version", "host"} & self._labels.keys():  # often there is one, or none
            few = len(named[name]) <= (name != "arm")
            self._labels[name].set_visibility(not few or bool(getattr(view, name)))
        for name, text in self._texts.items():
            text.props["value"] = self._text_of(name)
            text.update()
        if "since" in self._selects:
            is_custom = self._custom or _is_custom(view)
            self._moments.classes(
                remove="hidden" if is_custom else "", add="" if is_custom else "hidden"
            )
        self._clear.classes(
            remove="hidden" if view.is_filtered else "", add="" if view.is_filtered else "hidden"
        )
        number = sum(bool(getattr(view, name)) for name in ("since", "until", *_SELECTS, *_TEXTS))
        self._summary.show(
            tag("span", "Filters") + (tag("b", f"{number} set") if number else Markup())
        )

    def fold(self) -> None:
        """Fold the controls away until they are opened, because a phone has no room for them."""
        self._root.props(remove="open")

    def _text_of(self, name: str) -> str:
        if name in {*_TEXTS, "search"}:
            return str(getattr(self._view, name))
        text = getattr(self._view, name.removesuffix("-moment"))
        try:
            moment = datetime.fromisoformat(text)
        except ValueError:
            return ""
        if moment.tzinfo is not None and self._zone is not None:
            moment = moment.astimezone(self._zone)
        return f"{moment:%Y-%m-%dT%H:%M}"

    def _add_select(self, name: str, label: str) -> None:
        with ui.element("label") as self._labels[name]:
            Content(tag("span", label), kind="span")
            select = Content(Markup(), kind="select")
            select.tell(aria_label=label)
            self._selects[name] = select
            select.on("change", lambda event: self._choose(name, event), js_handler=_VALUE)

    def _add_text(self, name: str, label: str, placeholder: str) -> None:
        field = self._add_field(name, label, "type=search spellcheck=false autocomplete=off")
        field.props["placeholder"] = placeholder
        field.on("change", lambda event: self._choose(name, event), js_handler=_VALUE)

    def _add_moment(self, name: str, label: str) -> None:
        field = self._add_field(f"{name}-moment", label, "type=datetime-local")
        field.on("change", lambda event: self._choose_moment(name, event), js_handler=_VALUE)

    def _add_field(self, name: str, label: str, props: str) -> ui.element:
        with ui.element("label"):
            Content(tag("span", label), kind="span")
            field = self._texts[name] = ui.element("input").props(props)
        field.props["aria-label"] = label
        return field

    async def _choose(self, name: str, event: GenericEventArguments) -> None:
        value = _text(event)
        if name == "since":
            self._custom = value == CUSTOM
            if self._custom:
                self._moments.classes(remove="hidden")
                return
            await self._on_change({"since": value, "until": ""})
        elif value.strip() != getattr(self._view, name):
            await self._on_change({name: value.strip()})

    async def _choose_moment(self, name: str, event: GenericEventArguments) -> None:
        """Put a moment of the person's clock into the address, in UTC."""
        text = _text(event)
        try:
            moment = datetime.fromisoformat(text).replace(tzinfo=self._zone)
        except ValueError:
            await self._on_change({name: ""})
        else:
            await self._on_change({name: machine_time(moment)})

    async def _clear_all(self) -> None:
        self._custom = False
        names = ("since", "until", "search", *_TEXTS, *_SELECTS)
        await self._on_change(dict.fromkeys(names, ""))


def _text(event: GenericEventArguments) -> str:
    value = event_value(event)
    return value if isinstance(value, str) else ""


def _is_custom(view: View) -> bool:
    return bool(view.until) or view.since not in RANGES


def _range_options(view: View, *, custom: bool) -> Markup:
    chosen = CUSTOM if custom or _is_custom(view) else view.since
    options = {**RANGES, CUSTOM: "From … to …"}
    return join(_option(value, text, choice=chosen) for value, text in options.items())


def _options(name: str, values: tuple[str, ...], choice: str) -> Markup:
    shown = values[:MAX_CHOICES]
    if choice and choice not in shown:
        shown = (choice, *shown)
    texts = {"": _SELECTS[name][1]} | {
        value: sign_of(value).word if name == "status" else visible(value, limit=48)
        for value in shown
    }
    return join(_option(value, text, choice=choice) for value, text in texts.items())


def _option(value: str, text: str, *, choice: str) -> Markup:
    return tag("option", text, value=value, selected=value == choice)
