"""Print views for people: coloured and as wide as their terminal, or plain for a pipe."""

import io
import re
import sys
from collections.abc import Callable
from typing import Any

from rich.cells import cell_len
from rich.console import Console, RenderableType

from minerva_platform.cli.io.stream import is_terminal, write_text

WIDE = 120
"""Columns of output to a file or a pipe."""


def show(draw: Callable[[int], RenderableType | None]) -> None:
    """Print what `draw` returns for the columns there are; nothing for None."""
    if is_terminal(sys.stdout):
        console = Console(highlight=False)
        drawn = draw(console.width)
        if drawn is not None:
            console.print(drawn)
        return
    drawn = draw(WIDE)
    if drawn is not None:
        write_text(to_plain_text(drawn, WIDE))


def to_plain_text(renderable: Any, width: int) -> str:
    """Return `drawn` without colours and without blanks at the ends of its lines."""
    file = io.StringIO()
    console = Console(file=file, width=width, color_system=None, force_terminal=False)
    console.print(renderable, highlight=False)
    lines = file.getvalue().removesuffix("\n").split("\n")
    return "\n".join(line.rstrip() for line in lines)


def cut(text: str, room: int) -> str:
    """Return what `room` cells hold of `text`: it ends after an item of a list, else after a word.

    No word is broken: `…` alone stands where the first one has no room.
    """
    if cell_len(text) <= room:
        return text
    for end in (r"(?<=,) ", " "):
        kept = ""
        for piece in re.split(end, text):
            longer = f"{kept} {piece}".strip()
            if cell_len(longer) + 2 > room:
                break
            kept = longer
        if kept:
            return f"{kept} …"
    return "…"
