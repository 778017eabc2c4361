"""`minerva ask --background`: put a request in the queue, and say how to get its answer."""

from functools import partial

from minerva_platform.app import Platform
from minerva_platform.cli.ask.commands import AskOptions
from minerva_platform.cli.ask.execution import check_home
from minerva_platform.cli.ask.open_app import open_app
from minerva_platform.cli.ask.request import check_paths, in_language, named_thread, read_request
from minerva_platform.cli.io.exit_codes import ExitCode
from minerva_platform.cli.io.stream import answers_only, write_json, write_text
from minerva_platform.cli.views.progress import say
from minerva_platform.config.settings import find_settings
from minerva_platform.contract.askable import build_task
from minerva_platform.contract.run_object import Run
from minerva_platform.errors import RunError
from minerva_platform.storage.queue.background_runs import count_before, count_workers
from minerva_platform.text.command_hint import minerva_command
from minerva_platform.text.language import Language
from minerva_platform.text.texts import read_texts

TEXTS = read_texts("minerva_platform.cli.background", "queue")


def ask_in_background(options: AskOptions) -> ExitCode:
    """Keep the request as a queued run, and print its id.

    Raises:
        RunError: an option needs the answer, the words answer a waiting question, or the run
            cannot be kept.
    """
    _check(options)
    request, paths = read_request(options.text), check_paths(options.paths)
    settings = find_settings(options.config)
    task = in_language(build_task(request, paths), options.language)
    with answers_only():
        thread = named_thread(options.thread, settings, task.language)
        app = open_app(settings, only_team=options.team)
        check_home(app.home)
        run = app.submit(task, thread=thread)
    if options.as_json:
        write_json(run.to_json_dict())
    else:
        write_text(run.run_id)
    _say_where(app, run, task.language)
    return ExitCode.ANSWERED


def _check(options: AskOptions) -> None:
    """Refuse what only the process that runs the request can do.

    Raises:
        RunError: such an option was typed.
    """
    if options.out is not None:
        message = (
            "--out needs the answer, which a background run does not wait for. "
            f"Save the files later: {minerva_command()} runs wait RUN --out DIR"
        )
        raise RunError(message)
    if options.router is not None:
        message = (
            "--router is not kept with a background run. Set `router:` in platform.yaml for the "
            "process that runs it, or ask in the foreground."
        )
        raise RunError(message)


def _say_where(app: Platform, run: Run, language: Language) -> None:
    with app.opened_ledger() as ledger:
        count = partial(count_before, run_id=run.run_id)
        before = ledger.engine.read(count, empty=0)
        workers = ledger.engine.read(partial(count_workers, engine=ledger.engine), empty=0)
    wait = f"{minerva_command()} runs wait {run.run_id[:8]}"
    key = {0: "none", 1: "one"}.get(before, "many")
    say(TEXTS(f"queued.{key}", language, count=before, wait=wait))
    if not workers:
        say(TEXTS("no_worker", language, worker=f"{minerva_command()} worker"))
