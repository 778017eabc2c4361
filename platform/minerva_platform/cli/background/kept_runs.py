"""`minerva runs wait`, `events` and `cancel`: a run that another process works on."""

import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from minerva_platform.cli.ask.ask import show_end
from minerva_platform.cli.ask.delivery import check_folder
from minerva_platform.cli.ask.request import check_language
from minerva_platform.cli.background.background import TEXTS
from minerva_platform.cli.decide.pick import find_run as find_named, in_language
from minerva_platform.cli.decide.question_text import Carried
from minerva_platform.cli.io.exit_codes import ExitCode
from minerva_platform.cli.io.stream import write_json, write_text
from minerva_platform.cli.maintenance.open_store import OpenedStore, opened_store, reader_language
from minerva_platform.cli.records.runs import LAST
from minerva_platform.cli.views.progress import ProgressView, say
from minerva_platform.contract.run_object import IS_OVER, Event
from minerva_platform.errors import DecisionError, UnknownRunError
from minerva_platform.storage.ledger.run_row import KeptRun, find_run
from minerva_platform.storage.queue.background_runs import cancel_run, latest_run
from minerva_platform.storage.server.events import read_events
from minerva_platform.text.command_hint import minerva_command

_LOOK_S: Final = 0.25
"""Seconds between two looks at the run."""


@dataclass(frozen=True, slots=True)
class WaitOptions:
    """What was typed after `minerva runs wait`."""

    run: str
    seconds: float | None = None
    out: Path | None = None
    as_json: bool = False
    language: str | None = None
    config: Path | None = None


def wait_for_run(options: WaitOptions) -> ExitCode:
    """Wait until a run is over or asks a person; print it as `ask` does.

    Raises:
        UnknownRunError: there is no such run.
        StateError: the store cannot be read.
    """
    check_language(options.language)
    if options.out is not None:
        check_folder(options.out)
    with opened_store(options.config) as store:
        run_id = _named(store, options.run)
        assert store is not None  # noqa: S101  # a run was found in it
        kept = _waited(store, run_id, options.seconds)
        run = store.artifacts.store(store.engine).with_artifacts(kept.to_run())
    spoken = reader_language(options.language)
    language = spoken if options.language else kept.task.language
    if run.status in {"queued", "running"}:
        wait = f"{minerva_command()} runs wait {run_id[:8]}"
        say(TEXTS("still", language, run=run_id[:8], status=run.status, wait=wait))
        return ExitCode.FAILED
    carried = Carried(options.config, options.language, None, options.out)
    _, code = show_end(run, ProgressView(), carried, language=language, as_json=options.as_json)
    return code


def _named(store: OpenedStore | None, name: str) -> str:
    """Return the id of the run that was typed; `last` is the one that was accepted last.

    Raises:
        UnknownRunError: there is none.
        RunError: several ids begin so.
    """
    if name == LAST and store is not None:
        name = store.engine.read(latest_run, empty=None) or name
    return find_named(store, name).head.run_id


def _waited(store: OpenedStore, run_id: str, seconds: float | None) -> KeptRun:
    until = None if seconds is None else time.monotonic() + seconds
    look = partial(find_run, run_id=run_id, place=store.engine.place)
    while True:
        kept = store.engine.read(look, empty=None)
        if kept is None:  # forgotten meanwhile
            raise UnknownRunError(run_id)
        if kept.status in {*IS_OVER, "needs_human"}:
            return kept
        if until is not None and time.monotonic() >= until:
            return kept
        time.sleep(_LOOK_S)


def print_events(name: str, *, follows: bool, config: Path | None) -> ExitCode:
    """Print the events of a run, one JSON object a line.

    Raises:
        UnknownRunError: there is no such run.
        StateError: the store cannot be read.
    """
    with opened_store(config) as store:
        run_id = _named(store, name)
        assert store is not None  # noqa: S101  # a run was found in it
        seq, nothing = 0, list[Event]()
        while True:
            kept = store.engine.read(
                partial(find_run, run_id=run_id, place=store.engine.place), empty=None
            )
            while found := store.engine.read(
                partial(read_events, run_id=run_id, after=seq), empty=nothing
            ):
                seq = found[-1].seq
                for event in found:
                    write_text(event.model_dump_json())
            if not follows or kept is None or kept.status in {*IS_OVER, "needs_human"}:
                return ExitCode.ANSWERED
            time.sleep(_LOOK_S)


def cancel(
    name: str, *, even_decided: bool, as_json: bool, language: str | None, config: Path | None
) -> ExitCode:
    """Cancel a run that waits or is at work, in whichever process.

    Raises:
        UnknownRunError: there is no such run.
        DecisionError: an approval came first; nothing is cancelled.
        RunError: it is over.
        StateError: the store cannot be written.
    """
    spoken = reader_language(language)
    with opened_store(config) as store:
        run_id = _named(store, name)
        assert store is not None  # noqa: S101  # a run was found in it
        try:
            before = cancel_run(store.engine, run_id, even_decided=even_decided)
        except DecisionError as error:
            again = f"{minerva_command()} runs cancel {run_id[:8]} --even-decided"
            say(TEXTS("goes_on", spoken, command=again))
            raise in_language(error, spoken) from None
    if as_json:
        write_json({"run_id": run_id, "status": "cancelled", "before": before.status})
    else:
        say(TEXTS("cancelled", spoken, run=run_id[:8]))
    return ExitCode.ANSWERED
