"""The commands that run a request, or preview its run, and their options."""

from pathlib import Path
from typing import Annotated

from typer import Option

from minerva_platform.cli.io.command import Options
from minerva_platform.cli.io.options import (
    AnswerLanguage,
    Config,
    Inputs,
    Json,
    Out,
    Router,
    Team,
    Text,
    Thread,
)


class ChatOptions(Options):
    """Talk: one request a line, each may refer to those before it.

    /file PATH works on a file from now on, /new begins anew, /quit or Ctrl-D ends.
    """

    work = "ask.chat:chat"
    paths: Inputs = None
    team: Team = None
    router: Router = None
    thread: Thread = None
    language: AnswerLanguage = None
    out: Path | None = None
    as_json: Json = False
    config: Config = None


class ExplainOptions(ChatOptions):
    """Show who would be asked, and why; run nothing."""

    work = "ask.explain:explain"
    text: Text


class AskOptions(ExplainOptions):
    """Answer a request."""

    work = "ask.ask:ask"
    out: Out = None
    background: Annotated[
        bool, Option("--background", help="Put it in the queue of `minerva worker`, and go on.")
    ] = False
    approvals: bool = True
    """False: what teams would ask a person about at the end is left out."""


class DemoOptions(Options):
    """Answer the bundled example."""

    work = "ask.demo:demo"
    language: AnswerLanguage = None
    out: Out = None
    config: Config = None
