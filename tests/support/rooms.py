"""The room to which a test file belongs: by its folder, or by what it imports most."""

import re
from collections import Counter
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
_IMPORT: Final = re.compile(r"^ *(?:from|import) minerva_(\w+)(?:\.(\w+))?", re.MULTILINE)


def rooms() -> list[str]:
    """Return the names of all rooms: the platform's folders, teams, and observability."""
    inside = (path.parent.name for path in ROOT.glob("platform/minerva_platform/*/__init__.py"))
    teams = (path.parent.name for path in ROOT.glob("teams/*/pyproject.toml"))
    return [*sorted(inside), *sorted(teams), "observability"]


def room_of(file: Path) -> str | None:
    """Return the room of a test file; None if it imports nothing of ours.

    What imports nothing but a package's own face belongs to the platform's `contract`.
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
    return found.most_common(1)[0][0] if found else None
