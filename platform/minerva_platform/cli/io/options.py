"""The options that several commands take, each declared once."""

from pathlib import Path
from typing import Annotated

import typer

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
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
Language = Annotated[
    str | None, typer.Option("--language", metavar="ko|en", help="Speak this language.")
]
Out = Annotated[
    Path | None,
    typer.Option("--out", metavar="DIR", help="Write answer.md and all artifacts there."),
]
Team = Annotated[str | None, typer.Option("--team", metavar="NAME", help="Use this team alone.")]
