"""The grammar of the commands that read records: `runs`, `stats` and `tail`."""

from enum import StrEnum
from typing import Annotated

import typer

# ruff: noqa: PLC0415  # each command's imports wait for its call

_Json = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
_Source = Annotated[
    str | None,
    typer.Option(
        "--source",
        metavar="PATH",
        help="A file, a folder with all below it, or a pattern in quotes; default: this home.",
    ),
]


class Groups(StrEnum):
    """What figures can be grouped by."""

    AGENT = "agent"
    NODE = "node"
    TEAM = "team"
    ARM = "arm"
    MODEL = "model"


def runs(
    run_id: Annotated[
        str | None,
        typer.Argument(metavar="[ID]", help="A run's id, its beginning, or `last`."),
    ] = None,
    *,
    limit: Annotated[int, typer.Option("--limit", min=1, help="How many runs to list.")] = 20,
    as_json: _Json = False,
) -> None:
    """List the recorded runs, or show the hops of one."""
    from minerva_platform.cli.runs import list_recorded, show_run

    if run_id is None:
        list_recorded(limit, as_json=as_json)
    else:
        show_run(run_id, as_json=as_json)


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
    team: Annotated[str | None, typer.Option("--team", metavar="NAME")] = None,
    agent: Annotated[str | None, typer.Option("--agent", metavar="NAME")] = None,
    status: Annotated[
        str | None,
        typer.Option("--status", metavar="STATUS", help="Runs that ended so: ok_degraded."),
    ] = None,
    arm: Annotated[
        str | None, typer.Option("--arm", metavar="NAME", help="Runs routed by this arm.")
    ] = None,
    thread: Annotated[str | None, typer.Option("--thread", metavar="ID")] = None,
    source: _Source = None,
    as_json: _Json = False,
    as_csv: Annotated[
        bool, typer.Option("--csv", help="Print the table as CSV, all columns.")
    ] = False,
) -> None:
    """Show calls, failures, times and shares of every agent, and what routing costs."""
    from minerva_platform.cli.stats import Question, show_stats

    narrowed = {"team": team, "agent": agent, "status": status, "arm": arm, "thread": thread}
    show_stats(
        Question(
            by=by.value,
            since=since,
            until=until,
            narrowed=narrowed,
            source=source,
            as_json=as_json,
            as_csv=as_csv,
        )
    )


def tail(
    *,
    source: _Source = None,
    team: Annotated[str | None, typer.Option("--team", metavar="NAME")] = None,
    agent: Annotated[str | None, typer.Option("--agent", metavar="NAME")] = None,
    failures: Annotated[
        bool, typer.Option("--failures", help="Only what failed, and what was done about it.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="JSON lines, as in a pipe.")] = False,
) -> None:
    """Show each step as it ends, in all processes; Ctrl-C ends it."""
    from minerva_platform.cli.tail import Wish, tail

    tail(Wish(source=source, team=team, agent=agent, failures=failures, as_json=as_json))
