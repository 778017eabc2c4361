"""`minerva teams` and `minerva graph`: all agents, as a list and as a diagram."""

from collections.abc import Iterator
from typing import Any

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from minerva_platform.assembly.platform_tree import build_platform
from minerva_platform.cli.ask.open_app import open_app, say_left_out
from minerva_platform.cli.io.console import show
from minerva_platform.cli.io.stream import answers_only, write_json, write_text
from minerva_platform.cli.teams.options import GraphOptions, TeamsOptions
from minerva_platform.cli.views.progress import say
from minerva_platform.config.settings import find_settings
from minerva_platform.contract.agent import BaseAgent
from minerva_platform.contract.assembled_team import AssembledTeam
from minerva_platform.text.command_hint import minerva_command


def show_teams(options: TeamsOptions) -> None:
    """Print every team with its workers, and the hand-offs that each needs, wants and gives."""
    with answers_only():
        platform = build_platform(find_settings(options.config))
        entries = [agent_to_json(team) for team in platform.agents]
        say_left_out(platform.left_out)
    if options.as_json:
        missing = [entry.model_dump(mode="json") for entry in platform.left_out]
        write_json({"teams": entries, "left_out": missing})
        return
    if not entries:
        say(f"No team is installed. Write one: {minerva_command()} new team NAME")
    show(lambda _: Group(*(part for entry in entries for part in _draw(entry))))


def agent_to_json(agent: BaseAgent[Any, Any]) -> dict[str, Any]:
    """Return an agent's card as JSON, its members included."""
    entry: dict[str, Any] = {
        "name": agent.name,
        "description": agent.description,
        "needs": sorted(agent.flow.needs),
        "wants": sorted(agent.flow.wants),
        "gives": sorted(agent.flow.gives),
        "examples": len(agent.examples),
    }
    if isinstance(agent, AssembledTeam):
        entry["members"] = [agent_to_json(member) for member in agent.agents]
        entry["audits"] = dict(agent.audits)
        entry["approvals"] = dict(agent.approvals)
    return entry


def _draw(entry: dict[str, Any]) -> Iterator[RenderableType]:
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True, style="dim")
    table.add_column()
    for first, title, kinds in _rows(entry):
        table.add_row(first, title, kinds)
    yield Text(entry["name"], style="bold cyan")
    yield Padding(Text(entry["description"]), (0, 0, 0, 2))
    yield Padding(table, (1, 0, 1, 2))


def _rows(entry: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    for agent in (entry, *entry.get("members", ())):
        first = "the team" if agent is entry else agent["name"]
        ports = [(title, agent[title]) for title in ("needs", "wants", "gives") if agent[title]]
        for title, kinds in ports or [("", [])]:
            yield first, title, ", ".join(kinds)
            first = ""


def show_graph(options: GraphOptions) -> None:
    """Print the diagram in mermaid: every supervisor, every worker, every node."""
    with answers_only():
        app = open_app(find_settings(options.config), only_team=options.team)
        diagram = app.team.graph.get_graph(xray=True).draw_mermaid()
    write_text(diagram.rstrip())
