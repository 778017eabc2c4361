"""Write a new team's project from the template: all of its files, or none."""

import shutil
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from string import Template

from minerva_platform.cli.new_team.shape import Shape
from minerva_platform.errors import RunError

_ENDING = ".template"
_PACKAGE = "package"
"""The folder of the template that becomes the team's package."""
_WORKER = "worker.py"
"""The file of the template that becomes the worker's module."""


def write_project(folder: Path, shape: Shape, words: Mapping[str, str]) -> list[Path]:
    """Write all files of the project, or none, and return their paths in `folder`.

    Raises:
        RunError: the folder cannot be written.
    """
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        draft = Path(tempfile.mkdtemp(prefix=".new-team-", dir=folder.parent))
    except OSError as error:
        raise _unwritable(folder, error) from error
    try:
        written = list(_write_files(draft, shape, words))
        draft.chmod(0o755)
        draft.replace(folder)
    except OSError as error:
        shutil.rmtree(draft, ignore_errors=True)
        raise _unwritable(folder, error) from error
    return sorted(written)


def _write_files(draft: Path, shape: Shape, words: Mapping[str, str]) -> Iterator[Path]:
    """Write the files into `draft` and yield their paths in it."""
    template = Path(__file__).with_name("template")
    for layer in shape.layers:
        for source in sorted((template / layer).rglob(f"*{_ENDING}")):
            path = source.relative_to(template / layer).with_suffix("")
            target = _target(path, words)
            text = Template(source.read_text(encoding="utf-8")).substitute(words)
            _write(draft / target, text.encode())
            yield target
    if shape.copy is not None:
        file, module = shape.copy
        target = Path(words["package"], f"{module}.py")
        _write(draft / target, file.read_bytes())
        yield target


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def _target(path: Path, words: Mapping[str, str]) -> Path:
    parts = [words["package"] if part == _PACKAGE else part for part in path.parts]
    if parts[-1] == _WORKER:
        parts[-1] = f"{words['worker']}.py"
    return Path(*parts)


def _unwritable(folder: Path, error: OSError) -> RunError:
    return RunError(f"{folder} cannot be written: {error.strerror}. Name another: --dir DIR")
