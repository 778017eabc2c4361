"""Where files lie that a worker opens: in the home, or in memory if the home is encrypted.

In memory the folder is one process's alone and goes with it. What a killed process left is removed
by the next one.
"""

import atexit
import os
import shutil
import tempfile
import threading
from contextlib import suppress
from pathlib import Path
from typing import Final

from minerva_observability.file_lock import take_lock
from minerva_observability.sinks.jsonl import STORAGE_KEY_VARIABLE

_MEMORY: Final = Path("/dev/shm")  # noqa: S108  # the folder in it is this process's alone
_lock = threading.Lock()
_folders: dict[int, Path] = {}


def plain_folder(home: Path) -> Path:
    """Return the folder for files in plain text: `home`, or one in memory if that is encrypted.

    A system without `/dev/shm` has it among its temporary files.
    """
    if not os.environ.get(STORAGE_KEY_VARIABLE):
        return home.absolute()
    with _lock:
        if os.getpid() not in _folders:
            _folders[os.getpid()] = _make_folder()
        return _folders[os.getpid()]


def _make_folder() -> Path:
    above = _MEMORY if os.access(_MEMORY, os.W_OK | os.X_OK) else Path(tempfile.gettempdir())
    prefix = f"minerva-{os.geteuid()}-"
    for old_folder in above.glob(f"{prefix}*"):
        with suppress(OSError):  # it goes just now, or is another user's
            descriptor = os.open(
                old_folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC | os.O_NOFOLLOW
            )
            if take_lock(descriptor):  # its process has ended
                shutil.rmtree(old_folder, ignore_errors=True)
            os.close(descriptor)
    folder = Path(tempfile.mkdtemp(prefix=prefix, dir=above))
    take_lock(os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC))  # until this one ends
    atexit.register(_remove, folder, os.getpid())
    return folder


def _remove(folder: Path, pid: int) -> None:
    if os.getpid() == pid:  # a forked child has this function from its parent
        shutil.rmtree(folder, ignore_errors=True)
