"""`minerva serve`: the HTTP server, and the processes beside it that do the runs.

A signal ends both. In the HTTP process no member's code runs.
"""

import logging
import time
from contextlib import suppress
from functools import partial
from importlib import import_module

from minerva_observability import configure_logging
from minerva_observability.http_access import AddressError, bind, is_loopback, url_of
from minerva_platform.app import Platform
from minerva_platform.cli.ask.execution import check_home
from minerva_platform.cli.ask.open_app import open_app
from minerva_platform.cli.background.shutdown import Ending
from minerva_platform.cli.io.command import option_words
from minerva_platform.cli.io.exit_codes import ExitCode
from minerva_platform.cli.maintenance.open_store import reader_language
from minerva_platform.cli.serve.commands import ServeOptions
from minerva_platform.cli.serve.tokens import TEXTS
from minerva_platform.cli.serve.workers_beside import WorkersBeside
from minerva_platform.cli.views.progress import say
from minerva_platform.config.settings import find_settings
from minerva_platform.errors import RunError, StateError
from minerva_platform.run_context.blocking import run_sync
from minerva_platform.server.roots import Roots
from minerva_platform.storage.engine.location import find_place
from minerva_platform.storage.engine.opening import opened_engine
from minerva_platform.storage.queue.background_runs import open_runs
from minerva_platform.storage.server.tokens import has_valid_token
from minerva_platform.text.command_hint import install_package_command, minerva_command


def serve(options: ServeOptions) -> ExitCode:
    """Serve until a signal ends it; return how the command ends.

    Raises:
        RunError: the extra is not installed, the address cannot be used, or tokens are missing.
    """
    try:
        import_module("minerva_platform.server.app")  # fastapi is an extra
        import_module("minerva_platform.server.uvicorn_server")  # uvicorn, too
    except ModuleNotFoundError as error:
        install = install_package_command("minerva-platform[server]")
        message = f"The server needs {error.name}, which is not installed here. Type: {install}"
        raise RunError(message) from error
    settings = find_settings(options.config)
    configure_logging()
    app = open_app(settings, only_team=options.team)
    check_home(app.home)
    needs_token = _needs_token(app, options.host)
    return run_sync(_serve, app, options, needs_token)


def _needs_token(app: Platform, host: str) -> bool:
    """True if clients need tokens: there is one, or others than this machine could reach us.

    Raises:
        RunError: others could reach us, and there is no token yet.
    """
    place = find_place(app.home, app.settings.platform.storage.url)
    with opened_engine(place) as engine:
        has_token = engine.read(partial(has_valid_token, now=time.time()), empty=False)
    if not has_token and not is_loopback(host):
        message = (
            f"Anyone who can reach {host} could ask your teams. Make a token first: "
            f"{minerva_command()} token create NAME"
        )
        raise RunError(message)
    return has_token


async def _serve(app: Platform, options: ServeOptions, needs_token: bool) -> ExitCode:  # noqa: FBT001  # `run_sync` passes what it is given by place
    from minerva_platform.server.app import build_app  # noqa: PLC0415  # fastapi is an extra
    from minerva_platform.server.middleware import REQUESTS  # noqa: PLC0415  # the same
    from minerva_platform.server.service import opened_service  # noqa: PLC0415  # the same
    from minerva_platform.server.uvicorn_server import build_server  # noqa: PLC0415  # the same

    logging.getLogger(REQUESTS).setLevel(logging.INFO)
    language = reader_language(options.language)
    try:
        bound = bind(options.host, options.port)
    except AddressError as error:
        raise RunError(str(error)) from error
    url = url_of(options.host, bound.getsockname()[1]).rstrip("/")
    roots = Roots(app)
    with bound:
        async with opened_service(app, roots, at_once=0, needs_token=needs_token) as service:
            news = service.watcher.poke
            workers = WorkersBeside(_worker_options(options), options.workers, language, news)
            service.wake_workers = workers.wake
            count = options.workers * options.at_once
            work = TEXTS("works.some" if count else "works.none", language, count=count)
            key = "serves.token" if needs_token else "serves.open"
            begun = TEXTS(key, language, url=url, work=work)
            server = build_server(build_app(service), answers=partial(say, begun))

            def begins() -> None:
                service.is_draining = True
                server.until = time.monotonic() + options.grace

            def ends() -> None:
                server.should_exit = True

            ending = Ending(workers, options.grace, language, begins, ends, workers.kill)
            if options.workers:
                ending.says = lambda _: None  # each worker says it of its runs
            workers.start()
            try:
                with ending.by_signals():
                    await server.serve(sockets=[bound])
            finally:
                await workers.let_go(0)
            with suppress(StateError):  # the database has ended, too
                run_ids = sorted(await service.engine.aread(open_runs, empty=set[str]()))
                if run_ids and options.workers:
                    values = {
                        "runs": ", ".join(run_ids[:10]),
                        "serve": f"{minerva_command()} serve",
                    }
                    say(TEXTS("left", language, count=len(run_ids), **values))
            return ending.code


def _worker_options(options: ServeOptions) -> list[str]:
    return option_words(
        {
            "--at-once": options.at_once,
            "--grace": options.grace,
            "--language": options.language,
            "--config": options.config,
            "--team": options.team,
        }
    )
