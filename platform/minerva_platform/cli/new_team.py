"""`minerva new team`: a project of its own that works and passes its tests at once."""

import keyword
import re
import shutil
import tempfile
from collections.abc import Iterator
from importlib.metadata import entry_points
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from string import Template

from minerva_platform.app import PLATFORM_NAME
from minerva_platform.checks import RESERVED
from minerva_platform.cli.stream import write_text
from minerva_platform.cli.typed import command, install_command, minerva_command
from minerva_platform.errors import RunError
from minerva_platform.registry import GROUP

_NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
_LONGEST = 40
_ENDING = ".template"
_QUESTION = "How many miles are 42 km?"
_PACKAGE = "package"
"""The folder of the template that becomes the team's package."""


def new_team(name: str, directory: Path | None) -> None:
    """Write the project and say what to type next.

    Raises:
        RunError: the name cannot be used, or the folder is there already.
    """
    check_name(name)
    folder = directory if directory is not None else default_directory(name)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        message = f"{folder} is there already. Name a new folder: --dir DIR"
        raise RunError(message)
    written = write_project(name, folder)
    write_text(_next_steps(name, folder, written))


def check_name(name: str) -> None:
    """Refuse a name that no team may have.

    Raises:
        RunError: says what is wrong with it.
    """
    if not _NAME.fullmatch(name) or len(name) > _LONGEST:
        shown = ascii(name)[1:-1][:_LONGEST]
        message = f"`{shown}` is no team name: write it in snake_case, such as `billing`."
        raise RunError(message)
    if name in RESERVED | {PLATFORM_NAME} or keyword.iskeyword(name):
        message = f"The name `{name}` is reserved; choose another."
        raise RunError(message)
    if any(point.name == name for point in entry_points(group=GROUP)):
        see = f"{minerva_command()} teams"
        message = f"A team `{name}` is installed already; choose another name. See: {see}"
        raise RunError(message)


def default_directory(name: str) -> Path:
    """Return a folder beside a checkout of MINERVA, else in the current one.

    A team of its own has a repository of its own; inside the checkout it would have to be
    named in every list of the root pyproject.
    """
    in_checkout = Path("platform/minerva_platform").is_dir() and Path("teams").is_dir()
    return Path("..") / distribution(name) if in_checkout else Path(distribution(name))


def distribution(name: str) -> str:
    """Return the name of the team's distribution."""
    return f"minerva-team-{name.replace('_', '-')}"


def write_project(name: str, folder: Path) -> list[Path]:
    """Write all files of the project, or none; return their paths in `folder`."""
    words = _words(name)
    written: list[Path] = []
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        draft = Path(tempfile.mkdtemp(prefix=".new-team-", dir=folder.parent))
    except OSError as error:
        message = f"{folder} cannot be written: {error.strerror}. Name another: --dir DIR"
        raise RunError(message) from error
    try:
        for place, source in _template_files(files("minerva_platform.cli") / "template", Path()):
            parts = [words["package"] if part == _PACKAGE else part for part in place.parts]
            target = draft.joinpath(*parts)
            target.parent.mkdir(parents=True, exist_ok=True)
            text = Template(source.read_text(encoding="utf-8")).substitute(words)
            target.write_text(text, encoding="utf-8")
            written.append(target.relative_to(draft))
        draft.chmod(0o755)
        draft.replace(folder)
    except OSError as error:
        shutil.rmtree(draft, ignore_errors=True)
        message = f"{folder} cannot be written: {error.strerror}. Name another: --dir DIR"
        raise RunError(message) from error
    return sorted(written)


def _words(name: str) -> dict[str, str]:
    """Return what the template's placeholders stand for."""
    return {
        "name": name,
        "title": name.replace("_", " ").capitalize(),
        "package": f"minerva_{name}",
        "distribution": distribution(name),
        "team_class": f"{''.join(part.capitalize() for part in name.split('_'))}Team",
    }


def _template_files(root: Traversable, place: Path) -> Iterator[tuple[Path, Traversable]]:
    for entry in sorted(root.iterdir(), key=lambda item: item.name):
        if entry.is_dir():
            yield from _template_files(entry, place / entry.name)
        elif entry.name.endswith(_ENDING):
            yield place / entry.name.removesuffix(_ENDING), entry


def _next_steps(name: str, folder: Path, written: list[Path]) -> str:
    files_shown = "\n".join(f"  {path}" for path in written)
    return (
        f"The team `{name}` is in {folder}:\n{files_shown}\n\n"
        "Next, type\n"
        f"  {install_command(folder)}\n"
        f"  {minerva_command()} check\n"
        f'  {minerva_command()} ask "{_QUESTION}"\n\n'
        f"Its tests: {command('pytest')} {folder}   Then make it yours: {folder / 'README.md'}"
    )
