"""`minerva demo`: the main job on the bundled example, offline, from request to records."""

import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from minerva_platform.cli.ask.delivery import ANSWER, check_folder, deliver
from minerva_platform.cli.ask.execution import execute
from minerva_platform.cli.ask.open_app import open_app
from minerva_platform.cli.ask.request import check_language, check_paths, in_language
from minerva_platform.cli.decide.question_text import Carried
from minerva_platform.cli.decide.see_through import askings
from minerva_platform.cli.io.exit_codes import ExitCode, run_to_exit_code
from minerva_platform.cli.io.stream import answers_only
from minerva_platform.cli.views.demo import Shown, show_demo, show_opening
from minerva_platform.cli.views.progress import shown_progress, status_line
from minerva_platform.config.settings import Settings, find_settings
from minerva_platform.contract.askable import build_task
from minerva_platform.contract.run_object import Run
from minerva_platform.errors import SettingsError
from minerva_platform.text.command_hint import minerva_command
from minerva_platform.text.language import Language, locale_language
from minerva_platform.text.texts import read_texts
from minerva_platform.text.yaml_file import read_yaml

FILE = "demo.yaml"

_WELL = frozenset({"ok", "needs_human"})
"""Statuses of an example that went well; a question waits in it."""

TEXTS = read_texts("minerva_platform.cli.ask", "demo")


class Demo(BaseModel):
    """`demo.yaml`. A text is one for all readers, or one for each language."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    request: str | dict[Language, str]
    about: str | dict[Language, str] = ""
    """What the example is about. It is shown before the request."""
    next: str | dict[Language, str] = ""
    """A request to try afterwards."""
    inputs: tuple[Path, ...] = ()
    """Relative to the file."""
    teams: tuple[str, ...] | None = None
    """The teams that serve it, without others that could take its request. None means all."""


def demo(config: Path | None, *, language: str | None = None, out: Path | None = None) -> ExitCode:
    """Run the example and show its results and records. Return the exit code."""
    reader = check_language(language) or locale_language(os.environ)
    settings = find_settings(config)
    wish = read_demo(settings)
    request = text_for(wish.request, reader)
    show_opening(text_for(wish.about, reader), request, wish.inputs)
    with ExitStack() as after:
        with (
            answers_only(),
            shown_progress(TEXTS("at_work", reader), reader, stays=False) as progress,
        ):
            app = open_app(settings, teams=wish.teams)
            folder = check_folder(out or app.home / "demo")
            task = in_language(build_task(request, wish.inputs), reader)
            run = execute(app, task, progress, after)
        run = deliver(run, folder, config=config)
        shown = Shown(
            answer=run.answer,
            tree=progress.tree,
            file=folder / ANSWER,
            artifacts=len(run.artifacts),
            commands=(
                *_decisions(run, Carried(config, language, out=folder), reader),
                *_commands(text_for(wish.next, reader), reader),
            ),
            ending="" if run.status in _WELL else status_line(run, progress, reader),
            language=reader,
        )
        show_demo(shown)
    return ExitCode.ANSWERED if run.status in _WELL else run_to_exit_code(run)


def read_demo(settings: Settings) -> Demo:
    """Return the contents of `demo.yaml`, with absolute paths.

    Raises:
        SettingsError: there is no such file, or it names a missing path or team.
    """
    path = (settings.folder or Path("configs")) / FILE
    if not path.exists():
        message = (
            f"There is no {path}. Type it in a checkout of MINERVA, or name the checkout's "
            f"folder: {minerva_command()} demo --config CHECKOUT/configs"
        )
        raise SettingsError(message)
    said = read_yaml(path).as_model(Demo)
    inputs = check_paths([path.parent / entry for entry in said.inputs])
    return said.model_copy(update={"inputs": tuple(inputs)})


def text_for(text: str | Mapping[Language, str], language: Language) -> str:
    """Return the text for a reader of `language`, or the first one that there is."""
    return text if isinstance(text, str) else text.get(language, next(iter(text.values()), ""))


def _decisions(run: Run, carried: Carried, language: Language) -> Iterator[tuple[str, str]]:
    """Yield the commands that approve what the run asks."""
    for asking in askings(run, carried):
        yield asking.next_command, TEXTS("next.approve", language)


def _commands(request: str, language: Language) -> tuple[tuple[str, str], ...]:
    """Return the next commands to try, each with its purpose. Every program is installed."""
    minerva = minerva_command()
    commands = [(f"{minerva} runs last", TEXTS("next.steps", language))]
    if request:
        commands.append((f'{minerva} ask "{request}"', TEXTS("next.question", language)))
    commands.append((f"{minerva} new team billing", TEXTS("next.team", language)))
    return tuple(commands)
