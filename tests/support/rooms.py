"""The room to which a test file belongs: the folder in which it lies."""

from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]


def rooms() -> list[str]:
    """Return the names of all rooms: the folders of the platform's tests, teams, observability."""
    folders = [
        sorted(path.name for path in (ROOT / "tests" / part).iterdir() if any(path.glob("test_*")))
        for part in ("platform", "teams")
    ]
    return [*folders[0], *folders[1], "observability"]


def room_of(file: Path) -> str | None:
    """Return the room of a test file; None if it is about the project."""
    match file.relative_to(ROOT).parts[1:-1]:
        case ("platform" | "teams", room, *_):
            return room
        case ("observability", *_):
            return "observability"
        case _:
            return None
