"""The panels of a page: a heading, and content below it that comes later.

A panel shows a skeleton from the start. Its content is exchanged in place, so a live page neither
jumps nor loses the keyboard's focus.
"""

from collections.abc import Awaitable, Callable
from typing import Final

from markupsafe import Markup
from nicegui import ui
from nicegui.events import GenericEventArguments

from minerva_observability.dashboard.widgets.charts import Options
from minerva_observability.dashboard.widgets.markup import tag

Handler = Callable[[GenericEventArguments], Awaitable[None]]

SKELETON: Final = tag(
    "div",
    *(tag("span", style=f"width:{width}%") for width in (62, 88, 74)),
    class_="skeleton",
    role="status",
    aria_label="Loading",
)


class Content:
    """HTML that can be exchanged. The browser sanitizes it again before it shows it."""

    def __init__(self, first: Markup = SKELETON, *, kind: str = "div", classes: str = "") -> None:
        self._html = ui.html(first, tag=kind).classes(classes)

    def on(self, event: str, handler: Handler, *, js_handler: str) -> None:
        """Call `handler` with the value that `js_handler` emits for the browser's `event`."""
        self._html.on(event, handler, js_handler=js_handler)

    def tell(self, **attributes: str) -> None:
        """Set attributes for screen readers: `role`, `aria_label`."""
        for name, text in attributes.items():
            self._html.props[name.replace("_", "-")] = text

    def show(self, content: Markup) -> None:
        """Show `content` in place of the current content."""
        if content != self._html.content:
            self._html.set_content(content)


class Panel(Content):
    """A heading with HTML below it."""

    def __init__(self, title: str, *, note: str = "", classes: str = "") -> None:
        with ui.element("section").classes(f"panel {classes}") as self._section:
            Content(_heading(title, note), kind="header")
            super().__init__(classes="panel-body")

    def appear(self, *, visible: bool) -> None:
        """Show or hide the whole panel."""
        self._section.set_visibility(visible)


class ChartPanel:
    """A heading, a chart, and the same figures as a table for people who cannot see the chart."""

    def __init__(self, title: str, *, note: str = "", classes: str = "", height: int = 260) -> None:
        with ui.element("section").classes(f"panel chart loading {classes}") as self._section:
            self._title = title
            self._head = Content(_heading(title, note), kind="header")
            self._chart = ui.echart({"series": []}, renderer="svg").classes("drawing")
            self._chart.style(f"height:{height}px").props("role=img")
            self._message = Content(Markup())
            self._table = Content(Markup(), classes="alternative")

    def show(
        self, options: Options, *, label: str, table: Markup, height: int | None = None
    ) -> None:
        """Draw `options`. `label` describes the chart in a sentence, `table` has its figures."""
        self._section.classes(remove="loading bare")
        self._message.show(Markup())
        if height is not None:
            self._chart.style(f"height:{height}px")
        self._chart.props["aria-label"] = label
        self._chart.options.clear()
        self._chart.options.update(options)
        self._chart.update()
        self._table.show(tag("details", tag("summary", "Show as a table"), table))

    def note(self, text: str) -> None:
        """Show `text` below the title."""
        self._head.show(_heading(self._title, text))

    def say(self, message: str) -> None:
        """Show the sentence `message` in place of a chart."""
        self._section.classes(remove="loading", add="bare")
        self._message.show(nothing(message))
        self._table.show(Markup())


def nothing(message: str) -> Markup:
    """Return a sentence that stands in place of figures."""
    return tag("p", message, class_="nothing")


def _heading(title: str, note: str) -> Markup:
    return tag("h2", title) + (tag("p", note) if note else Markup())
