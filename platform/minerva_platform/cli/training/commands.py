"""The grammar of the commands that measure routes and correct them."""

import typer

from minerva_platform.cli.io.command import command
from minerva_platform.cli.io.options import AddOptions, EvalOptions

# ruff: noqa: PLC0415  # each command's imports wait for its call


@command
def evaluate(options: EvalOptions) -> int:
    """Judge who would be asked for requests whose teams, workers and facts are known.

    Nothing is run without --run. Such runs are not recorded; what workers do and make stays.
    """
    from minerva_platform.cli.training.evaluate import evaluate as judge

    return judge(options)


route = typer.Typer(
    rich_markup_mode=None, no_args_is_help=True, help="Correct which worker is asked for what."
)


@route.callback()
def _route() -> None:
    pass


@route.command("add")
@command
def add(options: AddOptions) -> int:
    """Teach a router one request: an example of a worker, or one to decline.

    Shows the change of configs/teams/TEAM.yaml and which known requests it moves; then asks.
    """
    from minerva_platform.cli.training.add import add_route

    return add_route(options)
