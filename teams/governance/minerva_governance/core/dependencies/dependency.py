"""A library that the code under review uses, and what of its declarations could not be read."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from pydantic import BaseModel, ConfigDict

from minerva_platform.text import read_texts

TEXTS = read_texts("minerva_governance.core.dependencies", "dependencies")

Ecosystem = Literal["pypi", "npm"]
"""Where a library comes from, as the first part of a package URL (purl) has it."""

_SEPARATORS = re.compile(r"[-_.]+")


class Dependency(BaseModel):
    """A library as a manifest or lock names it."""

    model_config = ConfigDict(frozen=True)

    ecosystem: Ecosystem
    name: str
    version: str = ""
    """Empty where the file allows several."""
    licence: str = ""
    """As it stands in the file or in the library's metadata; "" where neither names one."""
    source: str
    line: int = 1

    @property
    def key(self) -> tuple[str, str]:
        """What makes two entries the same library: PyPI takes `-`, `_` and `.` for one."""
        name = self.name
        if self.ecosystem == "pypi":
            name = _SEPARATORS.sub("-", name).casefold()
        return self.ecosystem, name

    @property
    def target(self) -> str:
        """The name that findings and waivers use: `requests@2.31.0`."""
        return f"{self.name}@{self.version}" if self.version else self.name


class Dependencies(BaseModel):
    """All libraries that were found, and the files that name them."""

    model_config = ConfigDict(frozen=True)

    manifests: tuple[str, ...] = ()
    libraries: tuple[Dependency, ...] = ()


class ShapeError(Exception):
    """A file that is no manifest of its kind."""


class Entry(NamedTuple):
    """What one file says about one library."""

    name: str
    version: str = ""
    licence: str = ""
    line: int = 1
    ecosystem: Ecosystem = "pypi"


@dataclass
class Reading:
    """What a reader found in one file; the reader fills it."""

    entries: list[Entry] = field(default_factory=list[Entry])
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

    def of(self, *written: str) -> int:
        """Return the line of the first of `written` after the last one found, else the last."""
        for each in written:
            position = self._text.find(each, self._at)
            if position >= 0:
                self._line += self._text.count("\n", self._at, position)
                self._at = position
                break
        return self._line


def merged(found: Iterable[tuple[Dependency, bool]]) -> tuple[Dependency, ...]:
    """Return each library once: by name and version, and without those that a lock settles.

    Each comes with whether a lock names it. A lock speaks for the folders below its own.
    """
    entries = list(found)
    locked: dict[tuple[str, str], set[str]] = {}
    for one, is_locked in entries:
        if is_locked:
            locked.setdefault(one.key, set()).add(_folder(one.source))
    kept: dict[tuple[str, str, str], Dependency] = {}
    for one, is_locked in entries:
        above = locked.get(one.key, set[str]())
        if not is_locked and any(_is_below(_folder(one.source), each) for each in above):
            continue
        first = kept.setdefault((*one.key, one.version), one)
        if one.licence and not first.licence:
            kept[*one.key, one.version] = first.model_copy(update={"licence": one.licence})
    return tuple(sorted(kept.values(), key=lambda one: (*one.key, one.version)))


def _folder(source: str) -> str:
    return source.rpartition("/")[0]


def _is_below(folder: str, other: str) -> bool:
    return folder == other or not other or folder.startswith(f"{other}/")


def shown(items: Iterable[object], limit: int = 10) -> Iterator[str]:
    """Give the first items, and dots where there are more."""
    for number, item in enumerate(items):
        if number == limit:
            yield "…"
            return
        yield str(item)
