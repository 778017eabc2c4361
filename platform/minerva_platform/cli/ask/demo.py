"""`minerva demo`: the main job on the bundled example, offline, from request to records."""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from minerva_platform.cli.ask.ask import show_end, write_markdown
from minerva_platform.cli.ask.commands import DemoOptions
from minerva_platform.cli.ask.delivery import ANSWER, check_folder
from minerva_platform.cli.ask.execution import execute
from minerva_platform.cli.ask.open_app import open_app
from minerva_platform.cli.ask.request import check_language, check_paths, in_language
from minerva_platform.cli.decide.question_text import CommandOptions
from minerva_platform.cli.io.exit_codes import ExitCode
from minerva_platform.cli.io.stream import answers_only
from minerva_platform.cli.views.progress import request_to_title, shown_progress
from minerva_platform.config.limits import Section
from minerva_platform.config.settings import Settings, find_settings
from minerva_platform.contract.askable import build_task
from minerva_platform.errors import SettingsError
from minerva_platform.text.command_hint import minerva_command
from minerva_platform.text.language import Language, locale_language
from minerva_platform.text.texts import read_texts
from minerva_platform.text.yaml_file import read_yaml

FILE = "demo.yaml"

TEXTS = read_texts("minerva_platform.cli.ask", "demo")


class Demo(Section):
    """`demo.yaml`. A text is one for all readers, or one for each language."""

    request: str | dict[Language, str]
    about: str | dict[Language, str] = ""
    """What the example is about. It is shown before the request."""
    next: str | dict[Language, str] = ""
    """A request to try afterwards."""
    inputs: tuple[Path, ...] = ()
    """Relative to the file."""
    teams: tuple[str, ...] | None = None
    """The teams that serve it, without others that could take its request. None means all."""


def demo(options: DemoOptions) -> ExitCode:
    """Run the example, print its answer and what to type next. Return the exit code."""
    reader = check_language(options.language) or locale_language(os.environ)
    settings = find_settings(options.config)
    wish = read_demo(settings)
    request = text_for(wish.request, reader)
    write_markdown("\n\n".join(_opening(text_for(wish.about, reader), request, wish.inputs)) + "\n")
    with ExitStack() as after:
        with (
            answers_only(),
            shown_progress(request_to_title(request), reader) as progress,
        ):
            app = open_app(settings, teams=wish.teams)
            folder = check_folder(options.out or app.home / "demo")
            task = in_language(build_task(request, wish.inputs), reader)
            run = execute(app, partial(app.aask, task), progress, after)
        later = CommandOptions(options.config, options.language, out=folder)
        run, code = show_end(run, progress, later, language=reader, as_json=False)
        files = TEXTS("answer", reader, file=folder / ANSWER, count=len(run.artifacts))
        commands = "\n".join(_commands(text_for(wish.next, reader), reader))
        write_markdown(f"\n{files} {TEXTS('next', reader)}\n\n{commands}")
    return ExitCode.ANSWERED if code is ExitCode.WAITS_FOR_PERSON else code


def _opening(about: str, request: str, inputs: Sequence[Path]) -> Iterator[str]:
    if about:
        yield about
    yield f"> “{request}”"
    for path in inputs:
        yield f"`-i {path}`"


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


def _commands(request: str, language: Language) -> Iterator[str]:
    """Yield the next commands to try, each with its purpose. Every program is installed."""
    minerva = minerva_command()
    yield f"- `{minerva} runs last`: {TEXTS('try.steps', language)}"
    if request:
        yield f'- `{minerva} ask "{request}"`: {TEXTS("try.question", language)}'
    yield f"- `{minerva} new team billing`: {TEXTS('try.team', language)}"
