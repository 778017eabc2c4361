"""The grammar of the `minerva` command: its commands and options, without their work.

`minerva --help` must cost next to nothing, so each command loads its own module when it is
called.
"""

from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from minerva_observability.tracing import mask_text
from minerva_platform.cli.ask.commands import AskOptions, ChatOptions, DemoOptions, ExplainOptions
from minerva_platform.cli.background.commands import OF_RUNS, WorkerOptions
from minerva_platform.cli.decide import commands as decide
from minerva_platform.cli.decide.commands import AuditOptions, waiting
from minerva_platform.cli.io.command import add_commands
from minerva_platform.cli.io.exit_codes import (
    ExitCode,
    error_to_exit_code,
    leave,
    spare_the_collector,
)
from minerva_platform.cli.io.stream import open_closed_streams
from minerva_platform.cli.maintenance import commands as maintenance
from minerva_platform.cli.new_team.commands import new
from minerva_platform.cli.records import commands as records
from minerva_platform.cli.records.commands import runs
from minerva_platform.cli.serve.commands import ServeOptions, token
from minerva_platform.cli.teams import options as teams
from minerva_platform.cli.teams.commands import TeamCommand, team_commands
from minerva_platform.cli.training.commands import EvalOptions, route
from minerva_platform.errors import MinervaError
from minerva_platform.text.command_hint import minerva_command

# ruff: noqa: PLC0415  # each command's imports wait for its call


_GROUPS = ("waiting", "route", "runs")
"""Commands with commands of their own. Typer lists them last."""


class _Commands(TyperGroup):
    """Knows teams' commands, too; says MINERVA's own errors in plain words and ends with 2.

    With 130 after Ctrl-C.
    """

    def list_commands(self, ctx: Any) -> list[str]:
        """Return our own commands, then those of teams; ours go before theirs of the same name."""
        own = [name for name in super().list_commands(ctx) if name not in _GROUPS]
        own.insert(own.index("approve"), "waiting")
        own.insert(own.index("worker"), "runs")
        own.insert(own.index("runs"), "route")
        return list(dict.fromkeys([*own, *team_commands()]))

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return a command; a team's is loaded when it is called."""
        own = super().get_command(ctx, cmd_name)
        if own is not None:
            return own
        brought = team_commands().get(cmd_name)
        return TeamCommand(cmd_name, brought) if brought else None

    def invoke(self, ctx: Any) -> Any:
        """Run the command that was typed."""
        try:
            return super().invoke(ctx)
        except MinervaError as error:
            typer.secho("minerva: ", err=True, fg="red", bold=True, nl=False)
            typer.echo(mask_text(str(error)), err=True)
            raise typer.Exit(error_to_exit_code(error)) from error
        except KeyboardInterrupt as error:
            raise typer.Exit(ExitCode.INTERRUPTED) from error


app = typer.Typer(
    name="minerva",
    cls=_Commands,
    help="Ask teams of agents. One platform routes, records and shows what they did.",
    epilog=f"Begin with: {minerva_command()} demo",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(*, value: bool) -> None:
    if value:
        from importlib.metadata import version

        typer.echo(f"minerva {version('minerva-platform')}")
        raise typer.Exit


@app.callback()
def _minerva(
    *,
    version: Annotated[  # noqa: ARG001  # its callback answers
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    from minerva_platform.cli.views.progress import say_notices

    say_notices()


add_commands(app, {"ask": AskOptions, "chat": ChatOptions})
app.add_typer(waiting, name="waiting")
add_commands(app, decide.COMMANDS)
add_commands(app, {"demo": DemoOptions, "explain": ExplainOptions})
add_commands(app, {"eval": EvalOptions, "worker": WorkerOptions, "serve": ServeOptions})
app.add_typer(token, name="token")
add_commands(runs, OF_RUNS)
app.add_typer(runs, name="runs")
add_commands(app, {"audit": AuditOptions})
add_commands(app, records.COMMANDS)
add_commands(app, maintenance.COMMANDS)
add_commands(app, teams.COMMANDS)
app.add_typer(route, name="route")
app.add_typer(new, name="new")


def main() -> None:
    """Run the command line and end the process with its exit code."""
    spare_the_collector()
    open_closed_streams()
    try:
        app(prog_name=minerva_command())
    except SystemExit as ending:
        leave(ending.code)
        raise
