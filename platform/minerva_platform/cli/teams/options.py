"""The commands about teams, and their options."""

from typing import Annotated

from typer import Option

from minerva_platform.cli.io.command import Options
from minerva_platform.cli.io.options import Config, Json, Team


class TeamsOptions(Options):
    """Say who is there, and what each needs, wants and gives."""

    work = "teams.list:show_teams"
    as_json: Json = False
    config: Config = None


class GraphOptions(Options):
    """Print the whole tree as a mermaid diagram."""

    work = "teams.list:show_graph"
    team: Team = None
    config: Config = None


class CheckOptions(Options):
    """Say everything that is wrong with teams and settings."""

    work = "teams.check:check_everything"
    routes: Annotated[
        bool, Option("--routes", help="Count each worker's examples, and say which are thin.")
    ] = False
    config: Config = None


COMMANDS = {"teams": TeamsOptions, "graph": GraphOptions, "check": CheckOptions}
