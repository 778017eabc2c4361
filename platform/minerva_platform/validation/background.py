"""Find members in the background that others wait for: their work is not done when a call returns.

Nobody can wait for what such a member gives, sees or asks. So its hand-offs may be wanted, and may
not be needed.
"""

from collections.abc import Iterator
from typing import Any

from minerva_platform.contract.agent import BaseAgent
from minerva_platform.contract.assembled_team import AssembledTeam
from minerva_platform.contract.dataflow import Port
from minerva_platform.run_context.failures.source_location import location_of_class

_MEND = "take away its `background = True`"


def unmet_text(port: Port, root: AssembledTeam) -> str:
    """Return which agent needs a hand-off that no member of the tree gives, or none gives in time.

    In the second case it names team, member and place of the one that works in the background.
    """
    need = f"`{port.agent}` needs the hand-off `{port.kind}` (its input `{port.field}`), and"
    late = late_giver(port, root)
    if late is None:
        return f"{need} no member in the tree gives it"
    team, member = late
    said_by = f"`{member.name}` of the team `{team.name}`{_at(member, team)} gives it"
    return (
        f"{need} {said_by}, which works in the background and so gives it too late; {_MEND}, or "
        "let the input have a default"
    )


def late_giver(port: Port, root: AssembledTeam) -> tuple[AssembledTeam, BaseAgent[Any, Any]] | None:
    """Return the member in the background that gives what `port` needs, and its team."""
    for team in root.teams:
        for agent in team.agents:
            if agent.background and port.kind in agent.flow.gives:
                return team, agent
    return None


def unmet_problem(port: Port, root: AssembledTeam) -> str:
    """Return the whole sentence about a hand-off that never comes."""
    if late_giver(port, root) is not None:
        return f"{unmet_text(port, root)}."
    way = "add a producer, export it from its team, or make it optional"
    return f"{unmet_text(port, root)}: {way}."


def background_problems(team: AssembledTeam, path: str) -> Iterator[str]:
    """Yield the members in the background whose work the end of a visit waits for."""
    for word, named in (("audits", team.audits), ("asks a person about", team.approvals)):
        for kind, member in named.items():
            agent = team.by_name.get(member)
            if agent is not None and agent.background:
                yield (
                    f"`{path}/{member}`{_at(agent, team)} works in the background, and it {word} "
                    f"`{kind}` for the team `{team.name}`, which waits for it; {_MEND}, or name "
                    "another member."
                )


def _at(agent: BaseAgent[Any, Any], team: AssembledTeam) -> str:
    """Return where the member is declared, or else its team."""
    declared: Any = getattr(agent, "function", type(agent))
    place = location_of_class(declared) or location_of_class(type(team.declaration))
    return f" ({place})" if place else ""
