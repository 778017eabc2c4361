"""The options that commands take, each declared once."""

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from minerva_platform.cli.io.command import Options

Maybe = str | None
"""A text, if it is typed."""

Agent = Annotated[Maybe, Option("--agent", metavar="NAME")]
AnswerLanguage = Annotated[
    Maybe, Option("--language", metavar="ko|en", help="Answer in this language.")
]
AtOnce = Annotated[int, Option("--at-once", min=1, help="The most runs that it works on at once.")]
Config = Annotated[
    Path | None, Option("--config", metavar="DIR", help="The folder with platform.yaml.")
]
Grace = Annotated[
    float, Option("--grace", min=0, help="Seconds that runs have to end after a signal.")
]
Inputs = Annotated[
    list[Path] | None,
    Option("-i", "--input", metavar="PATH", help="A file or folder to work on; repeatable."),
]
Json = Annotated[bool, Option("--json", help="Print one JSON object and nothing else.")]
Language = Annotated[Maybe, Option("--language", metavar="ko|en", help="Speak this language.")]
Limit = Annotated[int, Option("--limit", min=1, help="How many runs to list.")]
NextRouter = Annotated[
    Maybe, Option("--router", metavar="NAME", help="Who chooses members from now on.")
]
Out = Annotated[
    Path | None, Option("--out", metavar="DIR", help="Write answer.md and all artifacts there.")
]
Question = Annotated[
    Maybe, Argument(metavar="[ID]", help="The question's id; not needed if it asks only one.")
]
Router = Annotated[
    Maybe,
    Option(
        "--router",
        metavar="NAME",
        help="Who chooses members: embedded, cascade, plan, step, tools or dispatch.",
    ),
]
Run = Annotated[str, Argument(metavar="RUN", help="The run's id, or its beginning.")]
RunOrLast = Annotated[str, Argument(metavar="ID", help="The run's id, its beginning, or `last`.")]
Sets = Annotated[
    list[str] | None,
    Option("--set", metavar="NAME=VALUE", help="A value as text or JSON; repeatable."),
]
Since = Annotated[
    Maybe, Option("--since", metavar="TIME", help="30m, 24h, 7d ago, or 2026-01-31T09:00.")
]
Source = Annotated[
    Maybe,
    Option(
        "--source",
        metavar="PATH",
        help="A file, a folder with all below it, or a pattern in quotes; default: this home.",
    ),
]
Team = Annotated[Maybe, Option("--team", metavar="NAME", help="Use this team alone.")]
TeamFilter = Annotated[Maybe, Option("--team", metavar="NAME")]
Tenant = Annotated[Maybe, Option("--tenant", metavar="NAME", help="Only what is of this tenant.")]
Text = Annotated[str, Argument(metavar="TEXT", help="What you want; - reads stdin.")]
Thread = Annotated[
    Maybe,
    Option(
        "--thread", metavar="ID", help="Go on in this thread, a conversation; `last` is the latest."
    ),
]
TokenJson = Annotated[bool, Option("--json", help="Print JSON and nothing else.")]
TokenName = Annotated[str, Argument(metavar="NAME", help="Who has it; audits name it.")]
Yes = Annotated[bool, Option("--yes", help="Do it without asking.")]


class OutputOptions(Options):
    """How a command speaks, and which configuration it reads."""

    as_json: Json = False
    language: Language = None
    config: Config = None


class TenantOptions(OutputOptions):
    """How a command speaks, and whose runs it sees."""

    tenant: Tenant = None


class RunsOptions(TenantOptions):
    """List the runs that are not on record yet, and the recorded ones, newest first."""

    work = "records.runs:list_all"
    limit: Limit = 20
