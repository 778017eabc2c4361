"""A table for as many columns as the terminal has: what has no room goes by its rank.

No name is cut: it goes on in the next line, after an underscore, a slash or another such end.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from rich.cells import cell_len
from rich.console import Group
from rich.table import Table
from rich.text import Text

from minerva_platform.cli.io.console import cut
from minerva_platform.text.language import Language
from minerva_platform.text.texts import read_texts

TEXTS = read_texts("minerva_platform.cli.views", "tables")
_GAP: Final = 2
_DEAR: Final = 2
"""The rank of the dearest columns: for their sake, names and words are made as narrow as they can
be; for the others', not narrower than `_SHORT`."""
_SHORT: Final = 26
_LEAST_WORDS: Final = 14
_LINES: Final = 3
"""Lines of words in a cell; the rest is cut."""
_ENDS: Final = {"name": r"[_/\- ]", "phrase": "[ ]", "words": "[ ]"}
NO_BREAK: Final = "\N{NO-BREAK SPACE}"
"""Stands for a blank at which a cell is not broken."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table.

    A `number` is never broken, a `name` after its parts, a `phrase` and `words` at blanks; of words
    a few lines are shown.
    """

    title: str
    cells: Sequence[Text]
    rank: float = 0
    """The highest goes first where there is no room; 0 stays."""
    kind: str = "number"

    @property
    def widest(self) -> int:
        """The cells that it takes if nothing is broken."""
        texts = (self.title, *(cell.plain for cell in self.cells))
        return max(cell_len(line) for text in texts for line in text.split("\n"))

    @property
    def narrowest(self) -> int:
        """The cells that it needs at least."""
        if self.kind == "number":
            return self.widest
        least = cell_len(self.title)
        if self.kind == "words":
            return min(self.widest, max(_LEAST_WORDS, least))
        pieces = (piece for cell in self.cells for piece in self._pieces(cell.plain))
        return max((least, *(cell_len(piece.strip()) for piece in pieces)))

    def _pieces(self, text: str) -> list[str]:
        return re.split(rf"(?<={_ENDS[self.kind]})|\n", text)

    def fit(self, cell: Text, room: int) -> Text:
        """Return a cell as it stands in a column of `room` cells."""
        parts = [*cell.split("\n", allow_blank=True)]
        if self.kind != "number":
            parts = [part for line in parts for part in self._wrap(line, room)]
        if self.kind == "words":
            rest = " ".join(part.plain for part in parts[_LINES - 1 :])
            parts = [Text(cut(part.plain, room)) for part in (*parts[: _LINES - 1], Text(rest))]
        text = Text("\n").join(part for part in parts if part.plain or len(parts) == 1)
        text.plain = text.plain.replace(NO_BREAK, " ")
        return text

    def _wrap(self, line: Text, room: int) -> list[Text]:
        breaks, at, width = list[int](), 0, 0
        for piece in self._pieces(line.plain):
            if width and width + cell_len(piece.rstrip(" ")) > room:
                breaks.append(at)
                width = 0
            at += len(piece)
            width += cell_len(piece)
        parts = [*line.divide(breaks)]
        for part in parts:
            part.rstrip()
        return parts


def columns_of(
    titles: Sequence[str], kinds: str, ranks: Sequence[float], rows: Sequence[Sequence[Text]]
) -> list[Column]:
    """Return the columns of `rows`; the names of their kinds stand in `kinds`, with blanks."""
    cells = zip(*rows, strict=True) if rows else [()] * len(titles)
    return [*map(Column, titles, cells, ranks, kinds.split())]


def fit_table(
    columns: Sequence[Column], width: int, language: Language, *, options: str = "--json"
) -> Group:
    """Return the table, and the line that says which columns have no room and what shows them.

    A column that would be empty is left out.
    """
    full = [each for each in columns if not each.rank or any(cell.plain for cell in each.cells)]
    fitting = [*full]
    while rank := max(each.rank for each in fitting):
        needs = (
            max(each.narrowest, min(each.widest, _SHORT)) if rank > _DEAR else each.narrowest
            for each in fitting
        )
        if sum(needs) + _GAP * (len(fitting) - 1) <= width:
            break
        fitting.remove(max(fitting, key=lambda each: each.rank))
    rooms = [each.narrowest for each in fitting]
    rest = width - sum(rooms) - _GAP * (len(fitting) - 1)
    for kind, most in (("phrase", width), ("words", _SHORT), ("name", width), ("words", width)):
        for index, each in enumerate(fitting):
            if each.kind == kind:
                more = max(0, min(rest, min(each.widest, most) - rooms[index]))
                rooms[index], rest = rooms[index] + more, rest - more
    table = Table(box=None, padding=(0, _GAP, 0, 0), pad_edge=False, header_style="dim")
    cells: list[list[Text]] = []
    for each, room in zip(fitting, rooms, strict=True):
        table.add_column(each.title, no_wrap=True, overflow="fold", width=room)
        table.columns[-1].justify = "right" if each.kind == "number" else "left"
        cells.append([each.fit(cell, room) for cell in each.cells])
    for row in zip(*cells, strict=True):
        table.add_row(*row)
    if len(fitting) == len(full):
        return Group(table)
    names = ", ".join(each.title for each in full if each not in fitting)
    note = TEXTS("no_room", language, columns=names, options=options)
    return Group(table, Text(note, style="dim"))
