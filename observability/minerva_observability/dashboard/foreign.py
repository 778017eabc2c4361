"""What comes from elsewhere as JSON, from a record or from a browser: nothing of it is certain."""

from typing import Any, cast

from nicegui.events import GenericEventArguments


def as_mapping(value: object) -> dict[str, Any]:
    """Return an object of JSON, or an empty one in place of anything else."""
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def as_list(value: object) -> list[Any]:
    """Return an array of JSON, or an empty one in place of anything else."""
    return cast("list[Any]", value) if isinstance(value, list) else []


def event_value(event: GenericEventArguments) -> Any:
    """Return the one value that the browser sent with an event."""
    args: Any = event.args
    values = as_list(args)
    return values[0] if values else args
