"""`minerva doctor --restored` and `--this-is-the-store`: runs of the original rest, or go on."""

import time
from collections.abc import Iterator
from dataclasses import asdict
from datetime import datetime
from pathlib import Path

from minerva_platform.cli.io.exit_codes import ExitCode
from minerva_platform.cli.io.stream import one_line, write_json, write_text
from minerva_platform.cli.maintenance.commands import DoctorOptions
from minerva_platform.cli.maintenance.open_store import opened_store, reader_language
from minerva_platform.config.settings import find_settings, home_directory
from minerva_platform.errors import RunError
from minerva_platform.storage.engine.database import PATIENCE_S
from minerva_platform.storage.engine.database_file import begin_anew, is_lost
from minerva_platform.storage.engine.location import find_place
from minerva_platform.storage.engine.opening import opened_engine
from minerva_platform.storage.maintenance.restored import (
    RestoredCopy,
    find_restored,
    mark_restored,
    remove_mark,
)
from minerva_platform.text.command_hint import minerva_command
from minerva_platform.text.language import Language
from minerva_platform.text.texts import read_texts

TEXTS = read_texts("minerva_platform.cli.maintenance", "restored")


def set_mark(options: DoctorOptions) -> ExitCode:
    """Mark the store as a restored copy, or let its runs go on. Return the exit code.

    Raises:
        RunError: nothing was kept yet.
        StateError: the database cannot be used.
    """
    language = reader_language(options.language)
    place = find_place(home_directory(), find_settings(options.config).platform.storage.url)
    if not options.is_copy and isinstance(place, Path) and is_lost(place):
        begin_anew(place, until=time.monotonic() + PATIENCE_S)
        with opened_engine(place) as engine:
            engine.write(lambda _: None)
        if options.as_json:
            write_json({"is_copy": False, "original": None})
        else:
            write_text(TEXTS("anew", language, place=place))
        return ExitCode.ANSWERED
    with opened_store(options.config) as store:
        if store is None:
            message = f"Nothing is kept in {home_directory()} yet, so no run could rest."
            raise RunError(message)
        if options.is_copy:
            store.engine.write(mark_restored)
            copy = store.engine.read(find_restored, empty=None)
        else:
            copy = store.engine.write(remove_mark)
    if options.as_json:
        original = None if copy is None else asdict(copy)
        write_json({"is_copy": options.is_copy, "original": original})
    else:
        write_text("\n".join(_lines(copy, options, language)))
    return ExitCode.ANSWERED


def _lines(copy: RestoredCopy | None, options: DoctorOptions, language: Language) -> Iterator[str]:
    if copy is None:
        yield TEXTS("no_copy", language, command=f"{minerva_command()} doctor --restored")
        return
    since = f"{datetime.fromtimestamp(copy.since).astimezone():%Y-%m-%d %H:%M}"
    counts = {"runs": len(copy.runs), "questions": copy.questions, "since": since}
    yield TEXTS("rest" if options.is_copy else "go_on", language, **counts)
    if copy.effects:
        yield TEXTS("effects", language, count=len(copy.effects))
    for effect in copy.effects:
        values = {"name": one_line(effect.name), "kind": effect.kind, "run": effect.run_id}
        yield TEXTS("effect", language, **values)
    if options.is_copy:
        yield TEXTS("word", language, command=f"{minerva_command()} doctor --this-is-the-store")
