"""Show an answer to a person: Markdown drawn for a terminal."""

from typing import ClassVar

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.markdown import Heading, Markdown, TableElement
from rich.padding import Padding
from rich.table import Table

from minerva_platform.cli.io.stream import printable


class _LeftHeading(Heading):
    """Rich centres headings, which looks lost on a wide terminal."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Draw the heading at the left, the higher the bolder."""
        style = {"h1": "bold cyan underline", "h2": "bold cyan", "h3": "bold"}.get(
            self.tag, "bold dim"
        )
        self.text.justify = "left"
        self.text.stylize(style)
        yield Padding(self.text, (1 if self.tag in {"h1", "h2"} else 0, 0, 0, 0))


class _WholeTable(TableElement):
    """Rich cuts words that do not fit a column; an answer must not lose any."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Draw the table with its names in one piece and everything else folded."""
        for table in super().__rich_console__(console, options):
            if isinstance(table, Table):
                for column in table.columns:
                    column.overflow = "fold"
                names = table.columns[0]
                longest = max(cell_len(str(cell)) for cell in names.cells)
                names.no_wrap = longest * 3 <= options.max_width
            yield table


class AnswerMarkdown(Markdown):
    """Markdown as answers need it."""

    elements: ClassVar = {
        **Markdown.elements,
        "heading_open": _LeftHeading,
        "table_open": _WholeTable,
    }


def draw_markdown(text: str) -> Markdown:
    """Return `text` drawn as Markdown; nothing in it can command the terminal."""
    return AnswerMarkdown(printable(text), code_theme="ansi_dark")
