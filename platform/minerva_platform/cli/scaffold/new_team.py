"""`minerva new team`: a project of its own that works and passes its tests at once."""

import keyword
import os
import re
import shlex
import shutil
import sys
import tempfile
from collections.abc import Iterator
from importlib.metadata import entry_points
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from string import Template

from minerva_platform.app import PLATFORM_NAME
from minerva_platform.cli.io.stream import write_text
from minerva_platform.errors import RunError
from minerva_platform.installed.registry import GROUP
from minerva_platform.text.command_hint import command, install_command, minerva_command
from minerva_platform.validation.tree import RESERVED

_NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
_LONGEST = 40
_ENDING = ".template"
_QUESTION = "How many miles are 42 km?"
_PACKAGE = "package"
"""The folder of the template that becomes the team's package."""


def new_team(name: str, directory: Path | None) -> None:
    """Write the project and say what to type next.

    Raises:
        RunError: the name cannot be used, the folder is there already or inside a checkout.
    """
    check_name(name)
    folder = directory if directory is not None else default_directory(name)
    check_place(name, folder)
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
    """Return a folder beside the checkout of MINERVA we stand in, else in the current one."""
    checkout = checkout_around(Path(distribution(name)))
    if checkout is None:
        return Path(distribution(name))
    return Path(os.path.relpath(checkout.parent / distribution(name)))


def check_place(name: str, folder: Path) -> None:
    """Refuse a folder inside a checkout of MINERVA, `teams/` included.

    A team of its own has a repository of its own; inside the checkout its tests would lie
    outside `tests/`, and it would have to be named in every list of the root pyproject.

    Raises:
        RunError: names the folder beside the checkout.
    """
    checkout = checkout_around(folder)
    if checkout is not None:
        beside = shlex.quote(str(checkout.parent / distribution(name)))
        message = (
            f"{folder} is inside a checkout of MINERVA, whose own tests would then fail. "
            f"A team has a project of its own: --dir {beside}"
        )
        raise RunError(message)


def checkout_around(folder: Path) -> Path | None:
    """Return the checkout of MINERVA that `folder` would lie in, if it would."""
    try:
        above = folder.resolve().parents
    except FileNotFoundError:  # we stand in a removed folder; writing there will say so
        return None
    return next((place for place in above if _is_checkout(place)), None)


def _is_checkout(place: Path) -> bool:
    return (place / "platform" / "minerva_platform").is_dir() and (place / "teams").is_dir()


def distribution(name: str) -> str:
    """Return the name of the team's distribution."""
    return f"minerva-team-{name.replace('_', '-')}"


def write_project(name: str, folder: Path) -> list[Path]:
    """Write all files of the project, or none; return their paths in `folder`."""
    written: list[Path] = []
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        draft = Path(tempfile.mkdtemp(prefix=".new-team-", dir=folder.parent))
    except OSError as error:
        message = f"{folder} cannot be written: {error.strerror}. Name another: --dir DIR"
        raise RunError(message) from error
    words = _words(name, folder)
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


def _words(name: str, folder: Path) -> dict[str, str]:
    """Return what the template's placeholders stand for; paths lead from inside `folder`."""
    here = folder.resolve()
    activate = Path(sys.prefix, "bin", "activate")
    source = f"source {shlex.quote(os.path.relpath(activate, here))}\n"
    routing = Path(__file__).parents[2] / "routing" / "README.md"
    return {
        "activate": source if activate.exists() else "",
        "routing": os.path.relpath(routing, here),
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
        f"Its tests: {command('pytest')} {shlex.quote(str(folder))}\n"
        f"Then make it yours: {folder / 'README.md'}"
    )
