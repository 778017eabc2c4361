"""`minerva ask`: answer a request."""

import sys
from dataclasses import dataclass, field
from pathlib import Path

from minerva_platform.app import App, build_task
from minerva_platform.cli.delivery import check_folder, deliver
from minerva_platform.cli.execution import execute
from minerva_platform.cli.exit_code import ExitCode, UndeliveredError, status_to_exit_code
from minerva_platform.cli.progress import (
    Progress,
    request_to_title,
    say,
    shown_progress,
    status_line,
)
from minerva_platform.cli.request import check_paths, check_router_name, read_request
from minerva_platform.cli.stream import answers_only, is_terminal, write_json, write_text
from minerva_platform.contract import Run
from minerva_platform.conversation import check_thread
from minerva_platform.settings import find_settings, home_directory


@dataclass(frozen=True, slots=True)
class Question:
    """What was typed after `minerva ask`."""

    text: str
    paths: list[Path] = field(default_factory=list[Path])
    team: str | None = None
    router: str | None = None
    out: Path | None = None
    as_json: bool = False
    config: Path | None = None
    thread: str | None = None


def ask(question: Question) -> ExitCode:
    """Run the question and print its answer; return how the command ends."""
    request = read_request(question.text)
    paths = check_paths(question.paths)
    settings = find_settings(question.config)
    if question.out is not None:
        check_folder(question.out)
    with answers_only(), shown_progress(request_to_title(request)) as progress:
        router = check_router_name(question.router)
        thread = question.thread and check_thread(question.thread, home_directory())
        app = App(settings=settings, only_team=question.team, router=router)
        run = execute(app, build_task(request, paths), progress, thread_id=thread)
    code = status_to_exit_code(run.status)
    if question.out is not None:
        try:
            run = deliver(run, question.out)
        except UndeliveredError as error:  # the answer is there and may not be lost with the file
            say(str(error))
            code = ExitCode.FAILED
    show_run(run, progress, as_json=question.as_json)
    return code


def show_run(run: Run, progress: Progress, *, as_json: bool) -> None:
    """Print the answer, and beside it what the person must know of the run."""
    if run.understood:
        say(f"understood as: {' '.join(run.understood.split())}")
    _print(run, as_json=as_json)
    for question_to_person in run.interrupts:
        say(f"{question_to_person.id} waits for a person: {question_to_person.value}")
    say(status_line(run, progress))


def _print(run: Run, *, as_json: bool) -> None:
    if as_json:
        write_json(run.to_json_dict())
    elif is_terminal(sys.stdout):
        from minerva_platform.cli.answer_view import draw_markdown  # noqa: PLC0415  # 0.14 s
        from minerva_platform.cli.console import show  # noqa: PLC0415  # see above

        show(lambda _: draw_markdown(run.answer))
        say("")
    else:
        write_text(run.answer)
