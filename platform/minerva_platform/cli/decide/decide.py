"""`minerva approve`, `edit`, `reject`, `respond` and `resume`: decide, and let the run go on."""

from contextlib import AbstractContextManager, ExitStack

from minerva_platform.app import Platform
from minerva_platform.assembly.platform_tree import PLATFORM_NAME
from minerva_platform.cli.ask.ask import show_end
from minerva_platform.cli.ask.delivery import check_folder
from minerva_platform.cli.ask.open_app import open_app
from minerva_platform.cli.ask.request import check_language, check_router_name
from minerva_platform.cli.decide.commands import ApproveOptions, ResumeOptions
from minerva_platform.cli.decide.pick import as_asking, in_language, opened_run, pick
from minerva_platform.cli.decide.question_text import TEXTS, Asking, CommandOptions, to_name
from minerva_platform.cli.decide.run_to_end import Surroundings, advance, see_through
from minerva_platform.cli.decide.typed_decision import TypedDecision, to_decision
from minerva_platform.cli.io.exit_codes import ExitCode
from minerva_platform.cli.io.stream import answers_only, is_person_there
from minerva_platform.cli.maintenance.open_store import reader_language
from minerva_platform.cli.views.progress import request_to_title, say
from minerva_platform.config.settings import find_settings
from minerva_platform.contract.askable import build_task
from minerva_platform.contract.run_object import Interrupt
from minerva_platform.errors import DecisionError, ExpiredInterruptError, InvalidDecisionError
from minerva_platform.storage.ledger.decisions import decide, os_user
from minerva_platform.storage.ledger.ledger import Ledger, NamedRun
from minerva_platform.storage.ledger.run_row import RunHead
from minerva_platform.text.command_hint import minerva_command
from minerva_platform.text.language import Language


def decide_question(options: ApproveOptions) -> ExitCode:
    """Keep the decision, let the run go on, and print it; return how the command ends.

    Raises:
        DecisionError: the decision is not taken; nothing has run.
        RunError: there is no such run, or it cannot go on.
    """
    _check(options)
    sets = tuple(options.sets or ())
    choice = TypedDecision(options.kind, sets, options.file, options.message)
    with _open_ledger(options) as (ledger, named):
        run_id, language = named.head.run_id, _language(options, named.head)
        try:
            question = pick(named, options.question)
            _check_allowed(choice, as_asking(named, question, _command_options(options)))
            decision = to_decision(choice, question)
            app = _open(options, named.head)
            shown = {question.id: question.shown_sha256}
            decide(ledger.engine, run_id, {question.id: decision}, by=os_user(), shown=shown)
        except DecisionError as error:  # another person was faster, or the time is over
            if isinstance(error, ExpiredInterruptError):
                say(TEXTS("go_on", language, command=f"{minerva_command()} resume {run_id}"))
            raise in_language(error, language) from None
    _say_decided(choice, question, decision.get("edited_action", {}).get("args"), language)
    return _seen_through(options, app, named.head, language)


def resume_run(options: ResumeOptions) -> ExitCode:
    """Let a run that was cut off go on, and print it; return how the command ends.

    A run that is over, or that waits for a person, is printed as it is.

    Raises:
        RunError: there is no such run, or it cannot go on.
    """
    _check(options)
    with _open_ledger(options) as (_, named):
        head = named.head
    return _seen_through(options, _open(options, head), head, _language(options, head))


def _open_ledger(options: ResumeOptions) -> AbstractContextManager[tuple[Ledger, NamedRun]]:
    return opened_run(options.config, options.run, options.language, tenant=options.tenant)


def _check(options: ResumeOptions) -> None:
    """Refuse options that would fail after the decision was kept."""
    check_language(options.language)
    check_router_name(options.router)
    if options.out is not None:
        check_folder(options.out)


def _command_options(options: ResumeOptions) -> CommandOptions:
    """Return the options that a later command about the same run needs, too."""
    return CommandOptions(options.config, options.language, options.router, options.out)


def _check_allowed(choice: TypedDecision, asking: Asking) -> None:
    """Refuse a decision that the question does not take, and name the commands that it takes.

    Raises:
        InvalidDecisionError: it takes another one.
    """
    if choice.kind not in asking.question.allowed:
        commands = "\n".join(f"  {command}" for command in asking.commands.values())
        reason = f"`{choice.kind}` may not be decided here. Type one of these:\n{commands}"
        raise InvalidDecisionError(asking.run_id, asking.question.id, reason)


def _language(options: ResumeOptions, head: RunHead) -> Language:
    """Return the language that was typed, else that of the request."""
    if options.language is None and head.request:
        return build_task(head.request).language
    return reader_language(options.language)


def _open(options: ResumeOptions, head: RunHead) -> Platform:
    only_team = None if head.root == PLATFORM_NAME else head.root
    router = check_router_name(options.router)
    with answers_only():
        return open_app(find_settings(options.config), only_team=only_team, router=router)


def _say_decided(
    choice: TypedDecision, question: Interrupt, args: dict[str, object] | None, language: Language
) -> None:
    what = to_name(question.tool or question.path)
    say(TEXTS(f"decided.{choice.kind}", language, what=what))
    if args is None:
        return
    from minerva_platform.cli.decide.edit_diff import change_lines, find_changes  # noqa: PLC0415  # rich
    from minerva_platform.cli.decide.prompt import Terminal  # noqa: PLC0415  # the same
    from minerva_platform.cli.decide.question_view import plain_lines  # noqa: PLC0415  # the same

    lines = change_lines(find_changes(question.arguments, args), language)
    if is_person_there():
        Terminal().draw(lines)
    else:
        for line in plain_lines(lines).splitlines():
            say(line)


def _seen_through(
    options: ResumeOptions, app: Platform, head: RunHead, language: Language
) -> ExitCode:
    title, as_json = request_to_title(head.request), options.as_json
    commands = _command_options(options)
    around = Surroundings(app, language, title, commands, asks_person=not as_json)
    with ExitStack() as after:
        run, progress = advance(head.run_id, around, after)
        run, progress = see_through(run, progress, around, after)
        _, code = show_end(run, progress, commands, language=language, as_json=as_json)
        return code
