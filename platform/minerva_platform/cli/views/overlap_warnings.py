"""Warn of members that take each other's requests, one line for each pair."""

from collections.abc import Iterator

from minerva_platform.contract.assembled_team import AssembledTeam
from minerva_platform.routing.example_overlaps import NearExamples, TakenExamples, find_overlaps
from minerva_platform.routing.router_choice import learns_from_examples

_MAX_EXAMPLE_CHARACTERS = 60
"""Characters of an example that are shown."""


def overlap_warnings(platform: AssembledTeam) -> Iterator[str]:
    """Yield a sentence for each pair of members that take each other's requests.

    Members take requests only if the router learns from examples.
    """
    for team in platform.teams:
        cards = [agent.card for agent in team.agents]
        if learns_from_examples(team) and len(cards) > 1:
            overlaps = find_overlaps(cards)
            yield from (f"`{team.name}`: {_near_text(item)}" for item in overlaps.near)
            yield from (f"`{team.name}`: {_taken_text(item)}" for item in overlaps.taken)


def _near_text(overlap: NearExamples) -> str:
    one, other = overlap.members
    first, second = overlap.texts
    said = _short(first) if first == second else f"{_short(first)} and {_short(second)}"
    chosen = " and ".join(f"`{name}`" for name in dict.fromkeys(overlap.chosen))
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
    line = " ".join(text.split())
    return (
        f"“{line}”"
        if len(line) <= _MAX_EXAMPLE_CHARACTERS
        else f"“{line[:_MAX_EXAMPLE_CHARACTERS]}…”"
    )
