"""Write a standard name in the style an organisation uses for physical names."""

import re
from typing import Literal

Style = Literal["UPPER_SNAKE", "lower_snake", "camel"]
"""How physical names are written; the glossary itself is in UPPER_SNAKE."""

MAX_LENGTH = 30
"""Characters of a physical name (rule N2), as in the public checking tool for the standard."""

_ALLOWED: dict[Style, re.Pattern[str]] = {
    "UPPER_SNAKE": re.compile(r"[A-Z][A-Z0-9]*(_[A-Z0-9]+)*"),
    "lower_snake": re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*"),
    "camel": re.compile(r"[a-z][A-Za-z0-9]*"),
}
_CAMEL = re.compile(r"camel\s*case|카멜", re.IGNORECASE)
_LOWER = re.compile(r"lower\s*case|lower_snake|snake_case|소문자", re.IGNORECASE)


def styled(name: str, style: Style) -> str:
    """Return an UPPER_SNAKE name in `style`."""
    if style == "UPPER_SNAKE":
        return name
    if style == "lower_snake":
        return name.lower()
    first, *rest = name.lower().split("_")
    return first + "".join(part.capitalize() for part in rest)


def is_styled(name: str, style: Style) -> bool:
    """True if `name` is written in `style` (rule N3)."""
    return _ALLOWED[style].fullmatch(name) is not None


def stated_style(request: str, default: Style) -> Style:
    """Return the style that a request asks for (`카멜`, `lower case`, …), else `default`."""
    if _CAMEL.search(request):
        return "camel"
    return "lower_snake" if _LOWER.search(request) else default


def is_mixed(name: str) -> bool:
    """True if a name holds both small letters and capitals."""
    return name not in {name.lower(), name.upper()}
