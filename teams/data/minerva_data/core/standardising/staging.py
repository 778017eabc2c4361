"""Make a folder's files beside it and put them in its place when all of them are whole.

A person finds the files of one standardisation there or those of the one before, never halves.
A file that MINERVA did not write, or that changed since, is only replaced on request.
"""

import hashlib
import json
import shutil
import tempfile
from collections.abc import Iterable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, cast

from minerva_data.core.standardising.options import StandardiseFault

MANIFEST = "standardise.json"
"""What says that a folder is of a standardisation: counts, and the sha256 of each file."""


class Staging(AbstractContextManager["Staging"]):
    """A working folder; `files` becomes `out` on delivery. Without `out` it only works."""

    def __init__(self, out: Path | None, *, is_overwriting: bool = False) -> None:
        self.out = out.absolute() if out else None
        self._is_overwriting = is_overwriting
        try:
            above = _nearest(self.out.parent) if self.out else None
            prefix = f".{self.out.name}.part-" if self.out else "minerva-"
            self.folder = Path(tempfile.mkdtemp(prefix=prefix, dir=above))
            self.files = self.folder / "files"
            self.files.mkdir()
        except OSError as error:
            raise _unwritable(out or Path(tempfile.gettempdir()), error) from error

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Remove the working folder, whatever is left in it."""
        shutil.rmtree(self.folder, ignore_errors=True)

    @property
    def spool(self) -> Path:
        """Where what does not fit into memory lies meanwhile."""
        return self.folder / "spool.db"

    def deliver(self, summary: dict[str, Any]) -> tuple[Path, ...]:
        """Put the files in place, with the `summary` of them; return their paths.

        Raises:
            StandardiseFault: the folder cannot be written, or changed meanwhile.
        """
        if self.out is None:
            return ()
        digests = {path.name: _digest(path) for path in sorted(self.files.iterdir())}
        text = json.dumps({**summary, "files": digests}, ensure_ascii=False, indent=2)
        try:
            (self.files / MANIFEST).write_text(f"{text}\n", encoding="utf-8")
            self._place(self.out, [*digests, MANIFEST])
        except OSError as error:
            raise _unwritable(self.out, error) from error
        return tuple(self.out / name for name in (*digests, MANIFEST))

    def _place(self, out: Path, names: list[str]) -> None:
        check_out(out, is_overwriting=self._is_overwriting)
        out.parent.mkdir(parents=True, exist_ok=True)
        if not out.exists() or not any(out.iterdir()):
            self.files.replace(out)
            return
        stale = set(_read_digests(out)) - set(names)
        (out / MANIFEST).unlink(missing_ok=True)
        for name in stale:
            (out / name).unlink(missing_ok=True)
        for name in names:  # the manifest last: without it the folder counts as a stranger's
            (self.files / name).replace(out / name)


def check_out(out: Path, *, is_overwriting: bool = False, inputs: Iterable[Path] = ()) -> None:
    """Say in time that a folder cannot take the files.

    Raises:
        StandardiseFault: it is a file, holds what is given, or files that MINERVA did not write.
    """
    if out.exists() and not out.is_dir():
        message = f"--out {out} is a file. Name a folder."
        raise StandardiseFault(message)
    for path in inputs:
        if out.resolve() in path.resolve().parents:
            message = f"--out {out} holds {path.name}, which is to be read. Name another folder."
            raise StandardiseFault(message)
    if is_overwriting or not out.is_dir():
        return
    digests = _read_digests(out)
    for path in sorted(out.iterdir()):
        known = digests.get(path.name)
        if path.name == MANIFEST and digests:
            continue
        if known is None or not path.is_file() or _digest(path) != known:
            what = "was changed since it was written" if known else "is not of a standardisation"
            message = (
                f"--out {out}: {path.name} in it {what}. Name another folder, or let its files "
                "of the same names be replaced: --overwrite"
            )
            raise StandardiseFault(message)


def _read_digests(out: Path) -> dict[str, str]:
    """Return the files that a standardisation left there, by name; none if it is not of one."""
    try:
        said = json.loads((out / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    found = cast("dict[str, Any]", said).get("files") if isinstance(said, dict) else None
    if not isinstance(found, dict):
        return {}
    files = cast("dict[str, Any]", found)
    return {name: str(sha256) for name, sha256 in files.items() if Path(name).name == name}


def _nearest(folder: Path) -> Path:
    """Return the first folder above that is there: it is on the same disk."""
    return next(one for one in (folder, *folder.parents) if one.exists())


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _unwritable(out: Path, error: OSError) -> StandardiseFault:
    return StandardiseFault(
        f"{out} cannot be written: {error.strerror or error}. Name a folder of yours with room."
    )
