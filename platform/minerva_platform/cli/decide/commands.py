"""The grammar of the commands that show questions to people and take their decisions."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from minerva_platform.cli.io.command import command, hand_down
from minerva_platform.cli.io.options import (
    AuditOptions,
    OutputOptions,
    Question,
    ResumeOptions,
    Run,
    Sets,
    TenantOptions,
)

if TYPE_CHECKING:
    from minerva_platform.contract.run_object import DecisionType

# ruff: noqa: PLC0415  # each command's imports wait for its call


@command
def approve(run: Run, question: Question = None, *, options: ResumeOptions) -> int:
    """Approve what a waiting run asks, and let it go on.

    Ends as the run does: 0, 1, or 4 if it waits again. 1 also if another decision came first.
    """
    return _decide("approve", run, question, options)


@command
def edit(
    run: Run,
    question: Question = None,
    *,
    sets: Sets = None,
    file: Annotated[
        Path | None,
        typer.Option("--args", metavar="FILE", help="All arguments as JSON; - reads stdin."),
    ] = None,
    options: ResumeOptions,
) -> int:
    """Approve it with other arguments.

    --set changes one, --args replaces all of them.
    """
    return _decide("edit", run, question, options, sets=sets, file=file)


@command
def reject(
    run: Run,
    question: Question = None,
    *,
    message: Annotated[
        str | None, typer.Option("-m", "--message", metavar="TEXT", help="Why, for the worker.")
    ] = None,
    options: ResumeOptions,
) -> int:
    """Reject what a waiting run asks, and let it go on."""
    return _decide("reject", run, question, options, message=message)


@command
def respond(
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
    options: ResumeOptions,
) -> int:
    """Answer what a waiting run asks.

    If it asks about a tool, the answer takes the place of the tool's.
    """
    return _decide("respond", run, question, options, sets=sets, file=file, message=message)


@command
def resume(run: Run, *, options: ResumeOptions) -> int:
    """Go on with a run that was cut off.

    One that is over, or that waits for a person, is shown as it is.
    """
    from minerva_platform.cli.decide.decide import resume_run

    return resume_run(run, options)


@command
def audit(options: AuditOptions) -> None:
    """Print what people decided: question, digest, decision, who, when, effects, as JSON lines."""
    from minerva_platform.cli.decide.audit import print_decisions

    print_decisions(options)


def _decide(
    kind: "DecisionType",
    run: str,
    question: str | None,
    options: ResumeOptions,
    *,
    sets: list[str] | None = None,
    file: Path | None = None,
    message: str | None = None,
) -> int:
    from minerva_platform.cli.decide.decide import decide_question
    from minerva_platform.cli.decide.typed_decision import TypedDecision

    typed = TypedDecision(kind, tuple(sets or ()), file, message)
    return decide_question(run, question, typed, options)


waiting = typer.Typer(
    rich_markup_mode=None,
    invoke_without_command=True,
    help="List the questions that wait for a person, of all tenants.",
)


@waiting.callback()
@command
def _waiting(context: typer.Context, options: TenantOptions) -> None:
    if not hand_down(context):
        from minerva_platform.cli.decide.waiting_list import list_waiting

        list_waiting(options)


@waiting.command("show")
@command
def _show(run: Run, question: Question = None, *, options: OutputOptions) -> None:
    """Show all of what a run asks, and the commands that answer it."""
    from minerva_platform.cli.decide.waiting_list import show_waiting

    show_waiting(run, question, options)
