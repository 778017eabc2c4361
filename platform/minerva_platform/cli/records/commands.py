"""The grammar of the commands about records: `runs`, `stats`, `tail`, `compact`, `dashboard`."""

from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from minerva_platform.cli.io.command import command, hand_down
from minerva_platform.cli.io.options import (
    Agent,
    Json,
    RunOrLast,
    RunsOptions,
    Source,
    TeamFilter,
    TenantOptions,
)
from minerva_platform.cli.records.figure_options import DashboardOptions, StatsOptions

# ruff: noqa: PLC0415  # each command's imports wait for its call


class _RunsGroup(TyperGroup):
    """Takes what is no command of its own for the id of a run: `minerva runs last`."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command that was typed, or `show`."""
        known = super().get_command(ctx, args[0]) if args else None
        return super().resolve_command(ctx, args if known else ["show", *args])


runs = typer.Typer(
    cls=_RunsGroup,
    rich_markup_mode=None,
    invoke_without_command=True,
    subcommand_metavar="[ID | COMMAND]",
    help="List the runs of all tenants, or show the hops of one.",
)


@runs.callback()
@command
def _runs(context: typer.Context, options: RunsOptions) -> None:
    if not hand_down(context):
        from minerva_platform.cli.records.runs import list_all

        list_all(options)


@runs.command("list")
@command
def _list(options: RunsOptions) -> None:
    """List the runs that are not on record yet, and the recorded ones, newest first."""
    from minerva_platform.cli.records.runs import list_all

    list_all(options)


@runs.command("show")
@command
def _show(run_id: RunOrLast, options: TenantOptions) -> None:
    """Show the hops of a run; `minerva runs ID` is short for it."""
    from minerva_platform.cli.records.runs import show_run

    show_run(run_id, options)


@command
def stats(options: StatsOptions) -> None:
    """Show calls, failures, times and shares of every agent, and what routing costs."""
    from minerva_platform.cli.records.stats import show_stats

    show_stats(options)


def tail(
    *,
    source: Source = None,
    team: TeamFilter = None,
    agent: Agent = None,
    failures: Annotated[
        bool, typer.Option("--failures", help="Only what failed, and what was done about it.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="JSON lines, as in a pipe.")] = False,
) -> None:
    """Show each span as it ends, in all processes; Ctrl-C ends it."""
    from minerva_platform.cli.records.tail import Wish, tail

    tail(Wish(source=source, team=team, agent=agent, failures=failures, as_json=as_json))


def compact(
    source: Annotated[
        Path | None, typer.Argument(metavar="[FOLDER]", help="Whose records; default: this home's.")
    ] = None,
    *,
    as_json: Json = False,
) -> None:
    """Turn files of records that nobody writes to any more into Parquet."""
    from minerva_platform.cli.records.compact import compact_source

    compact_source(source, as_json=as_json)


@command
def dashboard(options: DashboardOptions) -> None:
    """Show what was recorded as pages in a browser."""
    from minerva_platform.cli.records.dashboard import serve

    serve(options)
