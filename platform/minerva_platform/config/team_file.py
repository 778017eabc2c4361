"""A team in a file beside `platform.yaml`, as an entry of `teams:` names it.

`./pipeline.py:Pipeline` is the class `Pipeline` (or a team that was made under this name) of the
file `pipeline.py` in the folder of `platform.yaml`. Any other entry is the name of an installed
team.
"""

import re
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Final

_ENTRY: Final = re.compile(r"(?P<path>[^:\\\x00]+\.py):(?P<name>[^\W\d]\w*)")
_LOOKS_LIKE_FILE: Final = re.compile(r"[/\\:]|\.py\b")


@dataclass(frozen=True, slots=True)
class TeamFile:
    """The file, seen from the folder of `platform.yaml`, and the team's name in it."""

    path: PurePosixPath
    name: str

    def __str__(self) -> str:
        """The entry as `platform.yaml` has it."""
        return f"./{self.path}:{self.name}"


def team_file(entry: str) -> TeamFile | None:
    """Return the file that an entry of `teams:` names. None if it names an installed team.

    Raises:
        ValueError: it names a file in another way, or one outside the folder.
    """
    if not _LOOKS_LIKE_FILE.search(entry):
        return None
    found = _ENTRY.fullmatch(entry)
    path = PurePosixPath(found["path"]) if found else None
    if path is not None and (path.is_absolute() or ".." in path.parts):
        message = f"`{entry}` lies outside the folder of platform.yaml; move the file into it"
        raise ValueError(message)
    if found is None or path is None or not entry.startswith("./"):
        message = (
            f"`{entry}` is neither the name of an installed team nor a file beside platform.yaml; "
            "write a file as `./FILE.py:CLASS`"
        )
        raise ValueError(message)
    return TeamFile(path, found["name"])


def checked_entry(entry: str) -> str:
    """Return `entry`, if `team_file` can read it.

    Raises:
        ValueError: it cannot.
    """
    team_file(entry)
    return entry
