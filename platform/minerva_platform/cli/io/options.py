"""The options that commands take, each declared once."""

from pathlib import Path
from typing import Annotated

import typer

Agent = Annotated[str | None, typer.Option("--agent", metavar="NAME")]
AnswerLanguage = Annotated[
    str | None, typer.Option("--language", metavar="ko|en", help="Answer in this language.")
]
AtOnce = Annotated[
    int, typer.Option("--at-once", min=1, help="The most runs that it works on at once.")
]
Config = Annotated[
    Path | None,
    typer.Option("--config", metavar="DIR", help="The folder with platform.yaml."),
]
Grace = Annotated[
    float, typer.Option("--grace", min=0, help="Seconds that runs have to end after a signal.")
]
Inputs = Annotated[
    list[Path] | None,
    typer.Option("-i", "--input", metavar="PATH", help="A file or folder to work on; repeatable."),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
Language = Annotated[
    str | None, typer.Option("--language", metavar="ko|en", help="Speak this language.")
]
Limit = Annotated[int, typer.Option("--limit", min=1, help="How many runs to list.")]
NextRouter = Annotated[
    str | None,
    typer.Option("--router", metavar="NAME", help="Who chooses members from now on."),
]
Out = Annotated[
    Path | None,
    typer.Option("--out", metavar="DIR", help="Write answer.md and all artifacts there."),
]
Question = Annotated[
    str | None,
    typer.Argument(metavar="[ID]", help="The question's id; not needed if it asks only one."),
]
Router = Annotated[
    str | None,
    typer.Option(
        "--router",
        metavar="NAME",
        help="Who chooses members: embedded, cascade, plan, step, tools or dispatch.",
    ),
]
Run = Annotated[str, typer.Argument(metavar="RUN", help="The run's id, or its beginning.")]
RunOrLast = Annotated[
    str, typer.Argument(metavar="ID", help="The run's id, its beginning, or `last`.")
]
Sets = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=VALUE", help="A value as text or JSON; repeatable."),
]
Source = Annotated[
    str | None,
    typer.Option(
        "--source",
        metavar="PATH",
        help="A file, a folder with all below it, or a pattern in quotes; default: this home.",
    ),
]
Team = Annotated[str | None, typer.Option("--team", metavar="NAME", help="Use this team alone.")]
TeamFilter = Annotated[str | None, typer.Option("--team", metavar="NAME")]
Text = Annotated[str, typer.Argument(metavar="TEXT", help="What you want; - reads stdin.")]
Thread = Annotated[
    str | None,
    typer.Option(
        "--thread", metavar="ID", help="Go on in this thread, a conversation; `last` is the latest."
    ),
]
TokenJson = Annotated[bool, typer.Option("--json", help="Print JSON and nothing else.")]
TokenName = Annotated[str, typer.Argument(metavar="NAME", help="Who has it; audits name it.")]
Yes = Annotated[bool, typer.Option("--yes", help="Do it without asking.")]
