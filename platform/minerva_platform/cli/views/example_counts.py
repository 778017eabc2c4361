"""Show how many examples each worker has, and which of them teach a router little."""

from collections.abc import Iterable

from rich.table import Table
from rich.text import Text

from minerva_platform.cli.io.escape import harmless
from minerva_platform.validation.team_declarations import ENOUGH_EXAMPLES
from minerva_platform.validation.thin_examples import RELIABLE_EXAMPLES, ExampleCount

_MAX_CHARACTERS = 60
"""Characters of an example that are shown."""


def example_table(counts: Iterable[ExampleCount]) -> Table:
    """Return a table with a row a worker."""
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for title in ("worker", "examples", "different", "Korean", "other", ""):
        is_number = title not in {"worker", ""}
        table.add_column(title, justify="right" if is_number else "left", overflow="fold")
    for count in counts:
        numbers = (count.examples, count.different, count.korean, count.examples - count.korean)
        table.add_row(harmless(count.path), *(f"{number:,}" for number in numbers), _note(count))
    return table


def _note(count: ExampleCount) -> Text:
    if count.is_thin:
        return Text(f"thin: {ENOUGH_EXAMPLES} different ones are wanted", "yellow")
    if not count.is_reliable:
        return Text(f"enough to begin; reliable from {RELIABLE_EXAMPLES}", "dim")
    return Text("")


def thin_text(count: ExampleCount) -> str:
    """Return the warning about examples that are too much alike."""
    pair = " and ".join(f"“{_short(text)}”" for text in count.alike or ())
    return (
        f"`{count.path}` gives {count.examples} examples, of which {count.different} differ: "
        f"{pair} are alike. Say the same in other words, as different people would."
    )


def _short(text: str) -> str:
    line = harmless(" ".join(text.split()))
    return line if len(line) <= _MAX_CHARACTERS else f"{line[:_MAX_CHARACTERS]}…"
