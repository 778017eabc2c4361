"""The grammar of the commands that show questions to people and take their decisions."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from minerva_platform.cli.io.options import (
    Config,
    Json,
    Language,
    NextRouter,
    Out,
    Question,
    Run,
    Sets,
)

if TYPE_CHECKING:
    from minerva_platform.contract.run_object import DecisionType

# ruff: noqa: PLC0415  # each command's imports wait for its call


def approve(  # each is an option that people type
    run: Run,
    question: Question = None,
    *,
    out: Out = None,
    as_json: Json = False,
    router: NextRouter = None,
    language: Language = None,
    config: Config = None,
) -> None:
    """Approve what a waiting run asks, and let it go on.

    Ends as the run does: 0, 1, or 4 if it waits again. 1 also if another decision came first.
    """
    _decide("approve", question, (run, out, as_json, router, language, config))


def edit(  # noqa: PLR0913  # each is an option that people type
    run: Run,
    question: Question = None,
    *,
    sets: Sets = None,
    file: Annotated[
        Path | None,
        typer.Option("--args", metavar="FILE", help="All arguments as JSON; - reads stdin."),
    ] = None,
    out: Out = None,
    as_json: Json = False,
    router: NextRouter = None,
    language: Language = None,
    config: Config = None,
) -> None:
    """Approve it with other arguments.

    --set changes one, --args replaces all of them.
    """
    options = (run, out, as_json, router, language, config)
    _decide("edit", question, options, sets=sets, file=file)


def reject(  # noqa: PLR0913  # each is an option that people type
    run: Run,
    question: Question = None,
    *,
    message: Annotated[
        str | None, typer.Option("-m", "--message", metavar="TEXT", help="Why, for the worker.")
    ] = None,
    out: Out = None,
    as_json: Json = False,
    router: NextRouter = None,
    language: Language = None,
    config: Config = None,
) -> None:
    """Reject what a waiting run asks, and let it go on."""
    options = (run, out, as_json, router, language, config)
    _decide("reject", question, options, message=message)


def respond(  # noqa: PLR0913  # each is an option that people type
    run: Run,
    question: Question = None,
    *,
    message: Annotated[
        str | None, typer.Option("-m", "--message", metavar="TEXT", help="The answer.")
    ] = None,
    sets: Sets = None,
    file: Annotated[
        Path | None,
        typer.Option("--args", metavar="FILE", help="The answer as JSON; - reads stdin."),
    ] = None,
    out: Out = None,
    as_json: Json = False,
    router: NextRouter = None,
    language: Language = None,
    config: Config = None,
) -> None:
    """Answer what a waiting run asks.

    If it asks about a tool, the answer takes the place of the tool's.
    """
    options = (run, out, as_json, router, language, config)
    _decide("respond", question, options, sets=sets, file=file, message=message)


def resume(  # each is an option that people type
    run: Run,
    *,
    out: Out = None,
    as_json: Json = False,
    router: NextRouter = None,
    language: Language = None,
    config: Config = None,
) -> None:
    """Go on with a run that was cut off.

    One that is over, or that waits for a person, is shown as it is.
    """
    from minerva_platform.cli.decide.decide import RunOptions, resume_run

    raise typer.Exit(resume_run(RunOptions(run, out, as_json, router, language, config)))


def _decide(
    kind: "DecisionType",
    question: str | None,
    options: tuple[str, Path | None, bool, str | None, str | None, Path | None],
    *,
    sets: list[str] | None = None,
    file: Path | None = None,
    message: str | None = None,
) -> None:
    from minerva_platform.cli.decide.decide import RunOptions, decide_question
    from minerva_platform.cli.decide.typed_decision import TypedDecision

    typed = TypedDecision(kind, tuple(sets or ()), file, message)
    raise typer.Exit(decide_question(RunOptions(*options), question, typed))


waiting = typer.Typer(
    rich_markup_mode=None,
    invoke_without_command=True,
    help="List the questions that wait for a person, in all threads.",
)


@waiting.callback()
def _waiting(
    context: typer.Context,
    *,
    as_json: Json = False,
    language: Language = None,
    config: Config = None,
) -> None:
    if context.invoked_subcommand is not None:
        return
    from minerva_platform.cli.decide.waiting_list import list_waiting

    list_waiting(as_json=as_json, language=language, config=config)


@waiting.command("show")
def _show(
    run: Run,
    question: Question = None,
    *,
    as_json: Json = False,
    language: Language = None,
    config: Config = None,
) -> None:
    """Show all of what a run asks, and the commands that answer it."""
    from minerva_platform.cli.decide.waiting_list import show_waiting

    show_waiting(run, question, as_json=as_json, language=language, config=config)
