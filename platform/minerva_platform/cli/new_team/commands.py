"""The command that writes the beginning of something new, and its options."""

from pathlib import Path
from typing import Annotated

from typer import Argument, Option, Typer

from minerva_platform.cli.io.command import Options, add_commands
from minerva_platform.cli.io.options import Maybe


class NewTeamOptions(Options):
    """Write a team in a project of its own that works and passes its tests at once."""

    work = "new_team.new_team:write_team"
    name: Annotated[str, Argument(metavar="NAME", help="snake_case, such as billing.")]
    minimal: Annotated[
        bool, Option("--minimal", help="One file of a worker, one of a team, one of tests.")
    ] = False
    function: Annotated[
        Maybe,
        Option(
            "--from-function",
            metavar="MODULE:NAME",
            help="Its worker calls a function of yours, `def f(request: str) -> str`; "
            "./file.py:NAME, too.",
        ),
    ] = None
    graph: Annotated[
        Maybe,
        Option(
            "--from-graph",
            metavar="MODULE:NAME",
            help="Its worker runs a LangGraph graph of yours, compiled or not, or a function that "
            "returns one; ./file.py:NAME, too.",
        ),
    ] = None
    router: Annotated[
        Maybe,
        Option(
            "--router",
            metavar="NAME",
            help="A model leads the team: `tools`, one tool for each member, or `dispatch`, one "
            "for all. Without a model the examples lead.",
        ),
    ] = None
    directory: Annotated[
        Path | None,
        Option(
            "--dir",
            metavar="DIR",
            help="A new folder, outside MINERVA's checkout. Without it: minerva-team-NAME, "
            "beside the checkout you stand in, else here.",
        ),
    ] = None


new = Typer(
    rich_markup_mode=None, no_args_is_help=True, help="Write the beginning of something new."
)
add_commands(new, {"team": NewTeamOptions})
