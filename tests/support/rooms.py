"""The room to which a test file belongs: by its folder, or by what it imports most."""

import re
from collections import Counter
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
_IMPORT: Final = re.compile(r"^ *(?:from|import) minerva_(\w+)(?:\.(\w+))?", re.MULTILINE)


_EVERYBODY_S: Final = ("contract", "testing")
"""Rooms whose parts tests of every room take; they count where a file takes nothing else."""


def rooms() -> list[str]:
    """Return the names of all rooms: the platform's folders, teams, and observability."""
    inside = (path.parent.name for path in ROOT.glob("platform/minerva_platform/*/__init__.py"))
    teams = (path.parent.name for path in ROOT.glob("teams/*/pyproject.toml"))
    return [*sorted(inside), *sorted(teams), "observability"]


def room_of(file: Path) -> str | None:
    """Return the room of a test file; None if it imports nothing of ours.

    What imports nothing but the platform's own face belongs to `contract`.
    """
    known = rooms()
    folders = [part for part in file.relative_to(ROOT).parts[1:-1] if part in known]
    if folders:
        return folders[-1]
    found: Counter[str] = Counter()
    for package, module in _IMPORT.findall(file.read_text(encoding="utf-8")):
        room = (module or "contract") if package == "platform" else package
        if room in known:
            found[room] += 1
    about = {room: count for room, count in found.items() if room not in _EVERYBODY_S}
    return max(about or found, key=lambda room: found[room], default=None)
