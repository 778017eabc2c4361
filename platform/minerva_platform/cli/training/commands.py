"""The commands that measure routes and correct them, and their options."""

from pathlib import Path
from typing import Annotated

from typer import Argument, Option, Typer

from minerva_platform.cli.io.command import add_commands
from minerva_platform.cli.io.options import Maybe, OutputOptions, Router, Team


class EvalOptions(OutputOptions):
    """Judge who would be asked for requests whose teams, workers and facts are known.

    Nothing is run without --run. Such runs are not recorded; what workers do and make stays.
    """

    work = "training.evaluate:evaluate"
    file: Annotated[
        Path,
        Argument(
            metavar="FILE",
            help="Requests with `text`, `teams` and more: YAML, or JSON Lines (.jsonl).",
        ),
    ]
    least: Annotated[
        float | None,
        Option("--min", min=0, max=1, metavar="SHARE", help="End with 3 if fewer are right: 0.9."),
    ] = None
    is_run: Annotated[
        bool, Option("--run", help="Run each request: workers work, answers are judged, too.")
    ] = False
    team: Team = None
    router: Router = None


class AddOptions(OutputOptions):
    """Teach a router one request: an example of a worker, or one to decline.

    Shows the change of configs/teams/TEAM.yaml and which known requests it moves; then asks.
    """

    work = "training.add:add_route"
    text: Annotated[
        str, Argument(metavar="TEXT", help="The request, as people type it; - reads stdin.")
    ]
    to: Annotated[
        Maybe, Option("--to", metavar="WORKER", help="The worker that it should reach.")
    ] = None
    decline: Annotated[bool, Option("--decline", help="No team serves it.")] = False
    team: Annotated[
        Maybe,
        Option("--team", metavar="NAME", help="With --decline: the team; else the one asked now."),
    ] = None
    source: Annotated[
        bool,
        Option(
            "--source", help="Write to examples/WORKER.txt of a team that is installed editable."
        ),
    ] = False
    yes: Annotated[bool, Option("--yes", help="Write it without asking.")] = False


route = Typer(
    rich_markup_mode=None, no_args_is_help=True, help="Correct which worker is asked for what."
)


@route.callback()
def _route() -> None:
    pass


add_commands(route, {"add": AddOptions})
