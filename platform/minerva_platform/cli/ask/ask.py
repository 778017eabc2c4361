"""`minerva ask`: answer a request."""

import shlex
import sys
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial

from minerva_platform.cli.ask.commands import AskOptions, ChatOptions
from minerva_platform.cli.ask.delivery import check_folder, deliver
from minerva_platform.cli.ask.execution import execute
from minerva_platform.cli.ask.open_app import open_app
from minerva_platform.cli.ask.request import (
    check_paths,
    check_router_name,
    in_language,
    named_thread,
    read_request,
)
from minerva_platform.cli.decide.question_text import CommandOptions
from minerva_platform.cli.decide.run_to_end import Surroundings, say_questions, see_through
from minerva_platform.cli.io.command import option_words
from minerva_platform.cli.io.exit_codes import ExitCode, UndeliveredError, run_to_exit_code
from minerva_platform.cli.io.stream import (
    answers_only,
    is_terminal,
    printable,
    write_json,
    write_text,
)
from minerva_platform.cli.views.progress import (
    ProgressView,
    request_to_title,
    say,
    shown_progress,
    status_line,
)
from minerva_platform.config.settings import find_settings
from minerva_platform.contract.askable import build_task
from minerva_platform.contract.run_object import Run
from minerva_platform.contract.task import Task
from minerva_platform.text.command_hint import minerva_command
from minerva_platform.text.language import Language
from minerva_platform.text.texts import read_texts

TEXTS = read_texts("minerva_platform.cli.ask", "ask")

_MAX_REQUEST_CHARACTERS = 120
"""Characters of a request that are repeated in a command."""


def command_options(options: ChatOptions) -> CommandOptions:
    """Return the options that a later command about the same run needs, too."""
    return CommandOptions(options.config, options.language, options.router, options.out)


def ask(options: AskOptions) -> ExitCode:
    """Run the request and print its answer, or put it in the queue; return how the command ends."""
    if options.background:
        from minerva_platform.cli.background.background import ask_in_background  # noqa: PLC0415  # only with --background

        return ask_in_background(options)
    return asked(options)[1]


def asked(options: AskOptions, *, text: Callable[[Run], str] | None = None) -> tuple[Run, ExitCode]:
    """Run the request and print its answer; return the run and how the command ends.

    `text` gives what is printed instead of the whole answer, once the run's files are written.
    """
    request = read_request(options.text)
    paths = check_paths(options.paths)
    settings = find_settings(options.config)
    if options.out is not None:
        check_folder(options.out)
    with ExitStack() as after:
        task = in_language(build_task(request, paths), options.language)
        if not options.approvals:
            task = task.model_copy(update={"approvals": "never"})
        title = request_to_title(request)
        with answers_only(), shown_progress(title, task.language) as progress:
            router = check_router_name(options.router)
            thread = named_thread(options.thread, settings, task.language)
            app = open_app(settings, only_team=options.team, router=router)
            run = execute(app, partial(app.aask, task, thread=thread), progress, after)
        asks = not options.as_json
        around = Surroundings(app, task.language, title, command_options(options), asks_person=asks)
        run, progress = see_through(run, progress, around, after)
        return _answer(options, task, run, progress, text)


def _answer(
    options: AskOptions,
    task: Task,
    run: Run,
    progress: ProgressView,
    text: Callable[[Run], str] | None,
) -> tuple[Run, ExitCode]:
    run, code = show_end(
        run,
        progress,
        command_options(options),
        language=task.language,
        as_json=options.as_json,
        text=text,
    )
    if run.reason == "no_route" and not (run.hops or run.bypassed):
        command = _explain_command(options, task.request)
        say(TEXTS("unserved", task.language, command=command))
    elif run.reason == "router_failed" and run.bypassed and not run.hops:
        say(TEXTS("model_failed", task.language))
    return run, code


def show_end(  # each says one thing about how it is shown
    run: Run,
    progress: ProgressView,
    command_options: CommandOptions,
    *,
    language: Language,
    as_json: bool,
    text: Callable[[Run], str] | None = None,
) -> tuple[Run, ExitCode]:
    """Save the run's files, print it and what it asks; return it, and how the command ends."""
    code = run_to_exit_code(run)
    if command_options.out is not None:
        try:
            run = deliver(run, command_options.out, config=command_options.config)
        except UndeliveredError as error:  # the answer is there and may not be lost with the file
            say(str(error))
            code = ExitCode.FAILED
    if text is not None and not as_json:
        run = run.model_copy(update={"answer": text(run)})
    show_run(run, progress, language=language, as_json=as_json)
    say_questions(run, language, command_options)
    return run, code


def show_run(run: Run, progress: ProgressView, *, language: Language, as_json: bool) -> None:
    """Print the answer, and notices about the run on standard error."""
    if run.understood:
        say(TEXTS("understood", language, request=" ".join(run.understood.split())))
    if as_json or run.answer or not run.interrupts:
        _print(run, as_json=as_json)
    for notice in run.notices:
        command = f"{minerva_command()} runs {notice.run_id[:8]}"
        told = {"run": notice.run_id[:8], "status": notice.status, "command": command}
        say(TEXTS("notice", language, **told))
    if run.cut:
        say(TEXTS("cut", language, count=run.cut))
    say(status_line(run, progress, language))


def _explain_command(options: AskOptions, request: str) -> str:
    """Return the command that explains the routing of the request, ready to type."""
    is_short = (
        options.text == request
        and request.isprintable()
        and len(request) <= _MAX_REQUEST_CHARACTERS
    )
    typed = {
        "--team": options.team,
        "--router": options.router,
        "--thread": options.thread,
        "--config": options.config,
    }
    words = shlex.quote(request) if is_short else '"…"'
    return f"{minerva_command()} explain {words} {shlex.join(option_words(typed))}".rstrip()


def _print(run: Run, *, as_json: bool) -> None:
    if as_json:
        write_json(run.to_json_dict())
        return
    write_markdown(run.answer)
    if is_terminal(sys.stdout):
        say("")


def write_markdown(text: str) -> None:
    """Print Markdown: drawn at a terminal, as it is in a pipe."""
    if is_terminal(sys.stdout):
        from minerva_platform.cli.io.console import show  # noqa: PLC0415  # see above
        from minerva_platform.cli.views.answer import draw_markdown  # noqa: PLC0415  # 0.14 s

        show(lambda _: draw_markdown(text))
    else:
        write_text(printable(text.replace("\r\n", "\n")))
