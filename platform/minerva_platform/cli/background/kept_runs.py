"""`minerva runs wait`, `events` and `cancel`: a run that another process works on."""

import time
from functools import partial
from typing import Final

from minerva_platform.cli.ask.ask import show_end
from minerva_platform.cli.ask.delivery import check_folder
from minerva_platform.cli.ask.request import check_language
from minerva_platform.cli.background.background import TEXTS
from minerva_platform.cli.background.commands import CancelOptions, EventsOptions, WaitOptions
from minerva_platform.cli.decide.pick import in_language, opened_run
from minerva_platform.cli.decide.question_text import CommandOptions
from minerva_platform.cli.io.exit_codes import ExitCode
from minerva_platform.cli.io.stream import write_json, write_text
from minerva_platform.cli.maintenance.open_store import reader_language
from minerva_platform.cli.views.progress import ProgressView, say
from minerva_platform.contract.run_object import IS_OVER, Event
from minerva_platform.errors import DecisionError, UnknownRunError
from minerva_platform.storage.ledger.events import read_events
from minerva_platform.storage.ledger.ledger import Ledger
from minerva_platform.storage.ledger.run_row import KeptRun
from minerva_platform.storage.queue.background_runs import cancel_run
from minerva_platform.text.command_hint import minerva_command

_LOOK_S: Final = 0.25
"""Seconds between two looks at the run."""


def wait_for_run(options: WaitOptions) -> ExitCode:
    """Wait until a run is over or asks a person; print it as `ask` does.

    Raises:
        UnknownRunError: there is no such run.
        OriginalsRunError: it rests, because the store is a restored copy.
        StateError: the store cannot be read.
    """
    check_language(options.language)
    if options.out is not None:
        check_folder(options.out)
    which = (options.config, options.run, options.language)
    with opened_run(*which, tenant=options.tenant, may_be_last=True) as (ledger, named):
        run_id = named.head.run_id
        row = _wait(ledger, run_id, options.seconds)
        row.check_owner()
        run = ledger.to_run(row)
    spoken = reader_language(options.language)
    language = spoken if options.language else row.task.language
    if run.status in {"queued", "running"}:
        wait = f"{minerva_command()} runs wait {run_id[:8]}"
        say(TEXTS("still", language, run=run_id[:8], status=run.status, wait=wait))
        return ExitCode.FAILED
    to_carry = CommandOptions(options.config, options.language, None, options.out)
    _, code = show_end(run, ProgressView(), to_carry, language=language, as_json=options.as_json)
    return code


def _wait(ledger: Ledger, run_id: str, seconds: float | None) -> KeptRun:
    until = None if seconds is None else time.monotonic() + seconds
    while True:
        row = ledger.find(run_id)
        if _rests(row) or (until is not None and time.monotonic() >= until):
            return row
        time.sleep(_LOOK_S)


def _rests(row: KeptRun) -> bool:
    return row.rests or row.status in {*IS_OVER, "needs_human"}


def print_events(options: EventsOptions) -> ExitCode:
    """Print the events of a run, one JSON object a line.

    Raises:
        UnknownRunError: there is no such run.
        StateError: the store cannot be read.
    """
    its_run = opened_run(options.config, options.run, tenant=options.tenant, may_be_last=True)
    with its_run as (ledger, named):
        run_id, seq, rests = named.head.run_id, 0, False
        while not rests:
            try:
                rests = not options.follow or _rests(ledger.find(run_id))
            except UnknownRunError:  # forgotten meanwhile
                rests = True
            look = partial(read_events, run_id=run_id)
            while events := ledger.engine.read(partial(look, after=seq), empty=list[Event]()):
                seq = events[-1].seq
                for event in events:
                    write_text(event.model_dump_json())
            if not rests:
                time.sleep(_LOOK_S)
    return ExitCode.ANSWERED


def cancel(options: CancelOptions) -> ExitCode:
    """Cancel a run that waits or is at work, in whichever process.

    Raises:
        UnknownRunError: there is no such run.
        DecisionError: an approval came first; nothing is cancelled.
        RunError: it is over.
        StateError: the store cannot be written.
    """
    spoken = reader_language(options.language)
    which = (options.config, options.run, options.language)
    with opened_run(*which, tenant=options.tenant, may_be_last=True) as (ledger, named):
        run_id = named.head.run_id
        try:
            before = cancel_run(ledger.engine, run_id, even_decided=options.even_decided)
        except DecisionError as error:
            again = f"{minerva_command()} runs cancel {run_id[:8]} --even-decided"
            say(TEXTS("goes_on", spoken, command=again))
            raise in_language(error, spoken) from None
    if options.as_json:
        write_json({"run_id": run_id, "status": "cancelled", "before": before.status})
    else:
        say(TEXTS("cancelled", spoken, run=run_id[:8]))
    return ExitCode.ANSWERED
