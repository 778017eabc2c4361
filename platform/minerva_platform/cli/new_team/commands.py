"""The grammar of the command that writes a new team."""

import typer

from minerva_platform.cli.io.command import command
from minerva_platform.cli.io.options import NewTeamOptions

new = typer.Typer(
    rich_markup_mode=None, no_args_is_help=True, help="Write the beginning of something new."
)


@new.command("team")
@command
def new_team(options: NewTeamOptions) -> None:
    """Write a team in a project of its own that works and passes its tests at once."""
    from minerva_platform.cli.new_team.new_team import write_team  # noqa: PLC0415  # heavy

    write_team(options)
