"""The shapes of a report's contents, which the page and the Markdown file both write."""

from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

Kind = Literal["", "name", "number", "critical", "high", "medium", "low"]
"""How a cell looks: words, a name of the material, a figure, or a severity."""


class Cell(NamedTuple):
    """A cell of a table; `also` is a second, smaller line."""

    text: str
    also: str = ""
    kind: Kind = ""


Row = list[Cell | str]
"""A row in the making; a string is a cell of words."""


class Table(NamedTuple):
    """A table; `name` says which widths its columns have on the page."""

    name: str
    header: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]


class Items(NamedTuple):
    """A list of sentences."""

    texts: tuple[str, ...]


class Script(NamedTuple):
    """Lines of a program, as they are."""

    lines: tuple[str, ...]


Block = str | Table | Items | Script
"""A string is a paragraph."""


class Section(NamedTuple):
    """A numbered part of the report."""

    mark: str
    """`1`, `2`, … in the body; `A`, `B`, … in the annex."""
    title: str
    blocks: tuple[Block, ...]

    @property
    def anchor(self) -> str:
        """What the list of contents refers to."""
        return f"s{self.mark}"


class Contents(NamedTuple):
    """All of a report, in the order in which it is read."""

    title: str
    facts: tuple[tuple[str, str], ...]
    """What was reviewed, when, and by what: name -> value."""
    notes: tuple[str, ...]
    opening: tuple[str, ...]
    front: tuple[Section, ...]
    """What the first page holds beside the opening."""
    body: tuple[Section, ...]
    annex: tuple[Section, ...]


def table(name: str, header: Sequence[str], rows: Iterable[Row]) -> Table:
    """Return a table."""
    cells = tuple(
        tuple(cell if isinstance(cell, Cell) else Cell(cell) for cell in row) for row in rows
    )
    return Table(name, tuple(header), cells)
