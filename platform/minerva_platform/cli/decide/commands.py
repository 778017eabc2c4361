"""The commands that show questions to people and take their decisions, and their options."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Option, Typer

from minerva_platform.cli.io.command import Options, add_commands, command
from minerva_platform.cli.io.options import (
    Config,
    Json,
    Language,
    NextRouter,
    Out,
    OutputOptions,
    Question,
    Run,
    Sets,
    Since,
    Tenant,
    TenantOptions,
)

if TYPE_CHECKING:
    from minerva_platform.contract.run_object import DecisionType


class ResumeOptions(Options):
    """Go on with a run that was cut off.

    One that is over, or that waits for a person, is shown as it is.
    """

    work = "decide.decide:resume_run"
    run: Run
    tenant: Tenant = None
    out: Out = None
    as_json: Json = False
    router: NextRouter = None
    language: Language = None
    config: Config = None


class ApproveOptions(ResumeOptions):
    """Approve what a waiting run asks, and let it go on.

    Ends as the run does: 0, 1, or 4 if it waits again. 1 also if another decision came first.
    """

    work = "decide.decide:decide_question"
    kind: "DecisionType" = "approve"
    run: Run
    question: Question = None
    sets: list[str] | None = None
    file: Path | None = None
    message: str | None = None


class EditOptions(ApproveOptions):
    """Approve it with other arguments.

    --set changes one, --args replaces all of them.
    """

    kind: "DecisionType" = "edit"
    sets: Sets = None
    file: Annotated[
        Path | None, Option("--args", metavar="FILE", help="All arguments as JSON; - reads stdin.")
    ] = None


class RejectOptions(ApproveOptions):
    """Reject what a waiting run asks, and let it go on."""

    kind: "DecisionType" = "reject"
    message: Annotated[
        str | None, Option("-m", "--message", metavar="TEXT", help="Why, for the worker.")
    ] = None


class RespondOptions(ApproveOptions):
    """Answer what a waiting run asks.

    If it asks about a tool, the answer takes the place of the tool's.
    """

    kind: "DecisionType" = "respond"
    message: Annotated[
        str | None, Option("-m", "--message", metavar="TEXT", help="The answer.")
    ] = None
    sets: Sets = None
    file: Annotated[
        Path | None, Option("--args", metavar="FILE", help="The answer as JSON; - reads stdin.")
    ] = None


class AuditOptions(Options):
    """Print what people decided: question, digest, decision, who, when, effects, as JSON lines."""

    work = "decide.audit:print_decisions"
    since: Since = None
    tenant: Tenant = None
    config: Config = None


class WaitingOptions(TenantOptions):
    """List the questions that wait for a person, of all tenants."""

    work = "decide.waiting_list:list_waiting"


class ShowOptions(OutputOptions):
    """Show all of what a run asks, and the commands that answer it."""

    work = "decide.waiting_list:show_waiting"
    run: Run
    question: Question = None


COMMANDS = {
    "approve": ApproveOptions,
    "edit": EditOptions,
    "reject": RejectOptions,
    "respond": RespondOptions,
    "resume": ResumeOptions,
}

waiting = Typer(rich_markup_mode=None, invoke_without_command=True, help=WaitingOptions.__doc__)
waiting.callback()(command(WaitingOptions, of_group=True))
add_commands(waiting, {"show": ShowOptions})
