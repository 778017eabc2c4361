"""The grammar of the command that writes a new team."""

from pathlib import Path
from typing import Annotated

import typer

# ruff: noqa: PLC0415  # each command's imports wait for its call

new = typer.Typer(
    rich_markup_mode=None, no_args_is_help=True, help="Write the beginning of something new."
)


@new.command("team")
def new_team(
    name: Annotated[str, typer.Argument(metavar="NAME", help="snake_case, such as billing.")],
    *,
    minimal: Annotated[
        bool, typer.Option("--minimal", help="One file of a worker, one of a team, one of tests.")
    ] = False,
    function: Annotated[
        str | None,
        typer.Option(
            "--from-function",
            metavar="MODULE:NAME",
            help="Its worker calls a function of yours, `def f(request: str) -> str`; "
            "./file.py:NAME, too.",
        ),
    ] = None,
    graph: Annotated[
        str | None,
        typer.Option(
            "--from-graph",
            metavar="MODULE:NAME",
            help="Its worker runs a LangGraph graph of yours, compiled or not, or a function that "
            "returns one; ./file.py:NAME, too.",
        ),
    ] = None,
    router: Annotated[
        str | None,
        typer.Option(
            "--router",
            metavar="NAME",
            help="A model leads the team: `tools`, one tool for each member, or `dispatch`, one "
            "for all. Without a model the examples lead.",
        ),
    ] = None,
    directory: Annotated[
        Path | None,
        typer.Option(
            "--dir",
            metavar="DIR",
            help="A new folder, outside MINERVA's checkout. Without it: minerva-team-NAME, "
            "beside the checkout you stand in, else here.",
        ),
    ] = None,
) -> None:
    """Write a team in a project of its own that works and passes its tests at once."""
    from minerva_platform.cli.new_team.new_team import Beginning, write_team

    write_team(name, directory, Beginning(minimal, function, graph, router))
