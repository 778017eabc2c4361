"""The grammar of the `minerva` command: its commands and options, without their work.

`minerva --help` must cost next to nothing, so each command loads its own module when it is
called.
"""

from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from minerva_observability.tracing import mask_text
from minerva_platform.cli.background.commands import cancel, events, wait, worker
from minerva_platform.cli.decide.commands import (
    approve,
    audit,
    edit,
    reject,
    respond,
    resume,
    waiting,
)
from minerva_platform.cli.io.command import command
from minerva_platform.cli.io.exit_codes import (
    ExitCode,
    error_to_exit_code,
    leave,
    spare_the_collector,
)
from minerva_platform.cli.io.options import (
    AnswerLanguage,
    Config,
    Inputs,
    Json,
    NewTeamOptions,
    Out,
    Router,
    Team,
    Text,
    Thread,
)
from minerva_platform.cli.io.stream import open_closed_streams
from minerva_platform.cli.maintenance.commands import backup, doctor, encrypt, forget, prune
from minerva_platform.cli.records.commands import compact, dashboard, runs, stats, tail
from minerva_platform.cli.serve.commands import serve, token
from minerva_platform.cli.teams.commands import TeamCommand, team_commands
from minerva_platform.cli.training.commands import evaluate, route
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


@app.command("ask")
def _ask(  # noqa: PLR0913  # each is an option that people type
    text: Text,
    *,
    inputs: Inputs = None,
    team: Team = None,
    router: Router = None,
    thread: Thread = None,
    language: AnswerLanguage = None,
    out: Out = None,
    background: Annotated[
        bool,
        typer.Option("--background", help="Put it in the queue of `minerva worker`, and go on."),
    ] = False,
    as_json: Json = False,
    config: Config = None,
) -> None:
    """Answer a request."""
    from minerva_platform.cli.ask.ask import AskOptions, ask

    options = AskOptions(text, inputs or [], team, router, out, as_json, config, thread, language)
    if background:
        from minerva_platform.cli.background.background import ask_in_background

        raise typer.Exit(ask_in_background(options))
    raise typer.Exit(ask(options))


@app.command("chat")
def _chat(
    *,
    inputs: Inputs = None,
    team: Team = None,
    router: Router = None,
    thread: Thread = None,
    language: AnswerLanguage = None,
    as_json: Json = False,
    config: Config = None,
) -> None:
    """Talk: one request a line, each may refer to those before it.

    /file PATH works on a file from now on, /new begins anew, /quit or Ctrl-D ends.
    """
    from minerva_platform.cli.ask.ask import AskOptions
    from minerva_platform.cli.ask.chat import chat

    options = AskOptions("", inputs or [], team, router, None, as_json, config, thread, language)
    raise typer.Exit(chat(options))


app.add_typer(waiting, name="waiting")
app.command("approve")(approve)
app.command("edit")(edit)
app.command("reject")(reject)
app.command("respond")(respond)
app.command("resume")(resume)


@app.command("demo")
def _demo(*, language: AnswerLanguage = None, out: Out = None, config: Config = None) -> None:
    """Answer the bundled example."""
    from minerva_platform.cli.ask.demo import demo

    raise typer.Exit(demo(config, language=language, out=out))


@app.command("explain")
def _explain(  # noqa: PLR0913  # each is an option that people type
    text: Text,
    *,
    inputs: Inputs = None,
    team: Team = None,
    router: Router = None,
    thread: Thread = None,
    language: AnswerLanguage = None,
    as_json: Json = False,
    config: Config = None,
) -> None:
    """Show who would be asked, and why; run nothing."""
    from minerva_platform.cli.ask.ask import AskOptions
    from minerva_platform.cli.ask.explain import explain

    options = AskOptions(text, inputs or [], team, router, None, as_json, config, thread, language)
    raise typer.Exit(explain(options))


app.command("eval")(evaluate)
app.command("worker")(worker)
app.command("serve")(serve)
app.add_typer(token, name="token")
runs.command("wait")(wait)
runs.command("events")(events)
runs.command("cancel")(cancel)
app.add_typer(runs, name="runs")
app.command("audit")(audit)
app.command("stats")(stats)
app.command("tail")(tail)
app.command("compact")(compact)
app.command("dashboard")(dashboard)
app.command("doctor")(doctor)
app.command("prune")(prune)
app.command("forget")(forget)
app.command("backup")(backup)
app.command("encrypt")(encrypt)


@app.command("teams")
def _teams(*, as_json: Json = False, config: Config = None) -> None:
    """Say who is there, and what each needs, wants and gives."""
    from minerva_platform.cli.teams.list import show_teams

    show_teams(config, as_json=as_json)


@app.command("graph")
def _graph(*, team: Team = None, config: Config = None) -> None:
    """Print the whole tree as a mermaid diagram."""
    from minerva_platform.cli.teams.list import show_graph

    show_graph(team, config)


@app.command("check")
def _check(
    *,
    routes: Annotated[
        bool, typer.Option("--routes", help="Count each worker's examples, and say which are thin.")
    ] = False,
    config: Config = None,
) -> None:
    """Say everything that is wrong with teams and settings."""
    from minerva_platform.cli.teams.check import check_everything

    raise typer.Exit(check_everything(config, with_routes=routes))


new = typer.Typer(
    rich_markup_mode=None, no_args_is_help=True, help="Write the beginning of something new."
)


@new.command("team")
@command
def _new_team(options: NewTeamOptions) -> None:
    """Write a team in a project of its own that works and passes its tests at once."""
    from minerva_platform.cli.new_team.new_team import write_team

    write_team(options)


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
