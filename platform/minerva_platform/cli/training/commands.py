"""The grammar of the commands that measure routes and correct them."""

from pathlib import Path
from typing import Annotated

import typer

from minerva_platform.cli.io.options import Config, Json, Language, Router, Team

# ruff: noqa: PLC0415  # each command's imports wait for its call


def evaluate(  # noqa: PLR0913  # each is an option that people type
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="Requests with `text`, `teams` and more: YAML, or JSON Lines (.jsonl).",
        ),
    ],
    *,
    least: Annotated[
        float | None,
        typer.Option(
            "--min", min=0, max=1, metavar="SHARE", help="End with 3 if fewer are right: 0.9."
        ),
    ] = None,
    is_run: Annotated[
        bool,
        typer.Option("--run", help="Run each request: workers work, answers are judged, too."),
    ] = False,
    team: Team = None,
    router: Router = None,
    as_json: Json = False,
    language: Language = None,
    config: Config = None,
) -> None:
    """Judge who would be asked for requests whose teams, workers and facts are known.

    Nothing is run without --run. Such runs are not recorded; what workers do and make stays.
    """
    from minerva_platform.cli.training.evaluate import EvalOptions, evaluate as judge

    options = EvalOptions(
        file=file,
        least=least,
        is_run=is_run,
        team=team,
        router=router,
        as_json=as_json,
        language=language,
        config=config,
    )
    raise typer.Exit(judge(options))


route = typer.Typer(
    rich_markup_mode=None, no_args_is_help=True, help="Correct which worker is asked for what."
)


@route.callback()
def _route() -> None:
    pass


@route.command("add")
def add(  # noqa: PLR0913  # each is an option that people type
    text: Annotated[
        str, typer.Argument(metavar="TEXT", help="The request, as people type it; - reads stdin.")
    ],
    *,
    to: Annotated[
        str | None,
        typer.Option("--to", metavar="WORKER", help="The worker that it should reach."),
    ] = None,
    decline: Annotated[bool, typer.Option("--decline", help="No team serves it.")] = False,
    team: Annotated[
        str | None,
        typer.Option(
            "--team", metavar="NAME", help="With --decline: the team; else the one asked now."
        ),
    ] = None,
    source: Annotated[
        bool,
        typer.Option(
            "--source", help="Write to examples/WORKER.txt of a team that is installed editable."
        ),
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Write it without asking.")] = False,
    as_json: Json = False,
    language: Language = None,
    config: Config = None,
) -> None:
    """Teach a router one request: an example of a worker, or one to decline.

    Shows the change of configs/teams/TEAM.yaml and which known requests it moves; then asks.
    """
    from minerva_platform.cli.training.add import AddOptions, add_route

    options = AddOptions(
        text=text,
        to=to,
        decline=decline,
        team=team,
        source=source,
        yes=yes,
        as_json=as_json,
        language=language,
        config=config,
    )
    raise typer.Exit(add_route(options))
