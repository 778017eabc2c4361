"""`minerva chat`: a conversation, one request a line."""

import shlex
import sys
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from functools import partial
from importlib import import_module
from pathlib import Path
from uuid import uuid4

from minerva_platform.cli.ask.ask import command_options, show_run
from minerva_platform.cli.ask.commands import ChatOptions
from minerva_platform.cli.ask.execution import execute
from minerva_platform.cli.ask.open_app import open_app
from minerva_platform.cli.ask.queue_work import working_off
from minerva_platform.cli.ask.request import (
    check_language,
    check_paths,
    check_router_name,
    check_words,
    in_language,
    named_thread,
)
from minerva_platform.cli.decide.run_to_end import Surroundings, say_questions, see_through
from minerva_platform.cli.io.command import option_words
from minerva_platform.cli.io.escape import harmless_json
from minerva_platform.cli.io.exit_codes import ExitCode, error_to_exit_code, run_to_exit_code
from minerva_platform.cli.io.stream import answers_only, is_terminal, write_text
from minerva_platform.cli.views.progress import ProgressView, request_to_title, say, shown_progress
from minerva_platform.config.settings import find_settings
from minerva_platform.contract.askable import build_task
from minerva_platform.contract.run_object import Run
from minerva_platform.errors import MinervaError, RunError
from minerva_platform.text.command_hint import minerva_command
from minerva_platform.text.language import Language
from minerva_platform.text.texts import read_texts

PROMPT = "› "
_END = frozenset({"/quit", "/exit", "quit", "exit"})
TEXTS = read_texts("minerva_platform.cli.ask", "chat")


class _Chat:
    """The app, the current thread, and the files for the next turn."""

    def __init__(self, talk: ChatOptions) -> None:
        self.talk, self.as_json, self.turns = talk, talk.as_json, 0
        self.paths = check_paths(talk.paths)
        self.language: Language = check_language(talk.language) or "en"
        """Language of the notices. Each answer is in the language of its request."""
        settings = find_settings(talk.config)
        self.thread_id = named_thread(talk.thread, settings, self.language) or _new_thread()
        with answers_only():
            router = check_router_name(talk.router)
            self.app = open_app(settings, only_team=talk.team, router=router)

    @property
    def options(self) -> str:
        """The options after `minerva chat` that continue this thread."""
        named = {
            "--team": self.talk.team,
            "--router": self.talk.router,
            "--config": self.talk.config,
            "--language": self.talk.language,
            "--thread": self.thread_id,
        }
        return shlex.join(option_words(named))

    @property
    def help(self) -> str:
        """The commands that can be typed beside requests."""
        return TEXTS("help", self.language)

    def turn(self, words: str) -> ExitCode:
        """Answer `words`. An error in them ends the turn, not the conversation."""
        with ExitStack() as after:
            try:
                task = build_task(check_words(words), self.paths)
                task = in_language(task, self.talk.language)
                title = request_to_title(words)
                with answers_only(), shown_progress(title, task.language) as progress:
                    work = partial(self.app.aask, task, thread=self.thread_id)
                    run = execute(self.app, work, progress, after)
                asks = not self.as_json
                options = command_options(self.talk)
                around = Surroundings(self.app, task.language, title, options, asks_person=asks)
                run, progress = see_through(run, progress, around, after)
            except MinervaError as error:
                say(f"minerva: {error}")
                return error_to_exit_code(error)
            self.turns += 1
            self.paths = []  # the thread remembers them
            self._show(run, progress, task.language)
        return run_to_exit_code(run)

    def command(self, line: str) -> bool:
        """Run a line that begins with a slash. Return True if the conversation goes on."""
        name, _, rest = line.partition(" ")
        if name == "/new":
            self.thread_id, self.paths = _new_thread(), []
            say(TEXTS("new", self.language, thread=self.thread_id))
        elif name == "/file" and rest.strip():
            try:
                self.paths += check_paths([Path(rest.strip()).expanduser()])
            except RunError as error:
                say(str(error).removeprefix("-i "))
        elif name not in _END:
            if name not in {"/help", "/file"}:
                say(TEXTS("unknown", self.language, name=name))
            say(self.help)
        return name not in _END

    def thread(self) -> str:
        """Return the thread of the moment."""
        return self.thread_id

    def tell(self, run: Run) -> None:
        """Say that a background run of this thread has ended, or asks a person."""
        key = "asks" if run.status == "needs_human" else "ended"
        say(TEXTS(f"background.{key}", self.language, run=run.run_id[:8], status=run.status))

    def say_left(self, count: int) -> None:
        """Say that background runs are not over when the conversation ends."""
        worker = f"{minerva_command()} worker"
        say(TEXTS("background.left", self.language, count=count, worker=worker))

    def _show(self, run: Run, progress: ProgressView, language: Language) -> None:
        if self.as_json:
            write_text(harmless_json(run.to_json_dict()))
        else:
            show_run(run, progress, language=language, as_json=False)
        say_questions(run, language, command_options(self.talk))
        if not self.as_json and not is_terminal(sys.stdout):
            write_text("")


def chat(talk: ChatOptions) -> ExitCode:
    """Answer one line after the other. Return the gravest exit code of a turn."""
    conversation = _Chat(talk)
    by_hand = is_terminal(sys.stdin)
    if by_hand:
        say(TEXTS("begin", conversation.language, help=conversation.help))
    told = conversation.tell if by_hand else None  # from a pipe, the next turn tells it
    with working_off(conversation.app, conversation.thread, told, conversation.say_left):
        worst = _converse(conversation, by_hand=by_hand)
    if conversation.turns:
        command = f"{minerva_command()} chat {conversation.options}"
        say(TEXTS("later", conversation.language, command=command))
    return ExitCode.ANSWERED if by_hand else worst


def _converse(conversation: _Chat, *, by_hand: bool) -> ExitCode:
    """Obey one line after the other, and return the gravest exit code of a turn."""
    worst = ExitCode.ANSWERED
    lines = _lines(by_hand=by_hand)
    goes_on = True
    while goes_on:
        try:
            goes_on, code = _obey(conversation, next(lines, "/quit"))
        except KeyboardInterrupt:  # outside a run, which would have taken it
            say("minerva: Interrupted.")
            goes_on, code = by_hand, ExitCode.INTERRUPTED
        worst = max(worst, code)
    return worst


def _obey(conversation: _Chat, line: str) -> tuple[bool, ExitCode]:
    """Run a typed line. Return True if the conversation goes on, and the turn's exit code."""
    typed = line.strip()
    if typed.startswith("/") or typed in _END:
        return conversation.command(typed), ExitCode.ANSWERED
    return True, conversation.turn(typed) if typed else ExitCode.ANSWERED


def _lines(*, by_hand: bool) -> Iterator[str]:
    """Yield what is typed until Ctrl-D, or the lines of a pipe."""
    if not by_hand:
        for line in sys.stdin.buffer:  # a broken byte is refused with its turn
            yield line.decode("utf-8", "surrogateescape").lstrip("\ufeff")
        return
    with suppress(ImportError):  # some Pythons are built without it
        import_module("readline")  # gives `input` arrow keys and a history

    while True:
        try:
            yield input(PROMPT if is_terminal(sys.stdout) else "")
        except (EOFError, KeyboardInterrupt):
            say("")
            return


def _new_thread() -> str:
    return uuid4().hex
