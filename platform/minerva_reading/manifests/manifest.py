"""What a file says about the libraries that a project uses."""

from dataclasses import dataclass, field
from typing import Literal, NamedTuple

Ecosystem = Literal["pypi", "npm", "generic"]
"""Where a library comes from, as the first part of a package URL (purl) has it."""


class ShapeError(Exception):
    """A file that is no manifest of its kind."""


class Library(NamedTuple):
    """What one file says about one library."""

    name: str
    version: str = ""
    licence: str = ""
    line: int = 1
    ecosystem: Ecosystem = "pypi"


@dataclass
class Manifest:
    """The libraries that one file names, and what of it could not be read."""

    entries: list[Library] = field(default_factory=list[Library])
    bad_lines: list[int] = field(default_factory=list[int])
    """Lines that should name a library and do not."""
    elsewhere: list[str] = field(default_factory=list[str])
    """Files that it takes further libraries from, relative to its own folder."""
    is_lock: bool = False
    """Made by a resolver: it names all libraries, with their versions."""
    is_computed: bool = False
    """It leaves dependencies to code that is not run."""


class Lines:
    """Finds the lines of names that stand in a file in the order in which they are asked for."""

    def __init__(self, text: str) -> None:
        self._text, self._at, self._line = text, 0, 1

    def of(self, *texts: str) -> int:
        """Return the line of the first of `texts` after the last one found, else the last."""
        for each in texts:
            position = self._text.find(each, self._at)
            if position >= 0:
                self._line += self._text.count("\n", self._at, position)
                self._at = position
                break
        return self._line
