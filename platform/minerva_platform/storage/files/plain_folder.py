"""Where files lie that a worker opens: in the home, or in memory if the home is encrypted.

In memory the folder is one process's alone and goes with it. What a killed process left is removed
by the next one.
"""

import os
import threading
from pathlib import Path
from typing import Final

from minerva_observability.sinks.jsonl import STORAGE_KEY_VARIABLE
from minerva_observability.temporary_folder import TemporaryFolder

_MEMORY: Final = Path("/dev/shm")  # noqa: S108  # the folder in it is this process's alone
_lock = threading.Lock()
_folders: dict[int, TemporaryFolder] = {}


def plain_folder(home: Path) -> Path:
    """Return the folder for files in plain text: `home`, or one in memory if that is encrypted.

    A system without `/dev/shm` has it among its temporary files.
    """
    if not os.environ.get(STORAGE_KEY_VARIABLE):
        return home.absolute()
    with _lock:
        if os.getpid() not in _folders:
            parent = _MEMORY if os.access(_MEMORY, os.W_OK | os.X_OK) else None
            prefix = f"minerva-{os.geteuid()}-"
            _folders[os.getpid()] = TemporaryFolder(prefix, parent=parent)
        return _folders[os.getpid()].folder
