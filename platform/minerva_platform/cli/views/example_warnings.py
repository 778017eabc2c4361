"""Show what is wrong with the workers' examples: too few, too much alike, or another's, too."""

from collections.abc import Iterable, Iterator

from rich.table import Table
from rich.text import Text

from minerva_platform.cli.io.escape import harmless
from minerva_platform.contract.assembled_team import AssembledTeam
from minerva_platform.routing.example_overlaps import NearExamples, TakenExamples, find_overlaps
from minerva_platform.routing.router_choice import learns_from_examples
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
    pair = " and ".join(f"{_short(text)}" for text in count.alike or ())
    return (
        f"`{count.path}` gives {count.examples} examples, of which {count.different} differ: "
        f"{pair} are alike. Say the same in other words, as different people would."
    )


def overlap_warnings(platform: AssembledTeam) -> Iterator[str]:
    """Yield a sentence for each pair of members that take each other's requests.

    Members take requests only if the router learns from examples.
    """
    for team in platform.teams:
        cards = [agent.card for agent in team.agents]
        if learns_from_examples(team) and len(cards) > 1:
            overlaps = find_overlaps(cards)
            yield from (f"`{team.name}`: {_near_text(item)}" for item in overlaps.near)
            yield from (f"`{team.name}`: {_taken_text(item)}" for item in overlaps.taken_examples)


def _near_text(overlap: NearExamples) -> str:
    one, other = overlap.members
    first, second = overlap.texts
    said = _short(first) if first == second else f"{_short(first)} and {_short(second)}"
    chosen = " and ".join(f"`{name}`" for name in dict.fromkeys(overlap.choices))
    more = f" (+{overlap.count - 1} more)" if overlap.count > 1 else ""
    return (
        f"`{one}` and `{other}` have the same example, or nearly: {said}; `minerva explain` "
        f"chooses {chosen}{more}. Keep it in the one that it belongs to."
    )


def _taken_text(overlap: TakenExamples) -> str:
    return (
        f"`{overlap.taker}` would be given {overlap.count} of {overlap.held_out} examples of "
        f"`{overlap.member}` that the router had not learned, such as {_short(overlap.text)}: they "
        "take each other's requests. Say in the `examples` what each does and the other does not."
    )


def _short(text: str) -> str:
    line = harmless(" ".join(text.split()))
    return f"“{line}”" if len(line) <= _MAX_CHARACTERS else f"“{line[:_MAX_CHARACTERS]}…”"
