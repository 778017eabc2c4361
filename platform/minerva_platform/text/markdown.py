"""Markdown from foreign text, which neither ends a cell nor becomes markup."""

import re
from collections.abc import Iterable, Sequence
from typing import Final

_BACKTICKS: Final = re.compile("`+")
_BARE_PIPE: Final = re.compile(r"(?<!\\)((?:\\\\)*)\|")
"""A pipe with an even number of backslashes before it: nothing escapes it yet."""
_MARKUP: Final = str.maketrans(
    {
        "|": "\\|",
        "`": "\\`",
        "[": "\\[",
        "]": "\\]",
        "*": "\\*",
        "<": "&lt;",
        ">": "&gt;",
        "\\": "\\\\",
    }
)


def _one_line(text: str) -> str:
    """Return `text` without line breaks and control characters, each run of spaces as one."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def escaped(text: str, max_characters: int | None = None) -> str:
    """Return `text` as one line of Markdown that shows it as it is, cut with `…`."""
    line = _one_line(text)
    if max_characters is not None and len(line) > max_characters:
        line = f"{line[: max_characters - 1]}…"
    return line.translate(_MARKUP)


def code_span(text: str) -> str:
    """Return `text` as inline code; it may hold any characters."""
    flat = text if text.isprintable() else "".join(c if c.isprintable() else " " for c in text)
    longest = max((len(run) for run in _BACKTICKS.findall(flat)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if longest else ""
    return f"{fence}{pad}{flat}{pad}{fence}"


def markdown_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table whose cells are Markdown already; a bare pipe in one is escaped."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(map(_cell, line))} |" for line in lines)


def _cell(markdown: str) -> str:
    """Return `markdown` as a cell: one line, every pipe escaped once."""
    if "|" not in markdown and markdown.isprintable():
        return markdown  # most cells: a schema's table has ten thousand of them
    flat = "".join(c if c.isprintable() else " " for c in markdown)
    return _BARE_PIPE.sub(r"\1\\|", flat)
