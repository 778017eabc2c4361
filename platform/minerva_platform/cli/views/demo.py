"""Draw the views of `minerva demo`: a short table per team, the hop tree, the next commands.

A terminal gets colours and as many columns of a table as it has room for; a pipe gets Markdown.
"""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.cells import cell_len
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from minerva_platform.cli.io.console import WIDE, cut, show, to_plain_text
from minerva_platform.cli.io.stream import is_terminal, printable, write_text
from minerva_platform.cli.views.answer_parts import Part, parts_of
from minerva_platform.cli.views.hop_tree import HopTree
from minerva_platform.cli.views.hops import Look, draw_tree
from minerva_platform.text.language import Language, has_hangul
from minerva_platform.text.texts import read_texts

_ROWS = 2
"""Rows that are shown of a team's table."""
_GAP = 2
_LONG_CHARACTERS, _MIN_CHARACTERS = 36, 22
"""Cells above which a column may be cut, and what is left of it at least."""

TEXTS = read_texts("minerva_platform.cli.views", "demo")


@dataclass(frozen=True, slots=True)
class Shown:
    """The shown values of a run."""

    answer: str
    tree: HopTree
    file: Path
    """Where the whole answer lies."""
    artifacts: int
    commands: Sequence[tuple[str, str]]
    """The next commands, each with its purpose."""
    ending: str
    """How the run ended; empty if all went well."""
    language: Language


def show_opening(about: str, request: str, inputs: Sequence[Path]) -> None:
    """Print the description of the example, then the request."""
    if not is_terminal(sys.stdout):
        files = [f"`-i {path}`" for path in inputs]
        write_text("\n\n".join(filter(None, (about, f"> “{request}”", *files))) + "\n")
        return
    show(lambda _: draw_opening(about, request))


def show_demo(shown: Shown) -> None:
    """Print the results of the request."""
    if is_terminal(sys.stdout):
        show(lambda width: draw_demo(shown, width))
    else:
        write_text("\n\n".join(_written(shown)))


def draw_opening(about: str, request: str) -> Group:
    """Return the description of the example, then the request."""
    parts = [Text(f"{about}\n")] if about else []
    return Group(*parts, Text(f"“{request}”\n", style="bold"))


def draw_demo(shown: Shown, width: int) -> Group:
    """Return the results of the request, for `width` columns."""
    return Group(*_drawn(shown, width))


def _drawn(shown: Shown, width: int) -> Iterator[RenderableType]:
    for part in parts_of(shown.answer):
        title = [Text(part.title, style="bold cyan")] if part.title else []
        lines = fitted(part, width - _GAP, shown.language)
        yield from (*title, Text(part.lead))
        yield Padding(_grid(lines), (0, 0, 1, _GAP)) if lines else Text("")
    yield Text(TEXTS("hops", shown.language), style="bold cyan")
    look = Look(width=width - _GAP, language=shown.language)
    yield Padding(draw_tree(shown.tree, look), (0, 0, 1, _GAP))
    yield Text(f"{_where(shown)} ").append(TEXTS("next", shown.language), style="bold cyan")
    yield Padding(_next(shown.commands, width - _GAP), (0, 0, 0, _GAP))
    if shown.ending:
        yield Text(shown.ending, style="bold")


def _grid(lines: Sequence[Sequence[str]]) -> Table:
    table = Table.grid(padding=(0, _GAP, 0, 0))
    for _ in lines[0]:
        table.add_column(no_wrap=True)
    for number, cells in enumerate(lines):
        table.add_row(*(Text(cell) for cell in cells), style="dim" if number == 0 else "")
    return table


def _next(commands: Sequence[tuple[str, str]], room: int) -> Table:
    """Return the commands, with what they do if there is room for it in their line."""
    told = max((cell_len(text) for _, text in commands), default=0)
    widest = max((cell_len(command) for command, _ in commands), default=0)
    table = Table.grid(padding=(0, _GAP, 0, 0))
    table.add_column(overflow="fold")
    if widest + _GAP + told <= room:
        table.add_column(style="dim", no_wrap=True)
    for row in commands:
        table.add_row(*(Text(text) for text in row[: len(table.columns)]))
    return table


def _written(shown: Shown) -> Iterator[str]:
    for part in parts_of(shown.answer):
        yield from (f"## {part.title}",) if part.title else ()
        yield from (part.lead,) if part.lead else ()
        if lines := fitted(part, WIDE, shown.language):
            rows = [" | ".join(cell.replace("|", "\\|") for cell in cells) for cells in lines]
            under = " | ".join("---" for _ in lines[0])
            yield "\n".join(f"| {row} |" for row in (rows[0], under, *rows[1:]))
    tree = to_plain_text(draw_tree(shown.tree, Look(width=WIDE, language=shown.language)), WIDE)
    yield f"## {TEXTS('hops', shown.language)}"
    yield f"```text\n{tree}\n```"
    yield f"{_where(shown)} {TEXTS('next', shown.language)}"
    yield "\n".join(f"- `{command}`: {text}" for command, text in shown.commands)
    yield from (shown.ending,) if shown.ending else ()


def _where(shown: Shown) -> str:
    return TEXTS("answer", shown.language, file=shown.file, count=shown.artifacts)


def fitted(part: Part, room: int, language: Language) -> list[list[str]]:
    """Return the head and the first rows of the table of `part`, as wide as there is room.

    Columns are left out from the right, cells end after a word, so no identifier is broken. A
    reader of English gets no column of names in Korean: a glossary and a policy are quoted as
    they are, and the whole answer has them.
    """
    table = [part.head, *part.rows[:_ROWS]]
    columns = [[printable(cell) for cell in column] for column in zip(*table, strict=True)]
    if language == "en" and columns:
        first = [_before_hangul(cell) for cell in columns[0]]
        columns = [first, *(cells for cells in columns[1:] if not any(map(has_hangul, cells[1:])))]
    widths = _widths([max(map(cell_len, cells)) for cells in columns], room)
    shown = [
        [cut(cell, width) for cell in cells] for cells, width in zip(columns, widths, strict=False)
    ]
    return [list(cells) for cells in zip(*shown, strict=True)]


def _before_hangul(cell: str) -> str:
    words = cell.split(" ")
    plain = next((n for n, word in enumerate(words) if has_hangul(word)), len(words))
    return cell if plain in {0, len(words)} else " ".join(words[:plain])


def _widths(natural: Sequence[int], room: int) -> list[int]:
    """Return the cells of the columns that there is room for, from the left."""
    least = [_MIN_CHARACTERS if width > _LONG_CHARACTERS else width for width in natural]
    while least and sum(least) + _GAP * (len(least) - 1) > room:
        least.pop()
    spare = room - sum(least) - _GAP * (len(least) - 1)
    widths: list[int] = []
    for width, wanted in zip(least, natural, strict=False):
        more = min(wanted - width, spare)
        spare -= more
        widths.append(width + more)
    return widths
