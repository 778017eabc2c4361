"""A question to a person as a list of lines: coloured and folded at a terminal, else as it is."""

import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from rich.cells import cell_len, set_cell_size
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from minerva_platform.cli.decide.question_text import TEXTS, Asking, Manner, see
from minerva_platform.cli.io.console import show
from minerva_platform.cli.io.stream import is_terminal, write_text
from minerva_platform.text.language import Language


@dataclass(frozen=True, slots=True)
class Line:
    """A line of ours; with `heads`, foreign text that stands behind a bar."""

    text: str
    style: str = ""
    heads: tuple[str, ...] | None = None
    """What stands before the bar, each in a column."""
    indent: int = 2


def question_lines(asking: Asking, language: Language, *, whole: bool = False) -> Iterator[Line]:
    """Yield a question: all of it, or the beginning of what is long."""
    seen = see(asking, language, Manner(whole, "\n"))
    yield Line(f"? {seen.title}", "bold cyan", indent=0)
    if seen.words:
        yield Line("\n".join(seen.words), heads=())
    for name, value in seen.arguments:
        yield Line(value, heads=(name,))
    for note in seen.notes:
        yield Line(note, "yellow")


def command_lines(asking: Asking, language: Language) -> Iterator[Line]:
    """Yield what may be decided, each with the command that decides so."""
    for kind, command in asking.commands.items():
        name = TEXTS(f"names.{asking.question.kind}.{kind}", language)
        yield Line(f"{name}: {command}", "dim")


def show_lines(lines: Sequence[Line]) -> None:
    """Print lines to standard output."""
    if is_terminal(sys.stdout):
        show(lambda _: draw_lines(lines))
    else:
        write_text(plain_lines(lines))


def draw_lines(lines: Iterable[Line]) -> RenderableType:
    """Return lines for a terminal."""
    parts: list[RenderableType] = []
    for columns, rows in _groups(lines):
        if columns is None:
            parts += [Padding(Text(row.text, row.style), (0, 0, 0, row.indent)) for row in rows]
            continue
        table = Table.grid(padding=(0, 1, 0, 0))
        for _ in range(columns):
            table.add_column(overflow="fold", max_width=30)
        table.add_column(overflow="fold")
        for row in rows:
            styles = ("bold", *(row.style for _ in range(1, columns)))
            heads = map(Text, row.heads or (), styles)
            table.add_row(*heads, _BarredText(Text(row.text, row.style)))
        parts.append(Padding(table, (0, 0, 0, rows[0].indent)))
    return Group(*parts)


def plain_lines(lines: Iterable[Line]) -> str:
    """Return lines for a pipe: none is folded, so what stands in one can be copied."""
    texts: list[str] = []
    for columns, rows in _groups(lines):
        if columns is None:
            texts += [f"{' ' * row.indent}{row.text}" for row in rows]
            continue
        heads = [row.heads or () for row in rows]
        widths = [max(map(cell_len, column)) for column in zip(*heads, strict=True)]
        for row, cells in zip(rows, heads, strict=True):
            first = "".join(f"{set_cell_size(*each)} " for each in zip(cells, widths, strict=True))
            for number, part in enumerate(row.text.split("\n")):
                before = " " * cell_len(first) if number else first
                texts.append(f"{' ' * row.indent}{before}│ {part}".rstrip())
    return "\n".join(texts)


def _groups(lines: Iterable[Line]) -> Iterator[tuple[int | None, list[Line]]]:
    """Yield the lines that make one table, with its number of heads; None for lines of ours."""
    for columns, rows in groupby(lines, lambda row: None if row.heads is None else len(row.heads)):
        yield columns, list(rows)


class _BarredText:
    """Foreign text, folded, with a bar before each of its lines."""

    def __init__(self, text: Text) -> None:
        self.text = text

    def __rich_console__(self, console: Any, options: Any) -> Iterator[RenderableType]:
        """Yield the lines as wide as there is room."""
        room = max(options.max_width - 2, 1)
        lines = self.text.wrap(console, room, overflow="fold")
        yield Text("\n").join(Text.assemble(("│ ", "dim"), line) for line in lines)

    def __rich_measure__(self, console: Any, options: Any) -> Any:
        """Take the width of the longest line, at most all there is."""
        from rich.measure import Measurement  # noqa: PLC0415  # only where something is drawn

        inner = self.text.__rich_measure__(console, options)
        return Measurement(min(3, options.max_width), min(inner.maximum + 2, options.max_width))
