"""The grammar of the commands about records: `runs`, `stats`, `tail`, `compact`, `dashboard`."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from minerva_platform.cli.io.options import Agent, Config, Json, Limit, Source, TeamFilter

# ruff: noqa: PLC0415  # each command's imports wait for its call


class Groups(StrEnum):
    """What figures can be grouped by."""

    AGENT = "agent"
    NODE = "node"
    TEAM = "team"
    ARM = "arm"
    MODEL = "model"


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
    help="List the recorded runs, or show the hops of one.",
)


@runs.callback()
def _runs(
    context: typer.Context, *, limit: Limit = 20, as_json: Json = False, config: Config = None
) -> None:
    if context.invoked_subcommand is not None:
        return
    from minerva_platform.cli.records.runs import list_all

    list_all(limit, as_json=as_json, config=config)


@runs.command("list")
def _list(
    context: typer.Context, *, limit: Limit = 20, as_json: Json = False, config: Config = None
) -> None:
    """List the runs that wait in the queue, and the recorded ones, newest first."""
    from minerva_platform.cli.records.runs import list_all

    list_all(limit, as_json=as_json or _is_json(context), config=config)


@runs.command("show")
def _show(
    context: typer.Context,
    run_id: Annotated[
        str, typer.Argument(metavar="ID", help="A run's id, its beginning, or `last`.")
    ],
    *,
    as_json: Json = False,
) -> None:
    """Show the hops of a run; `minerva runs ID` is short for it."""
    from minerva_platform.cli.records.runs import show_run

    show_run(run_id, as_json=as_json or _is_json(context))


def _is_json(context: typer.Context) -> bool:
    """True if --json was typed before the command."""
    return context.parent is not None and bool(context.parent.params.get("as_json"))


def stats(  # noqa: PLR0913  # each is an option that people type
    *,
    by: Annotated[Groups, typer.Option("--by", help="A row for each of these.")] = Groups.AGENT,
    since: Annotated[
        str | None,
        typer.Option("--since", metavar="TIME", help="30m, 24h, 7d ago, or 2026-01-31T09:00."),
    ] = None,
    until: Annotated[
        str | None, typer.Option("--until", metavar="TIME", help="Before this time.")
    ] = None,
    team: TeamFilter = None,
    agent: Agent = None,
    status: Annotated[
        str | None,
        typer.Option("--status", metavar="STATUS", help="Runs that ended so: ok_degraded."),
    ] = None,
    arm: Annotated[
        str | None, typer.Option("--arm", metavar="NAME", help="Runs routed by this arm.")
    ] = None,
    thread: Annotated[str | None, typer.Option("--thread", metavar="ID")] = None,
    source: Source = None,
    as_json: Json = False,
    as_csv: Annotated[
        bool, typer.Option("--csv", help="Print the table as CSV, all columns.")
    ] = False,
) -> None:
    """Show calls, failures, times and shares of every agent, and what routing costs."""
    from minerva_platform.cli.records.stats import StatsOptions, show_stats

    filters = {"team": team, "agent": agent, "status": status, "arm": arm, "thread": thread}
    show_stats(
        StatsOptions(
            by=by.value,
            since=since,
            until=until,
            filters=filters,
            source=source,
            as_json=as_json,
            as_csv=as_csv,
        )
    )


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
        Path | None,
        typer.Argument(metavar="[FOLDER]", help="Whose records; default: this home's."),
    ] = None,
    *,
    as_json: Json = False,
) -> None:
    """Turn files of records that nobody writes to any more into Parquet."""
    from minerva_platform.cli.records.compact import compact_source

    compact_source(source, as_json=as_json)


def dashboard(
    *,
    source: Annotated[
        str | None,
        typer.Option(
            "--source",
            metavar="PATH",
            help="A file, a folder or a pattern of records; without it, those of MINERVA_HOME.",
        ),
    ] = None,
    port: Annotated[
        int,
        typer.Option("--port", min=0, max=65_535, help="Where it answers; 0: any that is free."),
    ] = 8070,
    host: Annotated[
        str,
        typer.Option("--host", help="Which address; another than this machine's needs a token."),
    ] = "127.0.0.1",
    token: Annotated[
        str | None,
        typer.Option(
            "--token",
            metavar="TEXT",
            help="Who looks must know it; MINERVA_DASHBOARD_TOKEN keeps it out of the shell.",
        ),
    ] = None,
    opens: Annotated[bool, typer.Option("--open/--no-open", help="Open it in a browser.")] = False,
) -> None:
    """Show what was recorded as pages in a browser."""
    from minerva_platform.cli.records.dashboard import Serving, serve

    serve(Serving(source, host, port, token, opens))
