"""The options of commands that show figures of records."""

from enum import StrEnum
from typing import Annotated

from typer import Option

from minerva_platform.cli.io.command import Options
from minerva_platform.cli.io.options import Agent, Json, Language, Maybe, Since, Source, TeamFilter


class Groups(StrEnum):
    """What figures can be grouped by."""

    AGENT = "agent"
    NODE = "node"
    TEAM = "team"
    ARM = "arm"
    MODEL = "model"


class StatsOptions(Options):
    """Show calls, failures, times and costs of agents and of routing."""

    work = "records.stats:show_stats"
    by: Annotated[Groups, Option("--by", help="A row for each of these.")] = Groups.AGENT
    since: Since = None
    until: Annotated[Maybe, Option("--until", metavar="TIME", help="Before this time.")] = None
    team: TeamFilter = None
    agent: Agent = None
    status: Annotated[
        Maybe, Option("--status", metavar="STATUS", help="Runs that ended so: ok_degraded.")
    ] = None
    arm: Annotated[Maybe, Option("--arm", metavar="NAME", help="Runs routed by this arm.")] = None
    thread: Annotated[Maybe, Option("--thread", metavar="ID")] = None
    version: Annotated[
        Maybe,
        Option("--version", metavar="TEXT", help="Runs with this: 'minerva-team-data 0.1.0'."),
    ] = None
    host: Annotated[Maybe, Option("--host", metavar="NAME", help="Runs on this machine.")] = None
    pid: Annotated[Maybe, Option("--pid", metavar="NUMBER", help="Runs in this process.")] = None
    source: Source = None
    language: Language = None
    as_json: Json = False
    as_csv: Annotated[bool, Option("--csv", help="Print the table as CSV, all columns.")] = False


class DashboardOptions(Options):
    """Show what was recorded as pages in a browser."""

    work = "records.dashboard:serve"
    source: Annotated[
        Maybe,
        Option(
            "--source",
            metavar="PATH",
            help="A file, a folder or a pattern of records; without it, those of MINERVA_HOME.",
        ),
    ] = None
    port: Annotated[
        int, Option("--port", min=0, max=65_535, help="Where it answers; 0: any that is free.")
    ] = 8070
    host: Annotated[
        str, Option("--host", help="Which address; another than this machine's needs a token.")
    ] = "127.0.0.1"
    token: Annotated[
        Maybe,
        Option(
            "--token",
            metavar="TEXT",
            help="Who looks must know it; MINERVA_DASHBOARD_TOKEN keeps it out of the shell.",
        ),
    ] = None
    opens: Annotated[bool, Option("--open/--no-open", help="Open it in a browser.")] = False
