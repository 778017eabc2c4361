"""`minerva dashboard`: serve the pages about the records until Ctrl-C."""

import os
from glob import has_magic
from pathlib import Path

from minerva_platform.cli.records.figure_options import DashboardOptions
from minerva_platform.cli.views.progress import say
from minerva_platform.config.settings import home_directory
from minerva_platform.errors import RunError
from minerva_platform.text.command_hint import install_package_command

_TOKEN_VARIABLE = "MINERVA_DASHBOARD_TOKEN"  # noqa: S105  # a name


def serve(options: DashboardOptions) -> None:
    """Serve until Ctrl-C, which ends the command without an error.

    Raises:
        RunError: the extra is not installed, there is no such source, or the address is taken.
    """
    try:
        from minerva_observability.dashboard import DashboardError, serve  # noqa: PLC0415  # heavy
    except ModuleNotFoundError as error:
        install = install_package_command("minerva-observability[dashboard]")
        message = f"The dashboard needs {error.name}, which is not installed here. Type: {install}"
        raise RunError(message) from error
    source = _source(options.source)
    try:
        serve(
            source,
            host=options.host,
            port=options.port,
            token=options.token or os.environ.get(_TOKEN_VARIABLE) or None,
            announce=lambda url: say(f"Dashboard of {source}: {url}  (Ctrl-C ends it)"),
            opens=options.opens,
        )
    except DashboardError as error:
        raise RunError(str(error)) from error


def _source(text: str | None) -> Path | str:
    """Return the source to show. A typed one must exist; the home folder may come later."""
    if text is None:
        return home_directory()
    if has_magic(text):
        return text
    if not Path(text).exists():
        message = f"There is no {text}. Name a file, a folder or a pattern of records."
        raise RunError(message)
    return Path(text)
