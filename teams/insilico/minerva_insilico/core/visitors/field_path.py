"""Which fields a name or a text is made of: `order__status`, `get_status_display`, `{s.status}`.

A renamed field changes them all, though none of them is its name.
"""

import re
from collections.abc import Iterator

from minerva_insilico.core.facts.field_context import split_lookup

MAX_CHARACTERS = 80
"""Of a text that is looked at as a name, or as a way to one."""

_LOOKUP = re.compile(r"[-+^=@$]?([^\W\d]\w*(?:\.[^\W\d]\w*)*)")
_MADE = re.compile(r"get_(\w+)_display|get_(?:next|previous)_by_(\w+)")
_FILLED_IN = re.compile(r"\{\{?\s{0,9}(\w*(?:\.[^\W\d]\w*)+)|%\((\w+)\)[-#0-9.+]*[a-z]")
_MAX_FORMAT_CHARACTERS = 20_000


def is_path(text: str) -> bool:
    """True if a text may be a field's name, or a way to one."""
    return _LOOKUP.fullmatch(text[:MAX_CHARACTERS]) is not None


def fields_of(text: str) -> list[str]:
    """Return the fields on the way that a literal names, or nothing if it names none."""
    match = _LOOKUP.fullmatch(text) if len(text) <= MAX_CHARACTERS else None
    return split_lookup(match.group(1).replace(".", "__")) if match else []


def alias_of(text: str) -> tuple[str, str] | None:
    """Return `("o", "status")` for `o.status`, as SQL calls a column."""
    match = (
        _LOOKUP.fullmatch(text) if text.count(".") == 1 and len(text) <= MAX_CHARACTERS else None
    )
    if match is None:
        return None
    alias, _, column = match.group(1).partition(".")
    return alias, column


def made_of(name: str) -> str:
    """Return the field from whose name Django makes a method, or nothing."""
    match = _MADE.fullmatch(name)
    return (match.group(1) or match.group(2)) if match else ""


def filled_in(text: str) -> Iterator[tuple[int, str, str]]:
    """Yield (lines below, owner, field) for each `{owner.field}` of a text to format.

    An object by its place (`{0.field}`) and a key (`%(field)s`) have no owner.
    """
    if not {"{", "%"} & {*text} or len(text) > _MAX_FORMAT_CHARACTERS:
        return
    for match in _FILLED_IN.finditer(text):
        owner, *fields = (match.group(1) or f".{match.group(2)}").split(".")
        owner = "" if owner.isdigit() else owner
        below = text.count("\n", 0, match.start())
        for field in fields:
            yield below, owner, field
            owner = field
