"""The commands about records, `runs`, `stats`, `tail` and more, and their options."""

from pathlib import Path
from typing import Annotated, Any

from typer import Argument, Option, Typer
from typer.core import TyperGroup

from minerva_platform.cli.io.command import Options, add_commands, command
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


class ShowRunOptions(TenantOptions):
    """Show the hops of a run; `minerva runs ID` is short for it."""

    work = "records.runs:show_run"
    run: RunOrLast


class TailOptions(Options):
    """Show each span as it ends, in all processes; Ctrl-C ends it."""

    work = "records.tail:tail"
    source: Source = None
    team: TeamFilter = None
    agent: Agent = None
    failures: Annotated[
        bool, Option("--failures", help="Only what failed, and what was done about it.")
    ] = False
    as_json: Annotated[bool, Option("--json", help="JSON lines, as in a pipe.")] = False


class CompactOptions(Options):
    """Turn files of records that nobody writes to any more into Parquet."""

    work = "records.compact:compact_source"
    source: Annotated[
        Path | None, Argument(metavar="[FOLDER]", help="Whose records; default: this home's.")
    ] = None
    as_json: Json = False


COMMANDS = {
    "stats": StatsOptions,
    "tail": TailOptions,
    "compact": CompactOptions,
    "dashboard": DashboardOptions,
}


class _RunsGroup(TyperGroup):
    """Takes what is no command of its own for the id of a run: `minerva runs last`."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command that was typed, or `show`."""
        known = super().get_command(ctx, args[0]) if args else None
        return super().resolve_command(ctx, args if known else ["show", *args])


runs = Typer(
    cls=_RunsGroup,
    rich_markup_mode=None,
    invoke_without_command=True,
    subcommand_metavar="[ID | COMMAND]",
    help="List the runs of all tenants, or show one: its ID, or `last`.",
)
runs.callback()(command(RunsOptions, of_group=True))
add_commands(runs, {"list": RunsOptions, "show": ShowRunOptions})
