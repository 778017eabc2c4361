"""The change of one file: what it holds, what it would hold, and the writing of it."""

import difflib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

from minerva_platform.cli.io.escape import harmless
from minerva_platform.cli.io.whole_file import write_whole
from minerva_platform.cli.training.new_example import Addition
from minerva_platform.cli.training.yaml_list import UneditableError, with_item
from minerva_platform.errors import RunError, SettingsError
from minerva_platform.run_context.failures.source_location import package_of
from minerva_platform.text.example_file import FOLDER, read_examples

_DECLINED: Final = "declined"
"""The file of a team's declined requests, beside those of its workers."""


@dataclass(frozen=True, slots=True)
class Edit:
    """A file and its text before and after. A file that is not there has None before."""

    path: Path
    before: str | None
    after: str

    def diff(self) -> Iterator[str]:
        """Yield the lines of a unified diff, harmless to show."""
        old = (self.before or "").splitlines()
        name = "/dev/null" if self.before is None else str(self.path)
        lines = difflib.unified_diff(
            old, self.after.splitlines(), name, str(self.path), lineterm="", n=2
        )
        return map(harmless, lines)

    def write(self) -> None:
        """Write the file whole.

        Raises:
            RunError: it has changed since it was read, or cannot be written.
        """
        if _read_text(self.path) != self.before:
            message = f"{self.path} was changed meanwhile. Nothing was written; type it again."
            raise RunError(message)
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(self.path.resolve(), self.after.encode())
        except OSError as error:
            message = f"{self.path} cannot be written: {error.strerror}. Nothing was changed."
            raise RunError(message) from error


def settings_edit(addition: Addition, folder: Path) -> Edit:
    """Return the change of `teams/<team>.yaml` in the folder of configuration.

    Raises:
        SettingsError: the file's form is not edited.
    """
    path = folder / "teams" / f"{addition.team.name}.yaml"
    before = _read_text(path)
    try:
        return Edit(path, before, with_item(before or "", addition.keys, addition.text))
    except UneditableError as error:
        message = (
            f"{path} is written in a form that is not edited. Add these lines to it, or write its "
            f"lists one item a line:\n{error.lines}"
        )
        raise SettingsError(message) from error


def source_edit(addition: Addition) -> Edit:
    """Return the change of `examples/<worker>.txt` in the source of an editable team.

    Raises:
        SettingsError: the team is a copy, or reads no such file.
    """
    team, worker = addition.team, addition.worker
    name = worker.name if worker else _DECLINED
    package = package_of(team.declared)
    if not _is_editable(addition):
        message = (
            f"--source: `{team.name}` is not installed from its source (pip install -e). Leave "
            "--source out, and the request goes into the configuration."
        )
        raise SettingsError(message)
    learned = worker.examples if worker else team.declines
    file = files(package) / FOLDER / f"{name}.txt"
    if not (isinstance(file, Path) and file.is_file()) or not set(
        read_examples(package, name)
    ) <= set(learned):
        message = f"--source: `{addition.target}` reads no {file}. Add the request to its class."
        raise SettingsError(message)
    if addition.text.startswith("# "):
        message = "--source: a line that begins with `# ` is a comment there. Leave it out."
        raise SettingsError(message)
    before = _read_text(file) or ""
    broken = "" if before.endswith("\n") or not before else "\n"
    return Edit(file, before, f"{before}{broken}{addition.text}\n")


def _is_editable(addition: Addition) -> bool:
    """True if the team's distribution lies where its author edits it (PEP 660, PEP 610)."""
    origin = addition.team.origin
    named = origin.distribution if origin else ""
    try:
        said = distribution(named).read_text("direct_url.json") if named else None
        facts: dict[str, Any] = json.loads(said) if said else {}
    except (PackageNotFoundError, json.JSONDecodeError):
        return False
    return bool(facts.get("dir_info", {}).get("editable"))


def _read_text(path: Path) -> str | None:
    try:
        return path.read_bytes().decode()
    except FileNotFoundError:
        return None
    except OSError as error:
        message = f"{path} cannot be read: {error.strerror}."
        raise SettingsError(message) from error
    except UnicodeDecodeError as error:
        message = f"{path} is not UTF-8; save it as UTF-8."
        raise SettingsError(message) from error
