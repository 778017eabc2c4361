"""Which process holds a lease, and whether it still lives: known on its own machine only.

A process is named by boot, space of process ids (a container has its own), id and start. A number
that was given to another process since, or after a new start of the machine, is nobody's.
"""

import os
import time
from pathlib import Path
from typing import Final

_BOOT_CLOCK: Final = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
_ENDED: Final = frozenset({"Z", "X", ""})
"""States of a process that does nothing more, though its parent has not asked for its status."""


def boot_seconds() -> float:
    """Return the seconds since the machine started, sleep included; nobody sets this clock back."""
    return time.clock_gettime(_BOOT_CLOCK)


def this_process() -> str:
    """Return the name of this process."""
    pid = os.getpid()
    return " ".join((_boot(), _space(), str(pid), _state_and_start(pid)[1]))


def is_dead(holder: str) -> bool:
    """True if `holder` certainly does nothing more; False if it lives or cannot be judged."""
    boot, space, pid, start = (*holder.split(" "), "", "", "", "")[:4]
    if not (boot and pid.isdecimal()):
        return False
    if boot != _boot():
        return True
    if space != _space():
        return False
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return True
    except (PermissionError, OverflowError):
        return False
    state, started = _state_and_start(int(pid))
    return bool(started) and (state in _ENDED or started != start)


def _boot() -> str:
    return _read("/proc/sys/kernel/random/boot_id").strip() or "-"


def _space() -> str:
    try:
        return str(Path("/proc/self/ns/pid").readlink())
    except OSError:
        return "-"


def _state_and_start(pid: int) -> tuple[str, str]:
    """Return a process's state and its start (ticks since boot), as proc_pid_stat(5) has them."""
    fields = _read(f"/proc/{pid}/stat").rpartition(")")[2].split()  # a name may hold anything
    return (fields[0], fields[19]) if len(fields) > 19 else ("", "")  # noqa: PLR2004  # the page's 22nd


def _read(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
