"""Keep a spreadsheet from running a cell of a CSV file as a formula, and read such a cell back."""

import re

_FORMULA = re.compile(r"[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]")
"""What a formula begins with (OWASP, CSV injection), the full-width signs included."""


def shielded(text: str) -> str:
    """Return `text` as a cell; one that would be run begins with `'`."""
    return f"'{text}" if _FORMULA.match(text) else text


def unshielded(cell: str) -> str:
    """Return what a cell says, without space around it and without that `'`."""
    text = cell.strip()
    return text[1:] if text.startswith("'") and _FORMULA.match(text[1:]) else text
