"""A question to a person, and the changes of an edit: drawn at a terminal, Markdown in a pipe."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from minerva_platform.cli.decide.question_text import TEXTS, Asking, Manner, see
from minerva_platform.text.language import Language
from minerva_platform.text.markdown import code_span, escaped, markdown_table


def draw_question(asking: Asking, language: Language, *, whole: bool = False) -> RenderableType:
    """Return a question drawn for a terminal. Foreign lines stand behind a bar."""
    seen = see(asking, language, Manner(whole, "\n"))
    parts: list[RenderableType] = [Text(f"? {seen.title}", "bold cyan")]
    if seen.words:
        parts.append(Padding(_grid([("", "\n".join(seen.words))]), (0, 0, 0, 2)))
    if seen.arguments:
        parts.append(Padding(_grid(seen.arguments), (0, 0, 0, 2)))
    parts += [Padding(Text(note, "yellow"), (0, 0, 0, 2)) for note in seen.notes]
    return Group(*parts)


def _grid(rows: Sequence[tuple[str, str]]) -> Table:
    table = Table.grid(padding=(0, 1, 0, 0))
    table.add_column(style="bold", overflow="fold", max_width=30)
    table.add_column(overflow="fold")
    for name, value in rows:
        table.add_row(Text(name), Barred(value))
    return table


class Barred:
    """Foreign text, folded, with a bar before each of its lines."""

    def __init__(self, text: str, *, style: str = "") -> None:
        self.text = Text(text, style)

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


def question_markdown(asking: Asking, language: Language, *, whole: bool = False) -> str:
    """Return a question as Markdown, with the commands that decide."""
    seen = see(asking, language, Manner(whole, quoted=escaped))
    parts = [f"**{seen.title}**"]
    if seen.words:
        parts.append("\n".join(f"> {escaped(line)}" for line in seen.words))
    if seen.arguments:
        header = TEXTS.row("header", language)
        rows = [(code_span(name), code_span(value)) for name, value in seen.arguments]
        parts.append(markdown_table(header, rows))
    parts += seen.notes
    parts.append("\n".join(f"- {line}" for line in command_lines(asking, language, code_span)))
    return "\n\n".join(parts)


def command_lines(
    asking: Asking, language: Language, quoted: Callable[[str], str] = str
) -> list[str]:
    """Return what may be decided, each with the command that decides so."""
    kind = asking.question.kind
    return [
        f"{TEXTS(f'names.{kind}.{each}', language)}: {quoted(command)}"
        for each, command in asking.commands.items()
    ]
