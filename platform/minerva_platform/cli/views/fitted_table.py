"""A table for as many columns as the terminal has: what has no room goes by its rank.

No name is cut: it goes on in the next line, after an underscore, a slash or another such end.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from rich.cells import cell_len
from rich.console import JustifyMethod
from rich.table import Table
from rich.text import Text

from minerva_platform.cli.io.console import cut
from minerva_platform.text.language import Language
from minerva_platform.text.texts import read_texts

GAP: Final = 2
_DEAR: Final = 2
"""The rank of the dearest columns: for their sake, names and words are made as narrow as they can
be; for the others', not narrower than `_SHORT`."""
_SHORT: Final = 26
_LEAST_WORDS: Final = 14
_LINES: Final = 3
"""Lines of words in a cell; the rest is cut."""
_ENDS: Final = {"name": r"[_/.\- ]", "phrase": "[ ]", "words": "[ ]"}
NO_BREAK: Final = "\N{NO-BREAK SPACE}"
"""Stands for a blank at which a cell is not broken."""

Kind = Literal["number", "name", "phrase", "words"]
TEXTS = read_texts("minerva_platform.cli.views", "tables")


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table."""

    title: str
    cells: Sequence[Text]
    rank: int = 0
    """The highest goes first where there is no room; 0 stays."""
    kind: Kind = "number"
    """A number is never broken, a name after its parts, a phrase and words at blanks. Of words a
    few lines are shown."""

    @property
    def widest(self) -> int:
        """The cells that it takes if nothing is broken."""
        lines = (line for cell in self.cells for line in cell.plain.split("\n"))
        return max((self.title_width, *map(cell_len, lines)))

    @property
    def title_width(self) -> int:
        """The cells of its title."""
        return cell_len(self.title)

    @property
    def narrowest(self) -> int:
        """The cells that it needs at least."""
        if self.kind == "number":
            return self.widest
        if self.kind == "words":
            return min(self.widest, max(_LEAST_WORDS, self.title_width))
        pieces = (piece for cell in self.cells for piece in self._pieces(cell.plain))
        return max((self.title_width, *(cell_len(piece.strip()) for piece in pieces)))

    def _pieces(self, text: str) -> list[str]:
        return re.split(rf"(?<={_ENDS[self.kind]})|\n", text)

    def fit(self, cell: Text, room: int) -> Text:
        """Return a cell as it stands in a column of `room` cells."""
        lines = [*cell.split("\n", allow_blank=True)]
        parts = lines if self.kind == "number" else self._broken(lines, room)
        if self.kind == "words":
            rest = " ".join(part.plain for part in parts[_LINES - 1 :])
            parts = [Text(cut(part.plain, room)) for part in (*parts[: _LINES - 1], Text(rest))]
        shown = Text("\n").join(part for part in parts if part.plain or len(parts) == 1)
        shown.plain = shown.plain.replace(NO_BREAK, " ")
        return shown

    def _broken(self, lines: Sequence[Text], room: int) -> list[Text]:
        parts: list[Text] = []
        for line in lines:
            breaks, at, used = list[int](), 0, 0
            for piece in self._pieces(line.plain):
                if used and used + cell_len(piece.rstrip(" ")) > room:
                    breaks.append(at)
                    used = 0
                at += len(piece)
                used += cell_len(piece)
            parts += line.divide(breaks)
        for part in parts:
            part.rstrip()
        return parts


def fit_table(columns: Sequence[Column], width: int) -> tuple[Table, list[str]]:
    """Return the table, and the titles of the columns for which there is no room.

    A column that would be empty is left out.
    """
    full = [each for each in columns if not each.rank or any(cell.plain for cell in each.cells)]
    shown = [*full]
    while least := max(shown, key=lambda each: each.rank).rank:
        needed = (
            max(each.narrowest, min(each.widest, _SHORT)) if least > _DEAR else each.narrowest
            for each in shown
        )
        if sum(needed) + GAP * (len(shown) - 1) <= width:
            break
        shown.remove(max(shown, key=lambda each: each.rank))
    rooms = [each.narrowest for each in shown]
    left = width - sum(rooms) - GAP * (len(shown) - 1)
    for kind, most in (("phrase", width), ("words", _SHORT), ("name", width), ("words", width)):
        for index, each in enumerate(shown):
            if each.kind == kind:
                more = max(0, min(left, min(each.widest, most) - rooms[index]))
                rooms[index], left = rooms[index] + more, left - more
    table = Table(box=None, padding=(0, GAP, 0, 0), pad_edge=False, header_style="dim")
    for each, room in zip(shown, rooms, strict=True):
        justify: JustifyMethod = "right" if each.kind == "number" else "left"
        table.add_column(each.title, justify=justify, no_wrap=True, overflow="fold", width=room)
    pairs = zip(shown, rooms, strict=True)
    fitted = [[each.fit(cell, room) for cell in each.cells] for each, room in pairs]
    for row in zip(*fitted, strict=True):
        table.add_row(*row)
    return table, [each.title for each in full if each not in shown]


def columns_of(
    titles: Sequence[str], looks: Sequence[tuple[Kind, int]], rows: Sequence[Sequence[Text]]
) -> list[Column]:
    """Return the columns of `rows`; `looks` are their kinds and ranks."""
    cells = [*zip(*rows, strict=True)] or [()] * len(titles)
    return [
        Column(title, each, rank, kind)
        for title, each, (kind, rank) in zip(titles, cells, looks, strict=True)
    ]


def note_hidden(titles: Sequence[str], options: str, language: Language) -> list[Text]:
    """Return the line that names the columns without room, and what shows them; or no line."""
    if not titles:
        return []
    told = TEXTS("no_room", language, columns=", ".join(titles), options=options)
    return [Text(told, style="dim")]
