"""A row of a table in a notice: its cells under their headings."""

import re
from collections.abc import Sequence
from typing import Final

_ROW: Final = re.compile(r"^\|(?P<cells>.*)\|\s*$")
_RULE: Final = re.compile(r"^\|?\s*:?-{3,}:?\s*(?:\|\s*:?-{3,}:?\s*)*\|?\s*$")
_UNIT: Final = re.compile(r"[(（\[]\s*(?:단위\s*:?\s*|in\s+)?(?P<unit>[^\W\d]{1,8})\s*[)）\]]\s*$")
_NUMBER: Final = re.compile(r"\d{1,5}(?:[.,]\d{1,3})?")


def cells_of(line: str) -> tuple[str, ...] | None:
    """Return the cells of a Markdown row, or None if `line` is none."""
    row = _ROW.match(line.strip())
    if row is None:
        return None
    return tuple(cell.strip() for cell in row["cells"].split("|"))


def is_ruler(line: str) -> bool:
    """True if `line` stands below a table's headings: `|---|---|`."""
    return "|" in line and _RULE.match(line.strip()) is not None


def told(headings: Sequence[str], cells: Sequence[str]) -> str:
    """Return a row as words: `purpose: orders; kept for (years): 6`."""
    named = [*headings, *[""] * len(cells)]
    parts = (
        f"{heading}: {cell}" if heading else cell
        for heading, cell in zip(named, cells, strict=False)
        if cell
    )
    return "; ".join(parts)


def with_unit(heading: str, cell: str) -> str:
    """Return a bare number with the unit that stands in its heading: `(years)`, `(년)`."""
    unit = _UNIT.search(heading)
    if unit is None or not _NUMBER.fullmatch(cell.strip()):
        return cell
    return f"{cell.strip()} {unit['unit']}"
