"""`minerva demo`: the main job on the bundled example, offline, from request to records."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

from pydantic import BaseModel, ConfigDict
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from minerva_observability import RUNS_FILE, newest_segment
from minerva_platform.app import App, build_task
from minerva_platform.cli.asking.delivery import ANSWER, check_folder, deliver
from minerva_platform.cli.asking.execution import execute
from minerva_platform.cli.asking.opening import open_app
from minerva_platform.cli.asking.request import check_paths
from minerva_platform.cli.io.console import show
from minerva_platform.cli.io.process import ExitCode, run_to_exit_code
from minerva_platform.cli.io.stream import answers_only
from minerva_platform.cli.views.answer import draw_markdown, excerpt
from minerva_platform.cli.views.hops import Look, draw_tree
from minerva_platform.cli.views.progress import Progress, shown_progress, status_line
from minerva_platform.config.settings import Settings, find_settings
from minerva_platform.contract.values import Run
from minerva_platform.errors import SettingsError
from minerva_platform.text.command_hint import minerva_command
from minerva_platform.text.yaml_file import read_yaml

FILE = "demo.yaml"


class Demo(BaseModel):
    """`demo.yaml`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    request: str
    inputs: tuple[Path, ...] = ()
    """Relative to the file."""
    teams: tuple[str, ...] | None = None
    """The teams that serve it, so that no other one is in its way; None means all."""


def demo(config: Path | None) -> ExitCode:
    """Run the example and show everything it leaves; return how the command ends."""
    settings = find_settings(config)
    wish = read_demo(settings)
    show(lambda _: Group(*_opening(wish)))
    with ExitStack() as after:
        with answers_only(), shown_progress("At work") as progress:
            app = open_app(settings, teams=wish.teams)
            folder = check_folder(app.home / "demo")
            run = execute(app, build_task(wish.request, wish.inputs), progress, after)
        run = deliver(run, folder)
        show(lambda width: Group(*_closing(run, app, folder, progress, width)))
    return run_to_exit_code(run)


def read_demo(settings: Settings) -> Demo:
    """Return what `demo.yaml` says, its paths made whole.

    Raises:
        SettingsError: there is none, or it names something that is not there.
    """
    path = (settings.folder or Path("configs")) / FILE
    if not path.exists():
        message = (
            f"There is no {path}. Type it in a checkout of MINERVA, or name the checkout's "
            f"folder: {minerva_command()} demo --config CHECKOUT/configs"
        )
        raise SettingsError(message)
    said = read_yaml(path).validated(Demo)
    inputs = check_paths([path.parent / entry for entry in said.inputs])
    return said.model_copy(update={"inputs": tuple(inputs)})


def _opening(wish: Demo) -> Iterator[RenderableType]:
    yield _title("Request")
    yield Padding(Text(wish.request), (0, 0, 0, 2))
    for path in wish.inputs:
        yield Padding(Text(f"-i {path}", style="dim"), (0, 0, 0, 2))
    yield Text("")


def _closing(
    run: Run, app: App, folder: Path, progress: Progress, width: int
) -> Iterator[RenderableType]:
    yield _title("Answer, the beginning of each part")
    yield Padding(draw_markdown(excerpt(run.answer)), (0, 0, 1, 2))
    yield _title("Hops")
    yield Padding(draw_tree(progress.tree, Look(width=width - 2)), (0, 0, 1, 2))
    yield _title("Files")
    yield Padding(_files(run, app, folder), (0, 0, 1, 2))
    yield _title("Next, type")
    yield Padding(_commands(run), (0, 0, 1, 2))
    yield Text(status_line(run, progress), style="bold")


def _title(text: str) -> Text:
    return Text(text, style="bold cyan")


def _files(run: Run, app: App, folder: Path) -> Table:
    table = _pairs()
    table.add_row("the whole answer", str(folder / ANSWER))
    names = ", ".join(Path(artifact.path).name for artifact in run.artifacts)
    table.add_row("artifacts", f"{folder}/  {names}")
    table.add_row("records", f"{newest_segment(app.home / RUNS_FILE)}")
    return table


def _commands(run: Run) -> Table:
    table = _pairs()
    minerva = minerva_command()
    table.add_row(f"{minerva} runs {run.run_id[:8]}", "every hop, node and decision of this run")
    table.add_row(
        f'{minerva} explain "환자번호의 표준 약어를 알려줘"', "who would answer, running nothing"
    )
    table.add_row(f"{minerva} new team billing", "begin a team of your own")
    return table


def _pairs() -> Table:
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column(style="dim")
    return table
