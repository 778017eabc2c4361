"""What comes from elsewhere as JSON, from a record or from a browser: nothing of it is certain."""

from collections.abc import Iterable
from typing import Any, Final, cast

from nicegui import ui
from nicegui.events import GenericEventArguments

BROWSER_S: Final = 10.0
"""How long a browser may take to answer."""


def as_mapping(value: object) -> dict[str, Any]:
    """Return an object of JSON, or an empty one in place of anything else."""
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def as_list(value: object) -> list[Any]:
    """Return an array of JSON, or an empty one in place of anything else."""
    return list(cast("Iterable[Any]", value)) if isinstance(value, list) else []


def event_value(event: GenericEventArguments) -> Any:
    """Return the one value that the browser sent with an event."""
    args: Any = event.args
    values = as_list(args)
    return values[0] if values else args


async def ask_browser(code: str) -> object:
    """Return what a piece of our JavaScript gives in the browser of the page at hand."""
    return cast("object", await ui.run_javascript(code, timeout=BROWSER_S))
