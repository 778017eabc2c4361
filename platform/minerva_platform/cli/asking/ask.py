"""`minerva ask`: answer a request."""

import shlex
import sys
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from minerva_platform.cli.asking.delivery import check_folder, deliver
from minerva_platform.cli.asking.execution import execute
from minerva_platform.cli.asking.opening import open_app
from minerva_platform.cli.asking.request import (
    check_language,
    check_paths,
    check_router_name,
    read_request,
)
from minerva_platform.cli.io.process import (
    ExitCode,
    UndeliveredError,
    run_to_exit_code,
)
from minerva_platform.cli.io.stream import answers_only, is_terminal, write_json, write_text
from minerva_platform.cli.views.progress import (
    Progress,
    request_to_title,
    say,
    shown_progress,
    status_line,
)
from minerva_platform.config.settings import Settings, find_settings, home_directory
from minerva_platform.contract.askable import build_task
from minerva_platform.contract.run_object import Run
from minerva_platform.contract.task import Task
from minerva_platform.errors import StateError
from minerva_platform.storage.engine.place import find_place
from minerva_platform.storage.threads import LAST, Conversations, check_thread
from minerva_platform.text.command_hint import minerva_command
from minerva_platform.text.language import Language

_UNSERVED: dict[Language, str] = {
    "ko": "팀을 만드는 분께: {command} 명령이 이유를 보여 줍니다. "
    "이런 요청은 맡을 구성원의 `examples`에 더하면 배웁니다.",
    "en": "If you build teams: {command} shows why; "
    "a worker learns such a request from its `examples`.",
}
"""Beside the answer and never in it: a bot's users build no teams."""
_UNDERSTOOD: dict[Language, str] = {"ko": "이렇게 이해함", "en": "understood as"}
_WAITS: dict[Language, str] = {
    "ko": "{id}: 사람의 대답을 기다립니다: {question}",
    "en": "{id} waits for a person: {question}",
}
_CUT: dict[Language, str] = {
    "ko": "구성원이 준 글이나 출처 {count}개를 한도에서 잘랐습니다",
    "en": "{count} citations or texts of the workers were cut at their bounds",
}
_BEGINS: dict[Language, str] = {
    "ko": "새 스레드 `{thread}`를 시작합니다. 가장 최근 스레드는 `{last}`입니다",
    "en": "begins the new thread `{thread}`; `{last}` is the latest one",
}
_GIVES_UP: dict[Language, str] = {
    "ko": "앞선 요청이 사람의 대답을 기다리고 있었습니다. 이번 요청으로 그것을 그만둡니다",
    "en": "the turn before waits for a person; this one gives that up",
}
_LONGEST = 120
"""Characters of a request that are repeated in a command."""


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
    language: str | None = None


def ask(question: Question) -> ExitCode:
    """Run the question and print its answer; return how the command ends."""
    request = read_request(question.text)
    paths = check_paths(question.paths)
    settings = find_settings(question.config)
    if question.out is not None:
        check_folder(question.out)
    with ExitStack() as after:
        with answers_only(), shown_progress(request_to_title(request)) as progress:
            router = check_router_name(question.router)
            task = build_task(request, paths)
            if language := check_language(question.language):
                task = task.model_copy(update={"language": language})
            thread = named_thread(question.thread, settings, task.language)
            app = open_app(settings, only_team=question.team, router=router)
            run = execute(app, task, progress, after, thread_id=thread)
        return _answer(question, task, run, progress)


def named_thread(name: str | None, settings: Settings, language: Language = "en") -> str | None:
    """Return the id of the thread that was typed; a new one is said to be new."""
    if name is None:
        return None
    place = find_place(home_directory(), settings.platform.storage.url)
    thread_id = check_thread(name, place)
    try:
        latest = Conversations(place).of(thread_id).latest()
    except StateError:  # the run, which opens it too, says so
        return thread_id
    if latest is None:
        say(_BEGINS[language].format(thread=thread_id, last=LAST))
    elif latest.status == "needs_human":
        say(_GIVES_UP[language])
    return thread_id


def _answer(question: Question, task: Task, run: Run, progress: Progress) -> ExitCode:
    code = run_to_exit_code(run)
    if question.out is not None:
        try:
            run = deliver(run, question.out)
        except UndeliveredError as error:  # the answer is there and may not be lost with the file
            say(str(error))
            code = ExitCode.FAILED
    show_run(run, progress, language=task.language, as_json=question.as_json)
    if run.reason == "no_route" and not run.hops:
        command = _explain_command(question, task.request)
        say(_UNSERVED[task.language].format(command=command))
    return code


def show_run(run: Run, progress: Progress, *, language: Language, as_json: bool) -> None:
    """Print the answer, and beside it what the person must know of the run."""
    if run.understood:
        say(f"{_UNDERSTOOD[language]}: {' '.join(run.understood.split())}")
    _print(run, as_json=as_json)
    for question in run.interrupts:
        say(_WAITS[language].format(id=question.id, question=question.value))
    if run.cut:
        say(_CUT[language].format(count=f"{run.cut:,}"))
    say(status_line(run, progress, language))


def _explain_command(question: Question, request: str) -> str:
    """Return what shows the decision that `question` met, to be typed as it is."""
    is_short = question.text == request and request.isprintable() and len(request) <= _LONGEST
    options = (
        ("--team", question.team),
        ("--router", question.router),
        ("--thread", question.thread),
        ("--config", question.config),
    )
    given = [f"{name} {shlex.quote(str(value))}" for name, value in options if value is not None]
    words = shlex.quote(request) if is_short else '"…"'
    return " ".join([minerva_command(), "explain", words, *given])


def _print(run: Run, *, as_json: bool) -> None:
    if as_json:
        write_json(run.to_json_dict())
    elif is_terminal(sys.stdout):
        from minerva_platform.cli.io.console import show  # noqa: PLC0415  # see above
        from minerva_platform.cli.views.answer import draw_markdown  # noqa: PLC0415  # 0.14 s

        show(lambda _: draw_markdown(run.answer))
        say("")
    else:
        write_text(run.answer)
