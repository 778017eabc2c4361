"""See a run through: ask the person at the terminal what it asks, and let it go on, to its end."""

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from minerva_platform.cli.ask.execution import execute
from minerva_platform.cli.decide.pick import in_language
from minerva_platform.cli.decide.question_text import Asking, CommandOptions, question_line
from minerva_platform.cli.io.stream import answers_only, is_person_there
from minerva_platform.cli.views.progress import ProgressView, say, shown_progress
from minerva_platform.errors import DecisionError
from minerva_platform.text.language import Language
from minerva_platform.text.texts import read_texts

TEXTS = read_texts("minerva_platform.cli.decide", "prompt")

if TYPE_CHECKING:
    from minerva_platform.app import Platform
    from minerva_platform.contract.run_object import Run


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What surrounds a run in a command: its app, its language, the options of later commands."""

    app: "Platform"
    language: Language
    title: str
    """The request in one line."""
    options: CommandOptions
    asks_person: bool = True
    """False if the command prints JSON, which a program reads."""


def see_through(
    run: "Run", progress: ProgressView, around: Surroundings, after: ExitStack
) -> tuple["Run", ProgressView]:
    """Return the run when it has ended, or when the person left what it still asks.

    Without a terminal, it is returned as it is.

    Raises:
        InterruptedRunError: the person pressed Ctrl-C while it went on.
        RunError: it cannot go on.
    """
    left: set[str] = set()
    while run.interrupts and around.asks_person and is_person_there():
        decisions = _decisions(run, around, left)
        if not decisions:
            break
        try:
            keep_decisions(around.app, run, decisions)
        except DecisionError as error:  # another person was faster, or the time is over
            say(f"minerva: {in_language(error, around.language)}")
        say("")
        run, progress = advance(run.run_id, around, after)
    return run, progress


def advance(run_id: str, around: Surroundings, after: ExitStack) -> tuple["Run", ProgressView]:
    """Let the run go on with what was decided, and return it as it is then."""
    with answers_only(), shown_progress(around.title, around.language) as progress:
        return execute(around.app, partial(around.app.aresume, run_id), progress, after), progress


def _decisions(run: "Run", around: Surroundings, left_ids: set[str]) -> dict[str, dict[str, Any]]:
    """Ask all that is open and was not left before. Ctrl-C leaves everything undecided."""
    from minerva_platform.cli.decide.prompt import Terminal, ask_at_terminal  # noqa: PLC0415  # rich

    terminal = Terminal()
    decisions: dict[str, dict[str, Any]] = {}
    for asking in askings(run, around.options):
        if asking.question.id in left_ids:
            continue
        if decisions or left_ids:
            terminal.say("")
        try:
            decision = ask_at_terminal(asking, around.language, terminal)
        except KeyboardInterrupt:
            say("")
            say(TEXTS("interrupted", around.language))
            return {}
        if decision is None:
            left_ids.add(asking.question.id)
        else:
            decisions[asking.question.id] = decision
    return decisions


def keep_decisions(app: "Platform", run: "Run", decisions: Mapping[str, Mapping[str, Any]]) -> None:
    """Keep decisions about the questions as `run` shows them, if they are still the same.

    Raises:
        DecisionError: one is not taken; none of them is kept then.
        StateError: the database cannot be used.
    """
    from minerva_platform.storage.ledger.decisions import decide, os_user  # noqa: PLC0415  # few runs ask a person

    shown = {each.id: each.shown_sha256 for each in run.interrupts if each.id in decisions}
    with app.opened_ledger() as ledger:
        decide(ledger.engine, run.run_id, decisions, by=os_user(), shown=shown)


def askings(run: "Run", options: CommandOptions) -> tuple[Asking, ...]:
    """Return the questions that a run waits with."""
    is_alone = len(run.interrupts) == 1
    return tuple(
        Asking(run.run_id, question, is_alone=is_alone, options=options)
        for question in run.interrupts
    )


def say_questions(run: "Run", language: Language, options: CommandOptions) -> None:
    """Print what a run asks, one line each, with the commands that answer it."""
    for asking in askings(run, options):
        say(question_line(asking, language))
        key, commands = "next", asking.commands
        if asking.question.kind == "effect":
            key = "next_look"
        elif commands.keys() == {"approve", "reject"}:  # as of an effect that was done before
            key = "next_either"
        shown = {"command": asking.next_command, "whole": asking.show_command}
        say(TEXTS(key, language, **shown, no=commands.get("reject", "")))
