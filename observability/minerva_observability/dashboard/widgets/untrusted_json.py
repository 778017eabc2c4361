"""JSON from a record or a browser, which may have any shape."""

from collections.abc import Iterable
from typing import Any, Final, cast

from nicegui import ui
from nicegui.events import GenericEventArguments

BROWSER_S: Final = 10.0
"""Seconds that a browser may take to answer."""


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
