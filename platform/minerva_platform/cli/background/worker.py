"""`minerva worker`: a process that works off the queue of background runs."""

import os
import socket
import sys
from functools import partial

from minerva_observability import configure_logging
from minerva_platform.app import Platform
from minerva_platform.cli.ask.execution import check_home
from minerva_platform.cli.ask.open_app import open_app
from minerva_platform.cli.background.background import TEXTS
from minerva_platform.cli.background.commands import WorkerOptions
from minerva_platform.cli.background.shutdown import Ending
from minerva_platform.cli.io.exit_codes import ExitCode
from minerva_platform.cli.maintenance.open_store import reader_language
from minerva_platform.cli.views.progress import say
from minerva_platform.config.settings import find_settings
from minerva_platform.contract.run_object import Run
from minerva_platform.errors import MinervaError
from minerva_platform.run_context.blocking import run_sync
from minerva_platform.server.roots import Roots
from minerva_platform.text.command_hint import minerva_command
from minerva_platform.text.language import Language


def work(options: WorkerOptions) -> ExitCode:
    """Work off the queue until a signal ends it; return how the command ends."""
    settings = find_settings(options.config)
    configure_logging()
    app = open_app(settings, only_team=options.team)
    check_home(app.home)
    recorder = app.recorder = app.build_recorder()
    try:
        code = run_sync(_work, app, options)
    finally:
        recorder.close()
    if options.beside is not None:  # an OS thread still hears the link
        sys.stderr.flush()
        os._exit(code)
    return code


async def _work(app: Platform, options: WorkerOptions) -> ExitCode:
    language = reader_language(options.language)
    roots = Roots(app)
    async with app.worker_process(roots.team_of, at_once=options.at_once) as process:
        process.on_end = partial(tell, language)
        ending = Ending(process, options.grace, language, names_left=options.beside is None)
        if options.beside is None:
            say(TEXTS("begins", language, count=options.at_once))
        else:
            from minerva_platform.cli.serve.workers_beside import stand_beside  # noqa: PLC0415  # the server's workers alone

            stand_beside(socket.socket(fileno=options.beside), process, ending)
        with ending.by_signals():
            await process.work(until_empty=options.until_empty)
        return ending.code


def tell(language: Language, run_id: str, end: Run | MinervaError) -> None:
    """Print what became of a run that was at work here."""
    if isinstance(end, MinervaError):
        say(TEXTS("hindered", language, run=run_id[:8], cause=str(end)))
        return
    status = f"{end.status} ({end.reason})" if end.reason else end.status
    command = f"{minerva_command()} runs {run_id[:8]}"
    say(TEXTS("ended", language, run=run_id[:8], status=status, command=command))
