"""Take a request, and what goes with it, from the command line or from standard input."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from minerva_platform.cli.views.progress import say
from minerva_platform.config.router_spec import RouterName
from minerva_platform.config.settings import Settings, home_directory
from minerva_platform.errors import RunError, SettingsError, StateError
from minerva_platform.storage.engine.location import find_place
from minerva_platform.storage.ledger.threads import LAST, Conversation, check_thread
from minerva_platform.text.command_hint import minerva_command
from minerva_platform.text.language import Language
from minerva_platform.text.texts import read_texts

if TYPE_CHECKING:
    from minerva_platform.contract.task import Task

TEXTS = read_texts("minerva_platform.cli.ask", "ask")

STDIN = "-"
"""Typed instead of a text: read it from standard input."""


def read_request(text: str) -> str:
    """Return the request's words.

    Raises:
        RunError: they are empty, or no UTF-8. Broken text would be recorded, sent and
            answered as something else than what was typed.
    """
    words = _read_stdin() if text == STDIN else check_words(text)
    if not words.strip():
        message = f'The request is empty. Type what you want: {minerva_command()} ask "…".'
        raise RunError(message)
    return words


def check_router_name(name: str | None) -> RouterName | None:
    """Return the router that was typed.

    Raises:
        SettingsError: there is none of that name, or it needs rules of each supervisor.
    """
    known: dict[str, RouterName] = {item: item for item in get_args(RouterName) if item != "rules"}
    if name is None or name in known:
        return known.get(name or "")
    message = f"--router {name}: there are {', '.join(known)}."
    raise SettingsError(message)


def check_language(name: str | None) -> Language | None:
    """Return the language that was typed.

    Raises:
        SettingsError: MINERVA does not answer in it.
    """
    known: dict[str, Language] = {item: item for item in get_args(Language)}
    if name is None or name in known:
        return known.get(name or "")
    message = f"--language {name}: there are {', '.join(known)}."
    raise SettingsError(message)


def in_language(task: "Task", name: str | None) -> "Task":
    """Return `task` with the typed answer language, if one was typed.

    Raises:
        SettingsError: MINERVA does not answer in it.
    """
    language = check_language(name)
    return task.model_copy(update={"language": language}) if language else task


def check_paths(paths: list[Path] | None) -> list[Path]:
    """Return what was typed of `paths`, all of which exist and can be recorded.

    Raises:
        RunError: one is missing or cannot be recorded. It names the first.
    """
    typed = paths or []
    for path in typed:
        try:
            str(path).encode()
        except UnicodeEncodeError as error:
            message = f"-i {path!s}: the name is no UTF-8. Rename it, then ask again."
            raise RunError(message) from error
        if not path.exists():
            there = next(folder for folder in path.absolute().parents if folder.is_dir())
            shown = path.parent if path.parent.is_dir() else there
            message = f"-i {path}: there is no such file or directory. Look with: ls {shown}"
            raise RunError(message)
    return typed


def named_thread(name: str | None, settings: Settings, language: Language) -> str | None:
    """Return the id of the named thread. If it is new, print a notice."""
    if name is None:
        return None
    place = find_place(home_directory(), settings.platform.storage.url)
    thread_id = check_thread(name, place)
    try:
        conversation = Conversation(place, thread_id)
        latest = conversation.latest()
        waiting = {each.run_id: each.rests for each in conversation.open_questions()}
    except StateError:  # the run opens it too and reports the error
        return thread_id
    if latest is None and not waiting:
        say(TEXTS("begins", language, thread=thread_id, last=LAST))
    for run_id, rests in waiting.items():
        command = f"{minerva_command()} waiting show {run_id}"
        say(TEXTS("rests" if rests else "still_waits", language, command=command))
    return thread_id


def check_words(text: str) -> str:
    """Return `text`, which can be recorded and sent as it was typed.

    Raises:
        RunError: it is no UTF-8.
    """
    try:
        text.encode()
    except UnicodeEncodeError as error:
        message = (
            f"The request is no UTF-8: its character {error.start + 1} is a broken byte. "
            f"Type it again, or put it into a UTF-8 file: {minerva_command()} ask - <request.txt"
        )
        raise RunError(message) from error
    return text


def _read_stdin() -> str:
    data = sys.stdin.buffer.read()
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        message = (
            f"Standard input is no UTF-8: byte {error.start + 1} is wrong. Convert it first: "
            f"iconv -f cp949 -t utf-8 request.txt | {minerva_command()} ask -"
        )
        raise RunError(message) from error
