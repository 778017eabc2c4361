"""Write drafted docstrings into their files: each whole or not at all.

A file is written beside itself and renamed into its place, so that nobody ever
reads half of it. One that is not what it was when it was drafted stays as it is.
"""

import hashlib
import os
import stat
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from minerva_insilico.core.docstrings.drafting import CHANGED, Rewrite
from minerva_insilico.core.facts.boundary import read_source
from minerva_insilico.core.facts.fault import UnreadableSourceError

NOT_WRITABLE = "it may not be written to"
SHARED = "it has another name (a hard link), which would keep the old content"


@dataclass
class Applied:
    """Which files were written, and why others were not."""

    written: list[Rewrite] = field(default_factory=list[Rewrite])
    refused: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])


def apply_rewrites(root: Path, rewrites: Iterable[Rewrite]) -> Applied:
    """Write what was drafted for the files under `root`."""
    result = Applied()
    for rewrite in rewrites:
        reason = _reason_against(root, rewrite) or _write(root, rewrite)
        if reason:
            result.refused.append((rewrite.path, reason))
        else:
            result.written.append(rewrite)
    return result


def _reason_against(root: Path, rewrite: Rewrite) -> str:
    """Return why a file is left alone; nothing if it may be written."""
    try:
        now = read_source(root, rewrite.path)  # refuses links, devices and ways out of the root
    except UnreadableSourceError as error:
        return error.reason
    if hashlib.sha256(now).hexdigest() != rewrite.sha256:
        return CHANGED
    target = root / rewrite.path
    if not os.access(target, os.W_OK):
        return NOT_WRITABLE
    return SHARED if target.stat().st_nlink > 1 else ""


def _write(root: Path, rewrite: Rewrite) -> str:
    target = root / rewrite.path
    temporary = ""
    try:
        status = target.stat(follow_symlinks=False)
        descriptor, temporary = tempfile.mkstemp(".minerva", f".{target.name[:40]}-", target.parent)
        with open(descriptor, "wb") as file:  # noqa: PTH123 - a descriptor, not a path
            os.fchmod(descriptor, stat.S_IMODE(status.st_mode))
            file.write(rewrite.content)
            file.flush()
            os.fsync(descriptor)
        reason = _reason_against(root, rewrite)  # somebody may have saved it meanwhile
        if not reason:
            Path(temporary).replace(target)
            temporary = ""
    except OSError as error:
        reason = error.strerror or type(error).__name__
    finally:
        if temporary:
            with suppress(FileNotFoundError):
                Path(temporary).unlink()
    return reason
