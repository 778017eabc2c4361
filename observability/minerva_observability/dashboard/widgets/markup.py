"""Build HTML in which every text is escaped; only `Markup` passes unchanged.

Every text of a record goes through `tag` or `table`. No other module builds HTML from a text.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, Final, Generic, TypeVar, cast

from markupsafe import Markup, escape
from nicegui import ui
from nicegui.events import GenericEventArguments

BROWSER_S: Final = 10.0
"""Seconds that a browser may take to answer."""
T = TypeVar("T")

_VOID: Final = frozenset({"br", "col", "input"})


def tag(element: str, /, *content: str | None, **attributes: str | float | bool | None) -> Markup:
    """Return an HTML element.

    The attribute `class_` is written `class`, and `aria_label` is written `aria-label`. None or
    False leaves an attribute out.
    """
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape("" if value is True else value)}"'
        for key, value in attributes.items()
        if value is not None and value is not False
    )
    if element in _VOID:
        return Markup(f"<{element}{written}>")  # noqa: S704  # escaped above
    return Markup(f"<{element}{written}>{join(content)}</{element}>")  # noqa: S704  # escaped above


def join(parts: Iterable[str | None]) -> Markup:
    """Return the parts one after the other, without those that are None."""
    return Markup().join(part for part in parts if part is not None)


def name_of(text: str) -> Markup:
    """Return a foreign name, isolated from the writing direction of the text around it."""
    return tag("bdi", text)


@dataclass(frozen=True, slots=True)
class Column(Generic[T]):
    """A column of a table: its title, and the content of its cells."""

    title: str
    cell: Callable[[T], str]
    _: KW_ONLY
    numeric: bool = False
    heads_row: bool = False
    hint: str | None = None
    classes: str = ""


def figure(
    title: str, cell: Callable[[T], str], *, hint: str | None = None, classes: str = ""
) -> Column[T]:
    """Return a column of figures, which stand at the right."""
    return Column(title, cell, numeric=True, hint=hint, classes=classes)


def table(
    columns: Sequence[Column[T]],
    rows: Iterable[T],
    *,
    caption: str,
) -> Markup:
    """Return a table that scrolls sideways if it is too wide; `caption` is for screen readers."""
    titles = (
        tag("th", column.title, scope="col", class_=_class(column), title=column.hint)
        for column in columns
    )
    body = (tag("tr", *(_cell(column, row) for column in columns)) for row in rows)
    inner = tag(
        "table",
        tag("caption", caption, class_="unseen"),
        tag("thead", tag("tr", *titles)),
        tag("tbody", *body),
    )
    return tag("div", inner, class_="scroll", tabindex="0", role="region", aria_label=caption)


def _cell(column: Column[T], row: T) -> Markup:
    content = column.cell(row)
    if column.heads_row:
        return tag("th", content, scope="row", class_=_class(column))
    return tag("td", content, class_=_class(column))


def _class(column: Column[T]) -> str | None:
    return " ".join(filter(None, ("number" if column.numeric else "", column.classes))) or None


def definition(pairs: Mapping[str, str], *, classes: str | None = None) -> Markup:
    """Return a list of names with their values."""
    items = (tag("div", tag("dt", name), tag("dd", value)) for name, value in pairs.items())
    return tag("dl", *items, class_=classes)


def as_mapping(value: object) -> dict[str, Any]:
    """Return `value` if it is a JSON object, else an empty dict."""
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def as_list(value: object) -> list[Any]:
    """Return `value` if it is a JSON array, else an empty list."""
    return list(cast("Iterable[Any]", value)) if isinstance(value, list) else []


def event_value(event: GenericEventArguments) -> Any:
    """Return the one value that the browser sent with an event."""
    args: Any = event.args
    values = as_list(args)
    return values[0] if values else args


async def ask_browser(code: str) -> object:
    """Return the result of a piece of our JavaScript in the browser that shows the page.

    Raises:
        TimeoutError: the browser did not answer within `BROWSER_S`.
    """
    return cast("object", await ui.run_javascript(code, timeout=BROWSER_S))
